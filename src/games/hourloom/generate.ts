/**
 * Builds chambers. A chamber is a function of a 53-bit generator value and its number; up to 16 draws are made
 * from that one value, and a draw that cannot be sealed by its own script, or can be sealed without any thought
 * of time, is refused. If all are refused a stored value is used, turned or mirrored.
 */
import { budgetFor, type Chamber, clearChamber, FLOOR, LOG, WALL } from './chamber.ts'
import { difficulty, HARDEST, multiplierPercent } from './difficulty.ts'
import { createDraft, MOMENTS, plateCount } from './draft.ts'
import { STORED_VALUES, SYMMETRIES, turnChamber } from './fallback.ts'
import { drawLayout } from './layout.ts'
import { planLaps } from './plan.ts'
import { paintStill } from './planes.ts'
import { has } from './region.ts'
import { drawRoles } from './roles.ts'
import { findSchedule, SCHEDULES } from './schedule.ts'
import { isSealedByShortestPath } from './shortest-path.ts'
import { drawSparks } from './sparks.ts'
import { STEP, TILES, WAIT } from './tiles.ts'
import { isSealedByScript } from './verify.ts'

const DRAWS = 16

const draft = createDraft()

/** Builds chamber `n` of a generator value into `chamber`; fewer draws than usual serve to test the stored ones. */
export function generateChamber(chamber: Chamber, value: number, n: number, draws = DRAWS): void {
  if (!tryValue(chamber, value, n, draws)) {
    const symmetry = draft.random.below(SYMMETRIES)
    tryValue(chamber, STORED_VALUES[Math.min(n, HARDEST) - 1]!, n, 1)
    turnChamber(chamber, symmetry)
    chamber.fallback = 1
  }
  chamber.value = value
  chamber.n = n
  chamber.multiplier = multiplierPercent(n)
  paintStill(chamber)
}

/** Makes up to `draws` draws from a generator value; false when all are refused. */
export function tryValue(chamber: Chamber, value: number, n: number, draws: number): boolean {
  draft.level = difficulty(n)
  draft.random.seed(value, Math.min(n, HARDEST))
  for (let draw = 0; draw < draws; draw++) if (drawChamber(chamber)) return true
  return false
}

function drawChamber(chamber: Chamber): boolean {
  if (!drawLayout(draft) || !drawRoles(draft)) return false
  if (!isPlanned() || !drawSparks(draft)) return false
  writeChamber(chamber)
  return isSealedByScript(chamber, draft) && !isSealedByShortestPath(chamber)
}

function isPlanned(): boolean {
  for (let i = 0; i < SCHEDULES; i++) {
    findSchedule(draft)
    if (planLaps(draft)) return true
  }
  return false
}

function writeChamber(chamber: Chamber): void {
  const { level } = draft
  clearChamber(chamber)
  chamber.size = level.size
  chamber.laps = level.laps
  chamber.gates = level.gates
  chamber.sparks = level.sparks
  chamber.flux = level.flux
  chamber.exit = draft.exit
  for (let tile = 0; tile < TILES; tile++) {
    if (!has(draft.grid, tile)) continue
    chamber.terrain[tile] = has(draft.main, tile) || has(draft.taken, tile) ? FLOOR : WALL
  }
  writeGates(chamber)
  for (let i = 0; i < level.flux; i++) {
    chamber.fluxTile[i] = draft.fluxTile[i]!
    chamber.fluxPhase[draft.fluxTile[i]!] = draft.fluxPhase[i]!
  }
  for (let i = 0; i < level.sparks; i++) chamber.sparkTile[i] = draft.spark[i]!
  for (let lap = 0; lap < level.laps; lap++) writeLap(chamber, lap)
}

function writeGates(chamber: Chamber): void {
  let last = -1
  for (let number = 0; number < chamber.gates; number++) {
    const gate = gateAfter(last)
    const plates = plateCount(draft, gate)
    last = draft.gateTile[gate]!
    chamber.gateAt[last] = number
    chamber.gateTile[number] = last
    chamber.plateCount[number] = plates
    chamber.gatePlate[2 * number] = draft.plate[2 * gate]!
    chamber.gatePlate[2 * number + 1] = draft.plate[2 * gate + plates - 1]!
    chamber.gateLap[number] = draft.passer[gate]!
  }
}

/** The gate of the draft that comes next after a tile, in tile order. */
function gateAfter(tile: number): number {
  let first = -1
  for (let gate = 0; gate < draft.level.gates; gate++) {
    const at = draft.gateTile[gate]!
    if (at > tile && (first < 0 || at < draft.gateTile[first]!)) first = gate
  }
  return first
}

function writeLap(chamber: Chamber, lap: number): void {
  const turns = draft.turns[lap]!
  chamber.alcove[lap] = draft.alcove[lap]!
  chamber.keystone[lap] = draft.keystone[lap]!
  chamber.budget[lap] = budgetFor(turns)
  chamber.scriptLength[lap] = turns
  for (let turn = 0; turn < turns; turn++) {
    const at = lap * MOMENTS + turn
    chamber.script[lap * LOG + turn] = inputBetween(draft.path[at]!, draft.path[at + 1]!)
  }
}

function inputBetween(from: number, to: number): number {
  let input = 0
  while (input < WAIT && STEP[input * TILES + from] !== to) input++
  return input
}
