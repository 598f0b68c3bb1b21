import { type BagStream, createStream } from './deal.ts'
import { COLUMNS, ROWS, SPAN } from './pieces.ts'

/** One game, as plain data. The board is kept in each form that something reads it in. */
export interface StackcraftState {
  /** [20 * 10] uint8 the board as observed, row 0 at the top. */
  readonly cells: Uint8Array
  /** [20 * 5] uint8 piece numbers two a byte, the left column in the low half. */
  readonly nibbles: Uint8Array
  /** [20 + 3] uint16 filled columns of each row: bit x is column x. The last three are always 0. */
  readonly rows: Uint16Array
  /** [10 + 3] uint8 highest filled row of each column, 20 when it is empty. The last three are always 20. */
  readonly tops: Uint8Array
  /** The piece to place, 1..7, and the one after it. */
  current: number
  next: number
  /** Legal actions as bits: 0..31 in the first word, 32..39 in the second. */
  legalLow: number
  legalHigh: number
  over: boolean
  score: number
  lines: number
  pieces: number
  /** The pieces still to come. */
  stream: BagStream
  /** A stream started ahead for a later reset; unused when its seed is another. */
  prepared: BagStream
}

/** Allocates a state with an empty board; it must be reset before use. */
export function createState(): StackcraftState {
  return {
    cells: new Uint8Array(ROWS * COLUMNS),
    nibbles: new Uint8Array((ROWS * COLUMNS) / 2),
    rows: new Uint16Array(ROWS + SPAN - 1),
    tops: new Uint8Array(COLUMNS + SPAN - 1).fill(ROWS),
    current: 0,
    next: 0,
    legalLow: 0,
    legalHigh: 0,
    over: false,
    score: 0,
    lines: 0,
    pieces: 0,
    stream: createStream(),
    prepared: createStream(),
  }
}
