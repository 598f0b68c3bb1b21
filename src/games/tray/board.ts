import type { Shape } from './shapes.ts'

/** Rows and columns cleared at once: bit `size + r` for row r, bit c for column c. */
export type LineSet = number

/**
 * What one board size offers. A board is `words` words at the start of an Int32Array, a bit a cell; a set of
 * anchors has the same form: the bit of a cell is set where the piece may be placed with its anchor on it.
 * A cell is named by its position, `row * size + col`.
 */
export interface TrayBoard {
  /** Rows and columns. */
  readonly size: 8 | 10
  /** Words of a board, and of a set of anchors. */
  readonly words: number
  /** Where a state's tray, anchors and a game's own words begin; the board is at 0. */
  readonly trayAt: number
  readonly anchorsAt: number
  readonly extraAt: number
  /** Words of a scan. */
  readonly scanWords: number
  /** The pieces, in catalogue order. */
  readonly shapes: readonly Shape[]
  /** The bit of a position in the board (`at` 0) or set of anchors that starts at word `at`. */
  has(words: Int32Array, at: number, position: number): boolean
  /** Finds every straight run of empty cells; needed once for all pieces tried on one board. */
  scan(board: Int32Array, scan: Int32Array): void
  /** Writes the legal anchors of a piece at word `at`; returns a number that is 0 when there is none. */
  anchors(scan: Int32Array, piece: number, out: Int32Array, at: number): number
  /** Writes the legal anchors of a state's three slots, zeros for spent ones; 0 when there is none. */
  trayAnchors(scan: Int32Array, words: Int32Array): number
  /** Fills the cells of a piece; the anchor is legal. */
  place(board: Int32Array, piece: number, position: number): void
  /** Empties every full row and column at once and returns which. */
  clear(board: Int32Array): LineSet
  /** Whether no cell is filled. */
  isEmpty(board: Int32Array): boolean
  /** Sets the bit of a position. */
  fill(board: Int32Array, position: number): void
}

/** How many lines a set holds. */
export function countLines(lines: LineSet): number {
  let count = 0
  for (let rest = lines; rest !== 0; rest &= rest - 1) count++
  return count
}

/** The positions in a set of anchors, ascending, into `out`; returns how many. */
export function listAnchors(board: TrayBoard, anchors: Int32Array, at: number, out: Int32Array): number {
  let count = 0
  for (let position = 0; position < board.size * board.size; position++) {
    if (board.has(anchors, at, position)) out[count++] = position
  }
  return count
}
