import { anchors8, SCAN_WORDS_8, scan8, WORDS_8 } from './board8.ts'
import { SHAPES_8 } from './shapes.ts'
import { type BoardValue, countBits, DEAD_END, EDGE, POCKET, roomTable } from './value.ts'

const PIECES = SHAPES_8.length
const COUNTS = 65
/** All columns but the last, and all but the first, of the four rows of a word. */
const NOT_LAST = 0x7f7f7f7f
const NOT_FIRST = 0xfefefefe

const scan = new Int32Array(SCAN_WORDS_8)
const board = new Int32Array(WORDS_8)
const anchors = new Int32Array(WORDS_8)

/** The value of 8x8 boards when the next piece is drawn by these weights. */
export function createValue8(weights: readonly number[]): BoardValue {
  const room = roomTable(SHAPES_8, weights, 64)
  return (boards, at) => {
    board[0] = boards[at]!
    board[1] = boards[at + 1]!
    scan8(board, scan)
    let value = shapeOfSpace(~board[0]!, ~board[1]!)
    for (let piece = 0; piece < PIECES; piece++) {
      anchors8(scan, piece, anchors, 0)
      value += room[piece * COUNTS + countBits(anchors[0]!) + countBits(anchors[1]!)]!
    }
    return value
  }
}

/** What the borders, pockets and dead ends of the empty cells are worth. */
function shapeOfSpace(e0: number, e1: number): number {
  const r0 = (e0 >>> 1) & NOT_LAST
  const r1 = (e1 >>> 1) & NOT_LAST
  const l0 = (e0 << 1) & NOT_FIRST
  const l1 = (e1 << 1) & NOT_FIRST
  const d0 = (e0 >>> 8) | (e1 << 24)
  const d1 = e1 >>> 8
  const u0 = e0 << 8
  const u1 = (e1 << 8) | (e0 >>> 24)
  // A border is counted at its empty side.
  const edges =
    countBits(e0 & ~r0) +
    countBits(e1 & ~r1) +
    countBits(e0 & ~l0) +
    countBits(e1 & ~l1) +
    countBits(e0 & ~d0) +
    countBits(e1 & ~d1) +
    countBits(e0 & ~u0) +
    countBits(e1 & ~u1)
  const none = countBits(e0 & ~(r0 | l0 | d0 | u0)) + countBits(e1 & ~(r1 | l1 | d1 | u1))
  const one =
    countBits(e0 & (r0 ^ l0 ^ d0 ^ u0) & ~((r0 & l0) | (d0 & u0))) +
    countBits(e1 & (r1 ^ l1 ^ d1 ^ u1) & ~((r1 & l1) | (d1 & u1)))
  return EDGE * edges + POCKET * none + DEAD_END * one
}
