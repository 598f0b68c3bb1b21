import type { LineSet, TrayBoard } from './board.ts'
import { fitPlan } from './fit-plan.ts'
import { SHAPES_8 } from './shapes.ts'

/*
 * 8x8 in two words: rows 0..3 in the first, rows 4..7 in the second, bit (row % 4) * 8 + col. Shifting a
 * board right by row * 8 + col brings the cell at that distance onto the anchor; rows beyond the bottom come
 * in as zeros, and columns beyond the right edge are cut off by the plan's column masks.
 */

/** Words of an 8x8 board. */
export const WORDS_8 = 2
/** Words of an 8x8 scan: ten entries of two words, in the order of `SCANNED`. */
export const SCAN_WORDS_8 = 20

/** Where the tray and the anchors are in a state's words; a game's own words follow. */
export const TRAY_8 = WORDS_8
export const ANCHORS_8 = TRAY_8 + 3
export const EXTRA_8 = ANCHORS_8 + 3 * WORDS_8

const PLAN = fitPlan(SHAPES_8, 8, 4, WORDS_8)
const TERMS = PLAN.terms
const COLUMNS = PLAN.columns
const PLACED = placedCells()

/** [37, 64, 2] int32: the board words of each piece at each position, as far as it lies on the board. */
function placedCells(): Int32Array {
  const placed = new Int32Array(SHAPES_8.length * 64 * WORDS_8)
  for (const shape of SHAPES_8) {
    for (let position = 0; position < 64; position++) {
      for (const [r, bits] of shape.rows.entries()) {
        const row = (position >> 3) + r
        if (row < 8) {
          const word = (shape.index * 64 + position) * WORDS_8 + (row >> 2)
          placed[word]! |= ((bits << (position & 7)) & 0xff) << ((row & 3) * 8)
        }
      }
    }
  }
  return placed
}

/** Finds the runs of empty cells of an 8x8 board. */
export function scan8(board: Int32Array, scan: Int32Array): void {
  const e0 = ~board[0]!
  const e1 = ~board[1]!
  scan[0] = e0
  scan[1] = e1
  const h20 = e0 & (e0 >>> 1)
  const h21 = e1 & (e1 >>> 1)
  scan[2] = h20
  scan[3] = h21
  const h30 = h20 & (e0 >>> 2)
  const h31 = h21 & (e1 >>> 2)
  scan[4] = h30
  scan[5] = h31
  scan[6] = h20 & (h20 >>> 2)
  scan[7] = h21 & (h21 >>> 2)
  scan[8] = h30 & (h20 >>> 3)
  scan[9] = h31 & (h21 >>> 3)
  const v20 = e0 & ((e0 >>> 8) | (e1 << 24))
  const v21 = e1 & (e1 >>> 8)
  scan[10] = v20
  scan[11] = v21
  scan[12] = v20 & ((e0 >>> 16) | (e1 << 16))
  scan[13] = v21 & (e1 >>> 16)
  const v40 = v20 & ((v20 >>> 16) | (v21 << 16))
  const v41 = v21 & (v21 >>> 16)
  scan[14] = v40
  scan[15] = v41
  scan[16] = v40 & e1
  scan[17] = 0
  scan[18] = h30 & ((h30 >>> 8) | (h31 << 24))
  scan[19] = h31 & (h31 >>> 8)
}

/** The legal anchors of a piece on a scanned 8x8 board: words `at` and `at + 1` of `out`; 0 when none. */
export function anchors8(scan: Int32Array, piece: number, out: Int32Array, at: number): number {
  const term = piece * 4
  const a = TERMS[term]!
  const shiftA = TERMS[term + 1]!
  const b = TERMS[term + 2]!
  const shiftB = TERMS[term + 3]!
  const columns = COLUMNS[piece]!
  const a1 = scan[a + 1]!
  const b1 = scan[b + 1]!
  // `(x << 1) << (31 - shift)` is `x << (32 - shift)` that also holds for a shift of 0.
  const low =
    ((scan[a]! >>> shiftA) | ((a1 << 1) << (31 - shiftA))) &
    ((scan[b]! >>> shiftB) | ((b1 << 1) << (31 - shiftB))) &
    columns
  const high = (a1 >>> shiftA) & (b1 >>> shiftB) & columns
  out[at] = low
  out[at + 1] = high
  return low | high
}

/** The legal anchors of a state's tray, zeros for spent slots; 0 when there is none. */
export function trayAnchors8(scan: Int32Array, words: Int32Array): number {
  let any = 0
  for (let slot = 0; slot < 3; slot++) {
    const piece = words[TRAY_8 + slot]!
    const at = ANCHORS_8 + slot * WORDS_8
    if (piece !== 0) any |= anchors8(scan, piece - 1, words, at)
    else {
      words[at] = 0
      words[at + 1] = 0
    }
  }
  return any
}

/** Fills the cells of a piece. */
export function place8(board: Int32Array, piece: number, position: number): void {
  const at = ((piece << 6) + position) << 1
  board[0]! |= PLACED[at]!
  board[1]! |= PLACED[at + 1]!
}

/** Empties every full row and column of an 8x8 board at once. */
export function clear8(board: Int32Array): LineSet {
  const low = board[0]!
  const high = board[1]!
  // Folding ANDs a row's eight bits into its first one, and the eight rows into one byte.
  let rows0 = low & (low >>> 1)
  let rows1 = high & (high >>> 1)
  rows0 &= rows0 >>> 2
  rows1 &= rows1 >>> 2
  rows0 &= (rows0 >>> 4) & 0x01010101
  rows1 &= (rows1 >>> 4) & 0x01010101
  let columns = low & high
  columns &= columns >>> 16
  columns &= (columns >>> 8) & 0xff
  if ((rows0 | rows1 | columns) === 0) return 0
  const across = Math.imul(columns, 0x01010101)
  board[0] = low & ~(Math.imul(rows0, 0xff) | across)
  board[1] = high & ~(Math.imul(rows1, 0xff) | across)
  return (gatherRows(rows1) << 12) | (gatherRows(rows0) << 8) | columns
}

/** Bits 0, 8, 16 and 24 brought together as bits 0 to 3. */
function gatherRows(rows: number): number {
  return Math.imul(rows, 0x10204080) >>> 28
}

/** The 8x8 board with its 37 pieces. */
export const BOARD_8: TrayBoard = {
  size: 8,
  words: WORDS_8,
  trayAt: TRAY_8,
  anchorsAt: ANCHORS_8,
  extraAt: EXTRA_8,
  scanWords: SCAN_WORDS_8,
  shapes: SHAPES_8,
  has: (words, at, position) => ((words[at + (position >> 5)]! >>> (position & 31)) & 1) === 1,
  scan: scan8,
  anchors: anchors8,
  trayAnchors: trayAnchors8,
  place: place8,
  clear: clear8,
  isEmpty: (board) => (board[0]! | board[1]!) === 0,
  fill: (board, position) => {
    board[position >> 5]! |= 1 << (position & 31)
  },
}
