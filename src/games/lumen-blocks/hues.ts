import { SHAPES_8 } from '../tray/shapes.ts'
import { HUES_AT } from './state.ts'

/** The letters of hues 1 to 5: aqua, violet, amber, rose, lime. */
export const HUE_LETTERS = 'AVMRL'
/** The number of hues. */
export const HUES = HUE_LETTERS.length

const HEIGHT = 5

/** [256] int32 the eight bits of the index as eight nibbles of 0 or 1. */
const NIBBLES = Int32Array.from({ length: 256 }, (_, bits) => {
  let nibbles = 0
  for (let bit = 0; bit < 8; bit++) nibbles |= ((bits >>> bit) & 1) << (4 * bit)
  return nibbles
})

/** [37, 5] int32 the rows of each shape as nibbles of 0 or 1; zeros below its last row. */
const SHAPE_NIBBLES = Int32Array.from({ length: SHAPES_8.length * HEIGHT }, (_, i) => {
  return NIBBLES[SHAPES_8[Math.floor(i / HEIGHT)]?.rows[i % HEIGHT] ?? 0] ?? 0
})

/** Colours the cells of a piece in a state's words. */
export function paint(words: Int32Array, piece: number, position: number, hue: number): void {
  const shift = (position & 7) * 4
  const top = position >> 3
  for (let r = 0; r < HEIGHT; r++) {
    const nibbles = SHAPE_NIBBLES[piece * HEIGHT + r]!
    if (nibbles === 0) return
    words[HUES_AT + top + r]! |= Math.imul(nibbles, hue) << shift
  }
}

/** Takes the colour from cleared lines: bit 8 + r for row r, bit c for column c. */
export function wipe(words: Int32Array, cleared: number): void {
  const kept = ~Math.imul(NIBBLES[cleared & 0xff]!, 15)
  for (let row = 0; row < 8; row++) {
    words[HUES_AT + row]! &= ((cleared >>> (8 + row)) & 1) === 1 ? 0 : kept
  }
}

/** The hue of a cell, 0 when empty. */
export function hueAt(words: Int32Array, position: number): number {
  return (words[HUES_AT + (position >> 3)]! >>> ((position & 7) * 4)) & 15
}
