import { ANCHORS_8, anchors8, TRAY_8, trayAnchors8, WORDS_8 } from '../tray/board8.ts'
import { drawTable, weightBySize } from '../tray/draw-table.ts'
import { drawBelow, openSet } from '../tray/set-stream.ts'
import { SHAPES_8 } from '../tray/shapes.ts'
import type { BlockPuzzle8State } from './state.ts'

const BY_SIZE = drawTable(SHAPES_8.map(weightBySize))
const MOST_REDRAWS = 1000
const SINGLE = 0

/**
 * Deals the next set: three pieces by weight, drawn again while none of them fits, and after a thousand
 * redraws a single in the third slot; fewer redraws serve to test that. `scan` is that of the board, which has
 * an empty cell.
 */
export function deal(state: BlockPuzzle8State, scan: Int32Array, mostRedraws = MOST_REDRAWS): void {
  const words = state.words
  openSet(state, state.sets++)
  state.fits = true
  for (let redraws = 0; redraws <= mostRedraws; redraws++) {
    for (let slot = 0; slot < 3; slot++) words[TRAY_8 + slot] = 1 + BY_SIZE[drawBelow(BY_SIZE.length)]!
    if (trayAnchors8(scan, words) !== 0) return
  }
  words[TRAY_8 + 2] = 1 + SINGLE
  anchors8(scan, SINGLE, words, ANCHORS_8 + 2 * WORDS_8)
}
