import { COLUMNS, FULL_ROW, ROWS } from './pieces.ts'

/*
 * Features of a board that the literature on this game knows to matter, found on rows of ten bits. A column's
 * surface is its highest filled cell; a cell is open when nothing is filled above it in its column.
 *
 *     . . # .        the first column is a well of depth 2 (both sides filled or wall, open),
 *     . # # #        the second row is ready (one open cell missing),
 *     . # . #        the third holds a hole in the third column, under 2 filled cells
 */

/** The features, in the order of `writeFeatures`. */
export const FEATURES = [
  'row_transitions',
  'column_transitions',
  'holes',
  'wells',
  'hole_depth',
  'rows_with_holes',
  'height',
  'ready_rows',
  'aggregate_height',
  'bumpiness',
  'over_ten',
  'deepest_well',
] as const

const LEFT_WALL = 1
const RIGHT_WALL = 1 << (COLUMNS - 1)
const BITS = Uint8Array.from({ length: 1 << (COLUMNS + 1) }, (_, word) => {
  let bits = 0
  for (let rest = word; rest !== 0; rest &= rest - 1) bits++
  return bits
})

/** [COLUMNS] uint8 rows that are ready but for this column, and the depth of its well so far. */
const ready = new Uint8Array(COLUMNS)
const depth = new Uint8Array(COLUMNS)

/** Writes the features of the board whose 20 rows begin at `at`; bit x of a row is column x. */
export function writeFeatures(rows: Uint16Array, at: number, out: Int32Array): void {
  out.fill(0)
  ready.fill(0)
  depth.fill(0)
  let covered = 0
  for (let row = 0; row < ROWS; row++) {
    const filled = rows[at + row]!
    covered |= filled
    if (covered === 0) continue
    const walled = (filled << 1) | 1 | (1 << (COLUMNS + 1))
    const holes = BITS[covered & ~filled]!
    out[0]! += BITS[(walled ^ (walled >> 1)) & ((1 << (COLUMNS + 1)) - 1)]!
    out[1]! += BITS[filled ^ (row + 1 < ROWS ? rows[at + row + 1]! : FULL_ROW)]!
    out[2]! += holes
    if (holes > 0) out[5]!++
    out[6]!++
    out[8]! += BITS[covered]!
    out[9]! += BITS[(covered ^ (covered >> 1)) & (FULL_ROW >> 1)]!
    addOpen(filled, covered, out)
  }
  out[4] = holeDepth(rows, at)
  const over = Math.max(0, out[6]! - 10)
  out[10] = over * over
}

/** Counts wells and ready rows: both are open cells of a row that reaches the surface. */
function addOpen(filled: number, covered: number, out: Int32Array): void {
  const open = FULL_ROW & ~covered
  const wells = open & ((filled << 1) | LEFT_WALL) & ((filled >> 1) | RIGHT_WALL)
  for (let col = 0; col < COLUMNS; col++) {
    if (((wells >> col) & 1) === 0) {
      depth[col] = 0
      continue
    }
    const deep = ++depth[col]!
    out[3]! += deep
    if (deep > out[11]!) out[11] = deep
    if ((filled | (1 << col)) === FULL_ROW && ++ready[col]! > out[7]!) out[7] = ready[col]!
  }
}

/** Filled cells with a hole anywhere below them in their column. */
function holeDepth(rows: Uint16Array, at: number): number {
  let covered = 0
  for (let row = 0; row < ROWS; row++) covered |= rows[at + row]!
  let below = 0
  let count = 0
  for (let row = ROWS - 1; row >= 0; row--) {
    const filled = rows[at + row]!
    count += BITS[filled & below]!
    // An empty cell is a hole only where something is filled above it; cells above the surface never count here.
    below |= covered & ~filled
  }
  return count
}
