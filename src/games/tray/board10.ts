import type { LineSet, TrayBoard } from './board.ts'
import { fitPlan } from './fit-plan.ts'
import { SHAPES_10 } from './shapes.ts'

/*
 * 10x10 in four words of 30 bits: rows 0..2, 3..5, 6..8 and 9, bit (row % 3) * 10 + col. No row is split
 * between words and no word uses bit 31; a shift by less than three rows takes from one following word.
 */

/** Words of a 10x10 board. */
export const WORDS_10 = 4
/** Words of a 10x10 scan: ten entries of four words, in the order of `SCANNED`. */
export const SCAN_WORDS_10 = 40

/** Where the tray and the anchors are in a state's words; a game's own words follow. */
export const TRAY_10 = WORDS_10
export const ANCHORS_10 = TRAY_10 + 3
export const EXTRA_10 = ANCHORS_10 + 3 * WORDS_10

const WORD = 0x3fffffff
const LAST_ROW = 0x3ff
/** The lower nine columns of the three rows of a word, and the tenth. */
const NINE = 0x1ff7fdff
const TENTH = 0x20080200

const PLAN = fitPlan(SHAPES_10, 10, 3, WORDS_10)
const TERMS = PLAN.terms
const COLUMNS = PLAN.columns
const PLACED = placedCells()

/** [19, 100, 4] int32: the board words of each piece at each position, as far as it lies on the board. */
function placedCells(): Int32Array {
  const placed = new Int32Array(SHAPES_10.length * 100 * WORDS_10)
  for (const shape of SHAPES_10) {
    for (let position = 0; position < 100; position++) {
      for (const [r, bits] of shape.rows.entries()) {
        const row = Math.floor(position / 10) + r
        if (row < 10) {
          const word = (shape.index * 100 + position) * WORDS_10 + Math.floor(row / 3)
          placed[word]! |= ((bits << (position % 10)) & LAST_ROW) << ((row % 3) * 10)
        }
      }
    }
  }
  return placed
}

/** Entry `entry` = entry `a` AND entry `b` moved by `columns` to the left. */
function across(scan: Int32Array, entry: number, a: number, b: number, columns: number): void {
  scan[entry] = scan[a]! & (scan[b]! >>> columns)
  scan[entry + 1] = scan[a + 1]! & (scan[b + 1]! >>> columns)
  scan[entry + 2] = scan[a + 2]! & (scan[b + 2]! >>> columns)
  scan[entry + 3] = scan[a + 3]! & (scan[b + 3]! >>> columns)
}

/** Entry `entry` = entry `a` AND entry `b` moved up by one row (`bits` 10) or two (20). */
function down(scan: Int32Array, entry: number, a: number, b: number, bits: number): void {
  const b1 = scan[b + 1]!
  const b2 = scan[b + 2]!
  const b3 = scan[b + 3]!
  scan[entry] = scan[a]! & ((scan[b]! >>> bits) | (b1 << (30 - bits)))
  scan[entry + 1] = scan[a + 1]! & ((b1 >>> bits) | (b2 << (30 - bits)))
  scan[entry + 2] = scan[a + 2]! & ((b2 >>> bits) | (b3 << (30 - bits)))
  scan[entry + 3] = scan[a + 3]! & (b3 >>> bits)
}

/** Finds the runs of empty cells of a 10x10 board. */
export function scan10(board: Int32Array, scan: Int32Array): void {
  scan[0] = ~board[0]! & WORD
  scan[1] = ~board[1]! & WORD
  scan[2] = ~board[2]! & WORD
  scan[3] = ~board[3]! & LAST_ROW
  across(scan, 4, 0, 0, 1)
  across(scan, 8, 4, 0, 2)
  across(scan, 12, 4, 4, 2)
  across(scan, 16, 8, 4, 3)
  down(scan, 20, 0, 0, 10)
  down(scan, 24, 20, 0, 20)
  down(scan, 28, 20, 20, 20)
  down(scan, 32, 24, 24, 20)
  down(scan, 36, 8, 8, 10)
}

