/** The board of a state: landing, filling, clearing, and what is legal on it. */
import {
  CELL_COL,
  CELL_ROW,
  COLUMN_BOTTOM,
  COLUMN_TOP,
  COLUMNS,
  FULL_ROW,
  OPEN_MASK,
  ROTATIONS,
  ROWS,
  SHAPE_HEIGHT,
  SHAPE_OF,
  SPAN,
} from './pieces.ts'
import type { StackcraftState } from './state.ts'

/** The row at which a shape dropped in column x, clear of everything at y = 0, comes to rest. */
export function landingRow(state: StackcraftState, shape: number, x: number): number {
  const { tops } = state
  const base = shape * SPAN
  const y = Math.min(
    tops[x]! - COLUMN_BOTTOM[base]! - 1,
    tops[x + 1]! - COLUMN_BOTTOM[base + 1]! - 1,
    tops[x + 2]! - COLUMN_BOTTOM[base + 2]! - 1,
    tops[x + 3]! - COLUMN_BOTTOM[base + 3]! - 1,
  )
  // Below zero, some block is above a cell of the shape, so that its column's top says nothing.
  return y >= 0 ? y : dropByRows(state, shape, x)
}

function dropByRows(state: StackcraftState, shape: number, x: number): number {
  let y = 0
  while (y + SHAPE_HEIGHT[shape]! < ROWS && isFree(state, shape, x, y + 1)) y++
  return y
}

function isFree({ rows }: StackcraftState, shape: number, x: number, y: number): boolean {
  for (let i = shape * 4; i < shape * 4 + 4; i++) {
    if (rows[y + CELL_ROW[i]!]! & (1 << (x + CELL_COL[i]!))) return false
  }
  return true
}

/** Fills the cells of the current piece; `colour` is what the observed board shows for it. */
export function fill(state: StackcraftState, shape: number, x: number, y: number, colour: number): void {
  const { cells, nibbles, rows, tops, current } = state
  const base = shape * 4
  for (let i = base; i < base + 4; i++) {
    const row = y + CELL_ROW[i]!
    const col = x + CELL_COL[i]!
    rows[row]! |= 1 << col
    cells[row * COLUMNS + col] = colour
    nibbles[row * (COLUMNS / 2) + (col >> 1)]! |= current << ((col & 1) * 4)
  }
  for (let col = 0; col < SPAN; col++) {
    tops[x + col] = Math.min(tops[x + col]!, y + COLUMN_TOP[base + col]!)
  }
}

/** Removes the full rows among the four from `y` down and returns how many there were. */
export function clearRows(state: StackcraftState, y: number): number {
  const { rows } = state
  const some =
    rows[y] === FULL_ROW || rows[y + 1] === FULL_ROW || rows[y + 2] === FULL_ROW || rows[y + 3] === FULL_ROW
  if (!some) return 0
  let cleared = 0
  for (let row = y; row < y + SPAN; row++) {
    // Rows further down are not moved by this, so going downwards clears all of them as if at once.
    if (rows[row] === FULL_ROW) {
      removeRow(state, row)
      cleared++
    }
  }
  findTops(state)
  return cleared
}

function removeRow({ cells, nibbles, rows }: StackcraftState, row: number): void {
  rows.copyWithin(1, 0, row)
  rows[0] = 0
  cells.copyWithin(COLUMNS, 0, row * COLUMNS)
  cells.fill(0, 0, COLUMNS)
  nibbles.copyWithin(COLUMNS / 2, 0, (row * COLUMNS) / 2)
  nibbles.fill(0, 0, COLUMNS / 2)
}

/** Finds the column tops from the rows. */
export function findTops({ rows, tops }: StackcraftState): void {
  tops.fill(ROWS)
  let seen = 0
  for (let row = 0; row < ROWS && seen !== FULL_ROW; row++) {
    const fresh = rows[row]! & ~seen
    if (fresh === 0) continue
    seen |= fresh
    for (let col = 0; col < COLUMNS; col++) if ((fresh >> col) & 1) tops[col] = row
  }
}

/** [8 * ROTATIONS] uint8 SHAPE_OF with any shape for rotations that a piece lacks: the open mask has none there. */
const SPAWN_SHAPE = Uint8Array.from(SHAPE_OF, (shape) => Math.max(shape, 0))

/** Finds the legal actions of the current piece, and whether the game is over. */
export function findLegal(state: StackcraftState): void {
  const { rows, current } = state
  let low = OPEN_MASK[current * 2]!
  let high = OPEN_MASK[current * 2 + 1]!
  if ((rows[0]! | rows[1]! | rows[2]! | rows[3]!) !== 0) {
    const base = current * ROTATIONS
    const blocked0 = blockedColumns(rows, SPAWN_SHAPE[base]!)
    const blocked1 = blockedColumns(rows, SPAWN_SHAPE[base + 1]!)
    const blocked2 = blockedColumns(rows, SPAWN_SHAPE[base + 2]!)
    const blocked3 = blockedColumns(rows, SPAWN_SHAPE[base + 3]!)
    low &= ~(blocked0 | (blocked1 << 10) | (blocked2 << 20) | (blocked3 << 30))
    high &= ~(blocked3 >> 2)
    state.over = (low | high) === 0
  }
  state.legalLow = low
  state.legalHigh = high
}

/** The columns x at which some cell of a shape at y = 0 is on a filled one, as bits. */
function blockedColumns(rows: Uint16Array, shape: number): number {
  const i = shape * 4
  return (
    ((rows[CELL_ROW[i]!]! >> CELL_COL[i]!) |
      (rows[CELL_ROW[i + 1]!]! >> CELL_COL[i + 1]!) |
      (rows[CELL_ROW[i + 2]!]! >> CELL_COL[i + 2]!) |
      (rows[CELL_ROW[i + 3]!]! >> CELL_COL[i + 3]!)) &
    FULL_ROW
  )
}
