/**
 * Sparks, placed last: two thirds where no script goes but where there is time to go in the last lap once its
 * other goals are done, the rest on scripted paths.
 */
import { budgetFor } from './chamber.ts'
import { type Draft, EXIT_STATION, MOMENTS } from './draft.ts'
import { add, has, nth, type Region, remove, size } from './region.ts'
import { addReach, advance, beginTurn, ground, reach, reaches, rowAt } from './search.ts'
import { TILES } from './tiles.ts'

const onPath: Region = new Int32Array(3)
const inTime: Region = new Int32Array(3)
const arrival = new Uint8Array(TILES)

/** Draws the spark tiles of a planned draft; false when there are too few places. */
export function drawSparks(draft: Draft): boolean {
  const { random, spark } = draft
  const { sparks } = draft.level
  listPathTiles(draft)
  listTilesInTime(draft)
  let placed = 0
  const away = Math.round((sparks * 2) / 3)
  for (let left = size(inTime); left > 0 && placed < away; left--) {
    const tile = nth(inTime, random.below(left))
    remove(inTime, tile)
    if (!canStillFinish(draft, tile)) continue
    spark[placed++] = tile
  }
  for (let left = size(onPath); left > 0 && placed < sparks; left--) {
    const tile = nth(onPath, random.below(left))
    remove(onPath, tile)
    spark[placed++] = tile
  }
  return placed === sparks
}

function isRoleless(draft: Draft, tile: number): boolean {
  if (has(draft.free, tile)) return true
  for (let gate = 0; gate < draft.level.gates; gate++) {
    const pocket = draft.pocket.subarray(gate * 3, gate * 3 + 3)
    if (has(pocket, tile)) return tile !== draft.deepest[gate]
  }
  return false
}

function listPathTiles(draft: Draft): void {
  onPath.fill(0)
  for (let lap = 0; lap < draft.level.laps; lap++) {
    for (let t = 0; t <= draft.turns[lap]!; t++) {
      const tile = draft.path[lap * MOMENTS + t]!
      if (!has(onPath, tile) && isRoleless(draft, tile)) add(onPath, tile)
    }
  }
}

/** Searches on from the moment at which the last lap is free to leave; its layer here is 0. */
function listTilesInTime(draft: Draft): void {
  const lap = draft.level.laps - 1
  const budget = budgetFor(draft.turns[lap]!)
  const from = draft.doneAt[lap]!
  openGround(draft, lap)
  reach.fill(0, 0, rowAt(1, 0))
  addReach(rowAt(0, from), draft.path[lap * MOMENTS + from]!)
  inTime.fill(0)
  for (let turn = from; turn < budget; turn++) {
    beginTurn(draft, lap, turn)
    advance(0, turn)
    const row = rowAt(0, turn + 1)
    for (let i = 0; i < 3; i++) {
      let fresh = reach[row + i]! & ~reach[row + i - 3]! & ~inTime[i]!
      inTime[i]! |= fresh
      for (; fresh !== 0; fresh &= fresh - 1) {
        const tile = i * 27 + 31 - Math.clz32(fresh & -fresh)
        arrival[tile] = turn + 1
      }
    }
  }
  for (let tile = 0; tile < TILES; tile++) {
    if (!has(inTime, tile)) continue
    const back = arrival[tile]! + draft.distance[EXIT_STATION * TILES + tile]!
    if (back > budget || has(onPath, tile) || !isRoleless(draft, tile)) remove(inTime, tile)
  }
}

function openGround(draft: Draft, lap: number): void {
  ground.set(draft.walk)
  const gate = draft.gateOf[lap]!
  if (gate < 0) return
  for (let i = 0; i < 3; i++) ground[i]! |= draft.pocket[gate * 3 + i]!
  add(ground, draft.gateTile[gate]!)
}

/** Whether the last lap can take a spark at its time of arrival and reach the exit on the grains that are left. */
function canStillFinish(draft: Draft, tile: number): boolean {
  const lap = draft.level.laps - 1
  const budget = budgetFor(draft.turns[lap]!)
  reach.fill(0, 0, rowAt(1, 0))
  openGround(draft, lap)
  add(ground, draft.exit)
  addReach(rowAt(0, arrival[tile]!), tile)
  for (let turn = arrival[tile]!; turn < budget; turn++) {
    beginTurn(draft, lap, turn)
    advance(0, turn)
    if (reaches(rowAt(0, turn + 1), draft.exit)) return true
  }
  return false
}
