/**
 * Meetings. A gate is passed while one or two earlier laps stand on its plates; all of them are busy at once,
 * from the turn on which the passer steps in until it is back on the gate tile: two entries, 2d + 2 turns for a
 * keystone d tiles behind the gate. A schedule says in which order the meetings happen, who holds, and whether
 * a lap with a keystone in the open takes it first or last. It is costed from plain distances.
 */
import { HORIZON } from './chamber.ts'
import { MAX_GATES, MAX_LAPS } from './difficulty.ts'
import {
  type Draft,
  EXIT_STATION,
  GATE_STATION,
  KEYSTONE_STATION,
  PLATE_STATION,
  plateCount,
} from './draft.ts'
import { NO_TILE, TILES } from './tiles.ts'

/** Who does what in which order. */
export interface Schedule {
  /** [5] gates in the order of their meetings. */
  readonly order: Uint8Array
  /** [5, 2] the laps that hold a gate's plates. */
  readonly holder: Uint8Array
  /** [6] 1 where a keystone in the open is taken last. */
  readonly keystoneLast: Uint8Array
  /** The turns of all laps together by plain distances, and more for laps near the horizon. */
  cost: number
}

/** How many schedules a draft is tried with. */
export const SCHEDULES = 3
/** Steps of the climb for each gate. */
const CLIMB_STEPS = 12
/** Cost of a schedule in which a lap passes the horizon even by plain distances. */
export const HOPELESS = 10_000
/** Turns that a meeting starts after the last one arrives by plain distance, for making way. */
const SLACK = 2
const COMFORTABLE_TURNS = 56

/** The schedule in hand. */
export const schedule: Schedule = createSchedule()

function createSchedule(): Schedule {
  return {
    order: new Uint8Array(MAX_GATES),
    holder: new Uint8Array(2 * MAX_GATES),
    keystoneLast: new Uint8Array(MAX_LAPS),
    cost: 0,
  }
}

const noDelay = new Int32Array(MAX_GATES)

/** Fills `schedule` by a short climb from a random start. */
export function findSchedule(draft: Draft): void {
  drawSchedule(draft)
  schedule.cost = timetable(draft, noDelay, noDelay)
  const steps = CLIMB_STEPS * draft.level.gates
  for (let step = 0; step < steps; step++) {
    change(draft)
    const cost = timetable(draft, noDelay, noDelay)
    if (cost <= schedule.cost) schedule.cost = cost
    else undo()
  }
}

function drawSchedule(draft: Draft): void {
  const { random, level } = draft
  // Whatever an earlier chamber left here must not count as the other holder.
  schedule.holder.fill(NO_TILE)
  for (let i = 0; i < level.gates; i++) {
    const k = random.below(i + 1)
    schedule.order[i] = schedule.order[k]!
    schedule.order[k] = i
    drawHolder(draft, i, 0)
    if (plateCount(draft, i) === 2) drawHolder(draft, i, 1)
  }
  for (let lap = 0; lap < level.laps; lap++) schedule.keystoneLast[lap] = random.below(2)
}

/** Draws one of a gate's holders among the laps before its passer, other than the other holder. */
function drawHolder(draft: Draft, gate: number, which: number): void {
  const laps = draft.passer[gate]!
  const at = 2 * gate + which
  if (plateCount(draft, gate) === 1) {
    schedule.holder[at] = draft.random.below(laps)
    return
  }
  const other = schedule.holder[2 * gate + 1 - which]!
  const lap = draft.random.below(laps)
  schedule.holder[at] = lap === other ? (lap + 1) % laps : lap
}

/** What the last change overwrote: two meetings exchanged, a holder, or a keystone. */
let changed = 0
let changedAt = 0
let changedFrom = 0

const EXCHANGE = 0
const REPLACE = 1
const REVERSE = 2

function change(draft: Draft): void {
  const { random, level } = draft
  const kind = random.below(level.gates > 1 ? 5 : 3)
  if (kind >= 3) {
    changed = EXCHANGE
    changedAt = random.below(level.gates)
    changedFrom = random.below(level.gates)
    exchangeMeetings()
  } else if (kind >= 1) {
    const gate = random.below(level.gates)
    const which = random.below(plateCount(draft, gate))
    changed = REPLACE
    changedAt = 2 * gate + which
    changedFrom = schedule.holder[changedAt]!
    drawHolder(draft, gate, which)
  } else {
    changed = REVERSE
    changedAt = random.below(level.laps)
    schedule.keystoneLast[changedAt]! ^= 1
  }
}

function undo(): void {
  if (changed === EXCHANGE) exchangeMeetings()
  else if (changed === REPLACE) schedule.holder[changedAt] = changedFrom
  else schedule.keystoneLast[changedAt]! ^= 1
}

function exchangeMeetings(): void {
  const gate = schedule.order[changedAt]!
  schedule.order[changedAt] = schedule.order[changedFrom]!
  schedule.order[changedFrom] = gate
}

const time = new Int32Array(MAX_LAPS)
const place = new Uint8Array(MAX_LAPS)

/**
 * Writes the turns on which each meeting starts and ends into the draft and returns the cost. `delay` puts
 * meetings off, `widen` makes them last longer.
 */
export function timetable(draft: Draft, delay: Int32Array, widen: Int32Array): number {
  const { level, start, end, depth } = draft
  for (let lap = 0; lap < level.laps; lap++) {
    time[lap] = 0
    place[lap] = draft.alcove[lap]!
    if (draft.gateOf[lap]! < 0 && schedule.keystoneLast[lap] === 0) visitKeystone(draft, lap)
  }
  for (let i = 0; i < level.gates; i++) {
    const gate = schedule.order[i]!
    const begin = arrival(draft, gate) + SLACK + delay[gate]!
    start[gate] = begin
    end[gate] = begin + 2 * depth[gate]! + 1 + widen[gate]!
    leave(draft, gate)
  }
  let cost = 0
  for (let lap = 0; lap < level.laps; lap++) {
    if (draft.gateOf[lap]! < 0 && schedule.keystoneLast[lap] === 1) visitKeystone(draft, lap)
    const turns = time[lap]! + draft.distance[EXIT_STATION * TILES + place[lap]!]!
    cost += turns
    if (turns > COMFORTABLE_TURNS) cost += 8 * (turns - COMFORTABLE_TURNS)
    if (turns > HORIZON) cost += HOPELESS
  }
  return cost
}

function visitKeystone(draft: Draft, lap: number): void {
  time[lap]! += draft.distance[(KEYSTONE_STATION + lap) * TILES + place[lap]!]!
  place[lap] = draft.keystone[lap]!
}

/** The first turn on which everyone can be there: holders on their plates, the passer before the gate. */
function arrival(draft: Draft, gate: number): number {
  const { distance, passer } = draft
  const lap = passer[gate]!
  let latest = time[lap]! + distance[(GATE_STATION + gate) * TILES + place[lap]!]! - 1
  for (let i = 0; i < plateCount(draft, gate); i++) {
    const holder = schedule.holder[2 * gate + i]!
    const there = time[holder]! + distance[(PLATE_STATION + 2 * gate + i) * TILES + place[holder]!]!
    if (there > latest) latest = there
  }
  return latest
}

function leave(draft: Draft, gate: number): void {
  const lap = draft.passer[gate]!
  time[lap] = draft.end[gate]!
  place[lap] = draft.gateTile[gate]!
  for (let i = 0; i < plateCount(draft, gate); i++) {
    const holder = schedule.holder[2 * gate + i]!
    time[holder] = draft.end[gate]!
    place[holder] = draft.plate[2 * gate + i]!
  }
}
