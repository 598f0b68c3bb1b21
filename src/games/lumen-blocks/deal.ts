import { ANCHORS_8, anchors8, TRAY_8, trayAnchors8, WORDS_8 } from '../tray/board8.ts'
import { drawTable, weightBySize } from '../tray/draw-table.ts'
import { drawBelow, openSet } from '../tray/set-stream.ts'
import { cellCounts, SHAPES_8 } from '../tray/shapes.ts'
import { HUES } from './hues.ts'
import { type LumenState, TRAY_HUE_AT } from './state.ts'

const BY_SIZE = drawTable(SHAPES_8.map(weightBySize))
const CELLS = cellCounts(SHAPES_8)
/** [9] the pieces of three cells or fewer. */
const SMALL = Uint8Array.from(SHAPES_8.filter((shape) => shape.cells <= 3).map((shape) => shape.index))

/** The small pieces that fit, while a slot is redrawn. */
const fitting = new Uint8Array(SMALL.length)

/**
 * Deals the next set: three pieces by weight, the two repairs that make one small piece fit, then three hues.
 * `scan` is that of the board, which has an empty cell.
 */
export function deal(state: LumenState, scan: Int32Array): void {
  const words = state.words
  openSet(state, state.sets++)
  for (let slot = 0; slot < 3; slot++) words[TRAY_8 + slot] = 1 + BY_SIZE[drawBelow(BY_SIZE.length)]!
  if (lastSmallSlot(words) < 0) words[TRAY_8 + 2] = 1 + SMALL[drawBelow(SMALL.length)]!
  trayAnchors8(scan, words)
  if (!smallOneFits(words)) redrawFitting(words, scan, lastSmallSlot(words))
  for (let slot = 0; slot < 3; slot++) words[TRAY_HUE_AT + slot] = 1 + drawBelow(HUES)
  state.fits = true
}

function isSmall(piece: number): boolean {
  return CELLS[piece - 1]! <= 3
}

function lastSmallSlot(words: Int32Array): number {
  for (let slot = 2; slot >= 0; slot--) {
    if (isSmall(words[TRAY_8 + slot]!)) return slot
  }
  return -1
}

function smallOneFits(words: Int32Array): boolean {
  for (let slot = 0; slot < 3; slot++) {
    const at = ANCHORS_8 + slot * WORDS_8
    if (isSmall(words[TRAY_8 + slot]!) && (words[at]! | words[at + 1]!) !== 0) return true
  }
  return false
}

/** Draws the slot again, uniformly among the small pieces that fit; the single is one of them. */
function redrawFitting(words: Int32Array, scan: Int32Array, slot: number): void {
  const at = ANCHORS_8 + slot * WORDS_8
  let count = 0
  for (let i = 0; i < SMALL.length; i++) {
    const piece = SMALL[i]!
    if (anchors8(scan, piece, words, at) !== 0) fitting[count++] = piece
  }
  const piece = fitting[drawBelow(count)]!
  words[TRAY_8 + slot] = 1 + piece
  anchors8(scan, piece, words, at)
}