/** The legal anchors of a piece on a scanned 10x10 board: four words from `at` of `out`; 0 when none. */
export function anchors10(scan: Int32Array, piece: number, out: Int32Array, at: number): number {
  const term = piece * 4
  const a = TERMS[term]!
  const shiftA = TERMS[term + 1]!
  const b = TERMS[term + 2]!
  const shiftB = TERMS[term + 3]!
  const columns = COLUMNS[piece]!
  const leftA = 30 - shiftA
  const leftB = 30 - shiftB
  const a1 = scan[a + 1]!
  const a2 = scan[a + 2]!
  const a3 = scan[a + 3]!
  const b1 = scan[b + 1]!
  const b2 = scan[b + 2]!
  const b3 = scan[b + 3]!
  const w0 = ((scan[a]! >>> shiftA) | (a1 << leftA)) & ((scan[b]! >>> shiftB) | (b1 << leftB)) & columns
  const w1 = ((a1 >>> shiftA) | (a2 << leftA)) & ((b1 >>> shiftB) | (b2 << leftB)) & columns
  const w2 = ((a2 >>> shiftA) | (a3 << leftA)) & ((b2 >>> shiftB) | (b3 << leftB)) & columns
  const w3 = (a3 >>> shiftA) & (b3 >>> shiftB) & columns
  out[at] = w0
  out[at + 1] = w1
  out[at + 2] = w2
  out[at + 3] = w3
  return w0 | w1 | w2 | w3
}

/** The legal anchors of a state's tray, zeros for spent slots; 0 when there is none. */
export function trayAnchors10(scan: Int32Array, words: Int32Array): number {
  let any = 0
  for (let slot = 0; slot < 3; slot++) {
    const piece = words[TRAY_10 + slot]!
    const at = ANCHORS_10 + slot * WORDS_10
    if (piece !== 0) any |= anchors10(scan, piece - 1, words, at)
    else {
      words[at] = 0
      words[at + 1] = 0
      words[at + 2] = 0
      words[at + 3] = 0
    }
  }
  return any
}

/** Fills the cells of a piece. */
export function place10(board: Int32Array, piece: number, position: number): void {
  const at = (piece * 100 + position) << 2
  board[0]! |= PLACED[at]!
  board[1]! |= PLACED[at + 1]!
  board[2]! |= PLACED[at + 2]!
  board[3]! |= PLACED[at + 3]!
}

/** The tenth-column bit of each row of a word that is full. */
function fullRows(word: number): number {
  // In a field of ten bits with any empty cell, that cell's bit or the carry out of the lower nine sets bit 9.
  const empty = ~word & WORD
  return ~(((empty & NINE) + NINE) | empty) & TENTH
}

/** Every cell of the rows whose tenth-column bit is set. */
function wholeRows(tenths: number): number {
  return (tenths << 1) - (tenths >>> 9)
}

/** Bits 9, 19 and 29 brought together as bits 0 to 2. */
function gatherRows(tenths: number): number {
  return ((tenths >>> 9) & 1) | ((tenths >>> 18) & 2) | ((tenths >>> 27) & 4)
}

/** Empties every full row and column of a 10x10 board at once. */
export function clear10(board: Int32Array): LineSet {
  const w0 = board[0]!
  const w1 = board[1]!
  const w2 = board[2]!
  const w3 = board[3]!
  const rows0 = fullRows(w0)
  const rows1 = fullRows(w1)
  const rows2 = fullRows(w2)
  const row9 = w3 === LAST_ROW ? 1 : 0
  const triple = w0 & w1 & w2
  const columns = triple & (triple >>> 10) & (triple >>> 20) & w3
  if ((rows0 | rows1 | rows2 | row9 | columns) === 0) return 0
  const kept = ~Math.imul(columns, 0x00100401)
  board[0] = w0 & kept & ~wholeRows(rows0)
  board[1] = w1 & kept & ~wholeRows(rows1)
  board[2] = w2 & kept & ~wholeRows(rows2)
  board[3] = row9 === 1 ? 0 : w3 & kept
  const rows = gatherRows(rows0) | (gatherRows(rows1) << 3) | (gatherRows(rows2) << 6) | (row9 << 9)
  return (rows << 10) | columns
}

/** The 10x10 board with its 19 pieces. */
export const BOARD_10: TrayBoard = {
  size: 10,
  words: WORDS_10,
  trayAt: TRAY_10,
  anchorsAt: ANCHORS_10,
  extraAt: EXTRA_10,
  scanWords: SCAN_WORDS_10,
  shapes: SHAPES_10,
  has: (words, at, position) => ((words[at + Math.floor(position / 30)]! >>> (position % 30)) & 1) === 1,
  scan: scan10,
  anchors: anchors10,
  trayAnchors: trayAnchors10,
  place: place10,
  clear: clear10,
  isEmpty: (board) => (board[0]! | board[1]! | board[2]! | board[3]!) === 0,
  fill: (board, position) => {
    board[Math.floor(position / 30)]! |= 1 << (position % 30)
  },
}
