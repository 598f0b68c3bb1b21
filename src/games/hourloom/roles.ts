/** Who stands where: exit, plates, alcoves, keystones, flux, and the distances between them. */
import {
  type Draft,
  EXIT_STATION,
  GATE_STATION,
  KEYSTONE_STATION,
  PLATE_STATION,
  plateCount,
} from './draft.ts'
import { canLose } from './layout.ts'
import { add, BIT, has, measureSteps, nth, type Region, remove, size, touches, WORD } from './region.ts'
import { STEP, TILES } from './tiles.ts'

const STATION_TRIES = 16
const ALCOVE_TRIES = 8
const ALCOVE_DISTANCE = 3

/** Draws the roles of a draft whose ground is laid; false when a station found no place. */
export function drawRoles(draft: Draft): boolean {
  const { core, free, main } = draft
  core.set(main)
  stations.fill(0)
  const exit = takeStation(draft)
  if (exit < 0) return false
  draft.exit = exit
  draft.walk.set(core)
  for (let gate = 0; gate < draft.level.gates; gate++) {
    for (let i = 0; i < plateCount(draft, gate); i++) {
      const plate = takeStation(draft)
      if (plate < 0) return false
      draft.plate[2 * gate + i] = plate
    }
  }
  free.set(core)
  measure(draft, EXIT_STATION, draft.exit)
  drawPassers(draft)
  drawAlcoves(draft)
  drawKeystones(draft)
  drawFlux(draft)
  measureAll(draft)
  return true
}

/** Exit and plates so far. */
const stations: Region = new Int32Array(3)

/** Takes a tile out of the core that nothing else depends on; -1 when none was found. */
function takeStation(draft: Draft): number {
  const { random, core } = draft
  const tiles = size(core)
  for (let tries = 0; tries < STATION_TRIES; tries++) {
    const tile = nth(core, random.below(tiles))
    if (!canLose(draft, core, tile)) continue
    remove(core, tile)
    if (stationsReachable(draft, tile)) {
      add(stations, tile)
      return tile
    }
    add(core, tile)
  }
  return -1
}

/** Whether each station beside a tile that leaves the core still touches the core. */
function stationsReachable(draft: Draft, lost: number): boolean {
  for (let input = 0; input < 4; input++) {
    const tile = STEP[input * TILES + lost]!
    if (tile >= 0 && has(stations, tile) && !touches(draft.core, tile)) return false
  }
  return true
}

/** Chooses the laps that pass a gate among all but the first, in order, each set of them equally likely. */
function drawPassers(draft: Draft): void {
  const { random, gateOf, passer } = draft
  const { laps, gates } = draft.level
  gateOf.fill(-1)
  let gate = 0
  for (let lap = 1; lap < laps; lap++) {
    if (random.below(laps - lap) >= gates - gate) continue
    gateOf[lap] = gate
    passer[gate++] = lap
  }
}

function drawAlcoves(draft: Draft): void {
  for (let lap = 0; lap < draft.level.laps; lap++) {
    let tile = pickFree(draft)
    for (let tries = 1; tries < ALCOVE_TRIES && draft.distance[tile]! < ALCOVE_DISTANCE; tries++) {
      tile = pickFree(draft)
    }
    remove(draft.free, tile)
    draft.alcove[lap] = tile
  }
}

function drawKeystones(draft: Draft): void {
  for (let lap = 0; lap < draft.level.laps; lap++) {
    const gate = draft.gateOf[lap]!
    draft.keystone[lap] = gate < 0 ? takeFree(draft) : draft.deepest[gate]!
  }
}

function drawFlux(draft: Draft): void {
  const { random, lit, fluxTile, fluxPhase } = draft
  lit.fill(0)
  for (let i = 0; i < draft.level.flux; i++) {
    const tile = takeFree(draft)
    const phase = random.below(4)
    fluxTile[i] = tile
    fluxPhase[i] = phase
    for (let turn = 0; turn < 4; turn++) {
      if (((turn + phase) & 3) >= 2) lit[turn * 3 + WORD[tile]!]! |= BIT[tile]!
    }
  }
}

function takeFree(draft: Draft): number {
  const tile = pickFree(draft)
  remove(draft.free, tile)
  return tile
}

function pickFree(draft: Draft): number {
  return nth(draft.free, draft.random.below(size(draft.free)))
}

function measureAll(draft: Draft): void {
  const { laps, gates } = draft.level
  for (let gate = 0; gate < gates; gate++) {
    measure(draft, GATE_STATION + gate, draft.gateTile[gate]!)
    for (let i = 0; i < plateCount(draft, gate); i++) {
      measure(draft, PLATE_STATION + 2 * gate + i, draft.plate[2 * gate + i]!)
    }
  }
  for (let lap = 0; lap < laps; lap++) {
    if (draft.gateOf[lap]! < 0) measure(draft, KEYSTONE_STATION + lap, draft.keystone[lap]!)
  }
}

/** Steps from a station to every tile off the exit. */
function measure(draft: Draft, station: number, from: number): void {
  measureSteps(from, draft.walk, draft.distance, station * TILES)
}
