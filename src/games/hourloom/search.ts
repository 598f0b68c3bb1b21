/**
 * Breadth-first search over (tile, turn) with regions: the set of tiles a lap can be on at each point in time,
 * one such row of sets a layer, where a layer is the number of goals behind it.
 *
 * With p the tile of an earlier lap at the points in time t and t + 1, a step from A to B (a wait: B = A) on
 * turn t is taken only if B is neither p(t) nor p(t+1), and A is not p(t+1). In the lap itself the player moves
 * before that echo; replayed, it moves after it; under these conditions both orders give the same result, so
 * no echo ever has to hold. For the same reason a gate counts as open only if its plates are held at t and t + 1.
 */
import type { Draft } from './draft.ts'
import { MOMENTS, plateCount } from './draft.ts'
import { BIT, FULL, NEAR, NOT_EAST_EDGE, NOT_WEST_EDGE, type Region, WORD } from './region.ts'

/** Most layers of a lap: every gate, a keystone in the open, and the way to the exit. */
export const LAYERS = 7
/** [7, MOMENTS, 3] int32 the tiles that can be reached with `layer` goals done, by point in time. */
export const reach: Int32Array = new Int32Array(LAYERS * MOMENTS * 3)
/** [7, 3] int32 the ground that a lap may use in each layer. */
export const ground: Int32Array = new Int32Array(LAYERS * 3)

/** Where the set of a layer at a point in time begins in `reach`. */
export function rowAt(layer: number, moment: number): number {
  return (layer * MOMENTS + moment) * 3
}

/** Whether the set that begins at `row` holds a tile. */
export function reaches(row: number, tile: number): boolean {
  return (reach[row + WORD[tile]!]! & BIT[tile]!) !== 0
}

/** Puts a tile into the set that begins at `row`. */
export function addReach(row: number, tile: number): void {
  reach[row + WORD[tile]!]! |= BIT[tile]!
}

/** [3] int32 the tiles that cannot be entered, and those that cannot be left or stayed on, on the turn in hand. */
const shut: Region = new Int32Array(3)
const pressed: Region = new Int32Array(3)

/** Prepares `advance` for one turn of a lap. */
export function beginTurn(draft: Draft, lap: number, turn: number): void {
  const { crowd, lit, yielded } = draft
  const now = turn * 3
  const phase = (turn & 3) * 3
  for (let i = 0; i < 3; i++) {
    pressed[i] = crowd[now + 3 + i]!
    shut[i] = crowd[now + i]! | crowd[now + 3 + i]! | lit[phase + i]! | yielded[now + 3 + i]!
  }
  const gate = draft.gateOf[lap]!
  if (gate >= 0 && !isHeld(draft, gate, turn)) {
    const tile = draft.gateTile[gate]!
    shut[WORD[tile]!]! |= BIT[tile]!
  }
}

function isHeld(draft: Draft, gate: number, turn: number): boolean {
  const { crowd, plate } = draft
  for (let i = 0; i < plateCount(draft, gate); i++) {
    const tile = plate[2 * gate + i]!
    const at = turn * 3 + WORD[tile]!
    if ((crowd[at]! & crowd[at + 3]! & BIT[tile]!) === 0) return false
  }
  return true
}

/** Adds to a layer's set after the turn whatever can be reached from its set before it. */
export function advance(layer: number, turn: number): void {
  const row = rowAt(layer, turn)
  const x0 = reach[row]! & ~pressed[0]!
  const x1 = reach[row + 1]! & ~pressed[1]!
  const x2 = reach[row + 2]! & ~pressed[2]!
  const y0 = beside(x0) | ((x0 << 9) & FULL) | (x0 >>> 9) | ((x1 & 0x1ff) << 18)
  const y1 = beside(x1) | ((x1 << 9) & FULL) | (x0 >>> 18) | (x1 >>> 9) | ((x2 & 0x1ff) << 18)
  const y2 = beside(x2) | ((x2 << 9) & FULL) | (x1 >>> 18) | (x2 >>> 9)
  const g = layer * 3
  reach[row + 3]! |= y0 & ground[g]! & ~shut[0]!
  reach[row + 4]! |= y1 & ground[g + 1]! & ~shut[1]!
  reach[row + 5]! |= y2 & ground[g + 2]! & ~shut[2]!
}

function beside(x: number): number {
  return x | ((x << 1) & NOT_WEST_EDGE) | ((x >>> 1) & NOT_EAST_EDGE)
}

/** Whether a tile may be left on the turn in hand. */
export function mayLeave(draft: Draft, tile: number, turn: number): boolean {
  return (draft.crowd[(turn + 1) * 3 + WORD[tile]!]! & BIT[tile]!) === 0
}

/** Whether a set is empty. */
export function isEmptyRow(row: number): boolean {
  return (reach[row]! | reach[row + 1]! | reach[row + 2]!) === 0
}

/** Whether a set lies inside the gate and the pocket of a gate. */
export function isInside(draft: Draft, row: number, gate: number): boolean {
  const door = draft.gateTile[gate]!
  let outside = 0
  for (let i = 0; i < 3; i++) {
    const inside = draft.pocket[gate * 3 + i]! | (WORD[door] === i ? BIT[door]! : 0)
    outside |= reach[row + i]! & ~inside
  }
  return outside === 0
}

/** Whether a set holds a tile in front of a gate. */
export function isBefore(draft: Draft, row: number, gate: number): boolean {
  const near = draft.gateTile[gate]! * 3
  let front = 0
  for (let i = 0; i < 3; i++) front |= reach[row + i]! & NEAR[near + i]! & ~draft.pocket[gate * 3 + i]!
  return front !== 0
}
