import { ANCHORS_10, anchors10, TRAY_10, trayAnchors10, WORDS_10 } from '../tray/board10.ts'
import { type DrawTable, drawTable } from '../tray/draw-table.ts'
import { drawBelow, openSet } from '../tray/set-stream.ts'
import { cellCounts, SHAPES_10 } from '../tray/shapes.ts'
import type { BlockPuzzle10State } from './state.ts'

/** How many catalogue entries in a row each family has: single, bars of 2 to 5, squares of 2 and 3, corners, big L. */
const FAMILY_SIZES = [1, 2, 2, 2, 2, 1, 1, 4, 4] as const

/** Weights are kept in eighths, in which every orientation's share is whole. */
const UNITS = 8

/** What is drawn from below 300 points, below 1500, and from there on. */
export const BAND_1 = bandTable([3, 4, 4, 2, 1, 4, 0.5, 4, 1])
export const BAND_2 = bandTable([2, 3, 3, 3, 2, 3, 1.5, 3, 2.5])
export const BAND_3 = bandTable([1, 2, 3, 3, 3, 3, 2, 2, 3.5])

const CELLS = cellCounts(SHAPES_10)
/** [19] the pieces, most cells first, and among equals the lowest index first. */
export const BIGGEST_FIRST = Uint8Array.from(
  [...SHAPES_10].sort((a, b) => b.cells - a.cells || a.index - b.index).map((shape) => shape.index),
)
const MOST_REDRAWS = 10

/** The table of family weights, each shared equally by the family's orientations. */
export function bandTable(families: readonly number[]): DrawTable {
  return drawTable(
    FAMILY_SIZES.flatMap((size, family) => {
      const share = ((families[family] ?? 0) * UNITS) / size
      if (!Number.isInteger(share)) throw new Error(`family ${family} does not divide`)
      return new Array<number>(size).fill(share)
    }),
  )
}

/** The table in force at a score: below 300, below 1500, and from there on. */
export function tableAt(score: number): DrawTable {
  if (score < 300) return BAND_1
  return score < 1500 ? BAND_2 : BAND_3
}

/**
 * Deals the next set: three pieces by the weights of the score, never three the same, drawn again up to ten
 * times while none of them fits; then the third becomes the biggest piece that fits. `scan` is that of the
 * board, which has an empty cell.
 */
export function deal(state: BlockPuzzle10State, scan: Int32Array): void {
  const words = state.words
  const table = tableAt(state.score)
  openSet(state, state.sets++)
  state.fits = true
  for (let redraws = 0; redraws <= MOST_REDRAWS; redraws++) {
    drawSet(words, table)
    if (trayAnchors10(scan, words) !== 0) return
  }
  // The first two fit nowhere and the new third does, so this never makes three the same.
  for (let i = 0; i < CELLS.length; i++) {
    const piece = BIGGEST_FIRST[i]!
    if (anchors10(scan, piece, words, ANCHORS_10 + 2 * WORDS_10) !== 0) {
      words[TRAY_10 + 2] = 1 + piece
      return
    }
  }
}

/** Three pieces by weight; three the same are drawn again. */
function drawSet(words: Int32Array, table: DrawTable): void {
  do {
    for (let slot = 0; slot < 3; slot++) words[TRAY_10 + slot] = 1 + table[drawBelow(table.length)]!
  } while (words[TRAY_10] === words[TRAY_10 + 1] && words[TRAY_10] === words[TRAY_10 + 2])
}
