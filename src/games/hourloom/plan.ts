/** The script of a draft: laps planned one after the other, each fixed before the next. */
import { HORIZON } from './chamber.ts'
import { MAX_GATES } from './difficulty.ts'
import { type Draft, MOMENTS, plateCount } from './draft.ts'
import { add, BIT, type Region, WORD } from './region.ts'
import { HOPELESS, schedule, timetable } from './schedule.ts'
import {
  addReach,
  advance,
  beginTurn,
  ground,
  isBefore,
  isEmptyRow,
  isInside,
  LAYERS,
  mayLeave,
  reach,
  reaches,
  rowAt,
} from './search.ts'
import { STEP, TILES } from './tiles.ts'

/** Kinds of goals: enter a tile in the open, enter a gated keystone, or stand on a plate for a while. */
const VISIT = 0
const PASS = 1
const HOLD = 2

/** Points in time up to which nobody enters the alcove of a later lap. */
const ALCOVE_PEACE = 3
/** Points in time before a meeting at which an earlier lap stays off a plate that a later one will hold. */
const PLATE_PEACE = 3
/** Times that the laps are planned with one schedule. */
const PLANS = 8
/** Turns that a meeting is widened by, and most that it is put off by at once. */
const MORE_TURNS = 2
const MOST_LATE = 12

const goalKind = new Uint8Array(LAYERS)
const goalTile = new Uint8Array(LAYERS)
const goalGate = new Int8Array(LAYERS)
let goals = 0

const delay = new Int32Array(MAX_GATES)
const widen = new Int32Array(MAX_GATES)

/** Plans every lap of a draft by the schedule in hand, giving meetings more time where needed; false when it fails. */
export function planLaps(draft: Draft): boolean {
  delay.fill(0)
  widen.fill(0)
  for (let plan = 0; plan < PLANS; plan++) {
    if (timetable(draft, delay, widen) >= HOPELESS) return false
    draft.crowd.fill(0)
    let lap = 0
    while (lap < draft.level.laps && planLap(draft, lap)) lap++
    if (lap === draft.level.laps) return true
    if (!giveTime()) return false
  }
  return false
}

/** The gate whose meeting a failed lap could not keep (-1: none), and by how many turns it came late (0: in time). */
let failedGate = -1
let failedLate = 0

function giveTime(): boolean {
  if (failedGate < 0) return false
  if (failedLate > 0) delay[failedGate]! += failedLate
  else widen[failedGate]! += MORE_TURNS
  return true
}

function planLap(draft: Draft, lap: number): boolean {
  listGoals(draft, lap)
  prepareGround(draft)
  yieldTiles(draft, lap)
  const turns = search(draft, lap)
  if (turns < 0) return false
  draft.turns[lap] = turns
  trace(draft, lap, turns)
  // Nobody comes after the last lap, and what is searched in it later must not meet itself.
  if (lap + 1 < draft.level.laps) {
    for (let t = 0; t <= turns; t++) {
      const tile = draft.path[lap * MOMENTS + t]!
      draft.crowd[t * 3 + WORD[tile]!]! |= BIT[tile]!
    }
  }
  return true
}

function listGoals(draft: Draft, lap: number): void {
  goals = 0
  const open = draft.gateOf[lap]! < 0
  if (open && schedule.keystoneLast[lap] === 0) pushGoal(VISIT, draft.keystone[lap]!, -1)
  for (let i = 0; i < draft.level.gates; i++) {
    const gate = schedule.order[i]!
    if (draft.passer[gate] === lap) pushGoal(PASS, draft.deepest[gate]!, gate)
    for (let k = 0; k < plateCount(draft, gate); k++) {
      if (schedule.holder[2 * gate + k] === lap) pushGoal(HOLD, draft.plate[2 * gate + k]!, gate)
    }
  }
  if (open && schedule.keystoneLast[lap] === 1) pushGoal(VISIT, draft.keystone[lap]!, -1)
}

function pushGoal(kind: number, tile: number, gate: number): void {
  goalKind[goals] = kind
  goalTile[goals] = tile
  goalGate[goals++] = gate
}

const place: Region = new Int32Array(3)

/** The open everywhere; a goal's own ground on the way to it and away from it; the exit when all is done. */
function prepareGround(draft: Draft): void {
  for (let layer = 0; layer <= goals; layer++) ground.set(draft.walk, layer * 3)
  for (let goal = 0; goal < goals; goal++) {
    place.fill(0)
    add(place, goalTile[goal]!)
    if (goalKind[goal] === PASS) {
      const gate = goalGate[goal]!
      add(place, draft.gateTile[gate]!)
      for (let i = 0; i < 3; i++) place[i]! |= draft.pocket[gate * 3 + i]!
    }
    for (let i = 0; i < 6; i++) ground[goal * 3 + i]! |= place[i % 3]!
  }
  ground[goals * 3 + WORD[draft.exit]!]! |= BIT[draft.exit]!
}

/** Leaves the alcoves of later laps free at first, and the plates that later laps hold around their meetings. */
function yieldTiles(draft: Draft, lap: number): void {
  const { level, yielded } = draft
  yielded.fill(0)
  for (let later = lap + 1; later < level.laps; later++) {
    for (let t = 1; t <= ALCOVE_PEACE; t++) yieldTile(yielded, draft.alcove[later]!, t)
  }
  for (let gate = 0; gate < level.gates; gate++) {
    for (let i = 0; i < plateCount(draft, gate); i++) {
      if (schedule.holder[2 * gate + i]! <= lap) continue
      const from = Math.max(0, draft.start[gate]! - PLATE_PEACE)
      for (let t = from; t <= draft.end[gate]!; t++) yieldTile(yielded, draft.plate[2 * gate + i]!, t)
    }
  }
}

