import { expand32, expandFew, join30 } from './bit-writers.ts'

/** Bytes of a packed 10x10 board: 100 bits. */
export const PACKED_BOARD_10_BYTES = 13

/** [4] int32 the 100 cells without gaps, 32 a word. */
const joined = new Int32Array(4)

/** Writes the cells of a 10x10 board: 100 bytes from `offset`. */
export function writeBoard10(view: DataView, offset: number, board: Int32Array): void {
  joinBoard10(board)
  expand32(view, offset, joined[0]!)
  expand32(view, offset + 32, joined[1]!)
  expand32(view, offset + 64, joined[2]!)
  expandFew(view, offset + 96, joined[3]!, 4)
}

/** Writes a 10x10 board as bits from `offset`. */
export function writePackedBoard10(view: DataView, offset: number, board: Int32Array): void {
  joinBoard10(board)
  view.setInt32(offset, joined[0]!, true)
  view.setInt32(offset + 4, joined[1]!, true)
  view.setInt32(offset + 8, joined[2]!, true)
  view.setUint8(offset + 12, joined[3]!)
}

function joinBoard10(board: Int32Array): void {
  joined[0] = 0
  join30(board, 0, joined, 0, 0)
}
