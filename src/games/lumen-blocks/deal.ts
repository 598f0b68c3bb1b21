import { anchors8, trayAnchors8 } from '../tray/board8.ts'
import { drawTable, weightBySize } from '../tray/draw-table.ts'
import { drawBelow, openSet } from '../tray/set-stream.ts'
import { cellCounts, SHAPES_8 } from '../tray/shapes.ts'
import { HUES } from './hues.ts'
import type { LumenState } from './state.ts'

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
  const { stream, tray, anchors, trayHue } = state
  openSet(stream, state.sets++)
  for (let slot = 0; slot < 3; slot++) tray[slot] = 1 + BY_SIZE[drawBelow(stream, BY_SIZE.length)]!
  if (lastSmallSlot(tray) < 0) tray[2] = 1 + SMALL[drawBelow(stream, SMALL.length)]!
  trayAnchors8(scan, tray, anchors)
  if (!smallOneFits(tray, anchors)) redrawFitting(state, scan, lastSmallSlot(tray))
  for (let slot = 0; slot < 3; slot++) trayHue[slot] = 1 + drawBelow(stream, HUES)
  state.fits = true
}

function isSmall(piece: number): boolean {
  return CELLS[piece - 1]! <= 3
}

function lastSmallSlot(tray: Int32Array): number {
  for (let slot = 2; slot >= 0; slot--) {
    if (isSmall(tray[slot]!)) return slot
  }
  return -1
}

function smallOneFits(tray: Int32Array, anchors: Int32Array): boolean {
  for (let slot = 0; slot < 3; slot++) {
    if (isSmall(tray[slot]!) && (anchors[slot * 2]! | anchors[slot * 2 + 1]!) !== 0) return true
  }
  return false
}

/** Draws the slot again, uniformly among the small pieces that fit; the single is one of them. */
function redrawFitting(state: LumenState, scan: Int32Array, slot: number): void {
  let count = 0
  for (let i = 0; i < SMALL.length; i++) {
    const piece = SMALL[i]!
    if (anchors8(scan, piece, state.anchors, slot * 2) !== 0) fitting[count++] = piece
  }
  const piece = fitting[drawBelow(state.stream, count)]!
  state.tray[slot] = 1 + piece
  anchors8(scan, piece, state.anchors, slot * 2)
}
