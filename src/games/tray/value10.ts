import { anchors10, SCAN_WORDS_10, scan10, WORDS_10 } from './board10.ts'
import { SHAPES_10 } from './shapes.ts'
import { type BoardValue, countBits, DEAD_END, EDGE, POCKET, roomTable } from './value.ts'

const PIECES = SHAPES_10.length
const COUNTS = 101
/** The cells of a word of three rows, of the last word, and all columns but the last or the first of three rows. */
const WORD = 0x3fffffff
const LAST_ROW = 0x3ff
const NOT_LAST = 0x1ff7fdff
const NOT_FIRST = 0x3feffbfe

const scan = new Int32Array(SCAN_WORDS_10)
const board = new Int32Array(WORDS_10)
const anchors = new Int32Array(WORDS_10)

/** The value of 10x10 boards when the next piece is drawn by these weights. */
export function createValue10(weights: readonly number[]): BoardValue {
  const room = roomTable(SHAPES_10, weights, 100)
  return (boards, at) => {
    for (let word = 0; word < WORDS_10; word++) board[word] = boards[at + word]!
    scan10(board, scan)
    let value = shapeOfSpace()
    for (let piece = 0; piece < PIECES; piece++) {
      anchors10(scan, piece, anchors, 0)
      const count =
        countBits(anchors[0]!) + countBits(anchors[1]!) + countBits(anchors[2]!) + countBits(anchors[3]!)
      value += room[piece * COUNTS + count]!
    }
    return value
  }
}

/** What the borders, pockets and dead ends of the empty cells are worth; the scan begins with those cells. */
function shapeOfSpace(): number {
  let edges = 0
  let none = 0
  let one = 0
  for (let word = 0; word < WORDS_10; word++) {
    const empty = scan[word]!
    const above = word > 0 ? scan[word - 1]! : 0
    const below = word < WORDS_10 - 1 ? scan[word + 1]! : 0
    const right = (empty >>> 1) & NOT_LAST
    const left = (empty << 1) & NOT_FIRST
    const down = ((empty >>> 10) | (below << 20)) & WORD
    const up = ((empty << 10) | (above >>> 20)) & (word === WORDS_10 - 1 ? LAST_ROW : WORD)
    // A border is counted at its empty side.
    edges +=
      countBits(empty & ~right) + countBits(empty & ~left) + countBits(empty & ~down) + countBits(empty & ~up)
    none += countBits(empty & ~(right | left | down | up))
    one += countBits(empty & (right ^ left ^ down ^ up) & ~((right & left) | (down & up)))
  }
  return EDGE * edges + POCKET * none + DEAD_END * one
}