function yieldTile(yielded: Int32Array, tile: number, moment: number): void {
  yielded[moment * 3 + WORD[tile]!]! |= BIT[tile]!
}

/** The turns of the shortest lap through all goals, or -1 with the reason in `failedGate`. */
function search(draft: Draft, lap: number): number {
  reach.fill(0, 0, rowAt(goals + 1, 0))
  addReach(rowAt(0, 0), draft.alcove[lap]!)
  let lowest = 0
  for (let turn = 0; turn < HORIZON; turn++) {
    beginTurn(draft, lap, turn)
    for (let layer = lowest; layer <= goals; layer++) {
      const row = rowAt(layer, turn)
      if (layer < goals) {
        const there = reaches(row, goalTile[layer]!)
        const gate = goalGate[layer]!
        if (goalKind[layer] !== HOLD) {
          if (there) addReach(rowAt(layer + 1, turn), goalTile[layer]!)
          if (goalKind[layer] === PASS && isMissed(draft, layer, turn)) return fail(draft, lap, layer, turn)
        } else if (turn === draft.start[gate]) {
          if (!there) return fail(draft, lap, layer, turn)
          addReach(rowAt(layer + 1, draft.end[gate]!), goalTile[layer]!)
          lowest = layer + 1
          continue
        }
      }
      if (!isEmptyRow(row)) advance(layer, turn)
    }
    if (reaches(rowAt(goals, turn + 1), draft.exit)) return turn + 1
  }
  return fail(draft, lap, goals, HORIZON - 1)
}

/** Whether a passer has missed its meeting: not been to the keystone, or not come out again. */
function isMissed(draft: Draft, layer: number, turn: number): boolean {
  const gate = goalGate[layer]!
  const row = rowAt(layer + 1, turn)
  if (turn === draft.end[gate]) return isEmptyRow(row)
  return turn === draft.end[gate]! + 2 && isInside(draft, row, gate)
}

/** Finds out what kept a lap from a layer: the gate it waits for or is shut in by, or the way to its plate. */
function fail(draft: Draft, lap: number, wanted: number, turn: number): number {
  let layer = wanted
  while (layer > 0 && isEmptyRow(rowAt(layer, turn))) layer--
  const behind = layer - 1
  failedGate = layer < goals ? goalGate[layer]! : -1
  failedLate = 0
  if (behind >= 0 && goalKind[behind] === PASS && isInside(draft, rowAt(layer, turn), goalGate[behind]!)) {
    failedGate = goalGate[behind]!
  } else if (layer < goals && goalKind[layer] === PASS) {
    failedLate = passerLate(draft, lap, layer, turn)
  } else if (layer < goals && goalKind[layer] === HOLD) {
    failedLate = holderLate(draft, lap, layer, turn)
  }
  return -1
}

/** How many turns late a passer comes before its gate; 0 or less: in time. Gives up when it does not come soon. */
function passerLate(draft: Draft, lap: number, layer: number, turn: number): number {
  const gate = goalGate[layer]!
  for (let t = 0; t <= turn + MOST_LATE; t++) {
    if (isBefore(draft, rowAt(layer, t), gate)) return t - draft.start[gate]!
    if (t >= turn) walkOn(draft, lap, layer, t)
  }
  failedGate = -1
  return 0
}

/** How many turns late a holder comes to its plate. Gives up when it does not come soon. */
function holderLate(draft: Draft, lap: number, layer: number, turn: number): number {
  for (let late = 1; late <= MOST_LATE; late++) {
    walkOn(draft, lap, layer, turn + late - 1)
    if (reaches(rowAt(layer, turn + late), goalTile[layer]!)) return late
  }
  failedGate = -1
  return 0
}

function walkOn(draft: Draft, lap: number, layer: number, turn: number): void {
  beginTurn(draft, lap, turn)
  advance(layer, turn)
}

/** Walks back from the exit; waiting is preferred, so a lap goes where it is needed and waits there. */
function trace(draft: Draft, lap: number, turns: number): void {
  const { path } = draft
  const at = lap * MOMENTS
  let layer = goals
  let moment = turns
  let tile = draft.exit
  path[at + moment] = tile
  draft.doneAt[lap] = 0
  for (;;) {
    const behind = layer - 1
    if (layer > 0 && tile === goalTile[behind]) {
      const gate = goalGate[behind]!
      if (goalKind[behind] === HOLD ? moment === draft.end[gate] : reaches(rowAt(behind, moment), tile)) {
        if (layer === goals) draft.doneAt[lap] = moment
        const since = goalKind[behind] === HOLD ? draft.start[gate]! : moment
        while (moment > since) path[at + --moment] = tile
        layer = behind
        continue
      }
    }
    if (moment === 0) return
    tile = predecessor(draft, layer, moment, tile)
    path[at + --moment] = tile
  }
}

function predecessor(draft: Draft, layer: number, moment: number, tile: number): number {
  const row = rowAt(layer, moment - 1)
  if (reaches(row, tile) && mayLeave(draft, tile, moment - 1)) return tile
  for (let input = 0; input < 4; input++) {
    const from = STEP[input * TILES + tile]!
    if (from >= 0 && reaches(row, from) && mayLeave(draft, from, moment - 1)) return from
  }
  // Not reached; if it were, the replay in the real rules would refuse the draw.
  return tile
}
