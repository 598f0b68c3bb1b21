import type { ArraySpec } from '../../env/game.ts'
import { expand8 } from './bit-writers.ts'
import type { Shape } from './shapes.ts'

const SLOT = 5

/** [shapes + 1] int32 the 25 bits of each piece in a 5x5 frame, by `tray_piece`; 0 for a spent slot. */
export function framedShapes(shapes: readonly Shape[]): Int32Array {
  const framed = new Int32Array(shapes.length + 1)
  for (const shape of shapes) {
    framed[shape.index + 1] = shape.rows.reduce((bits, row, r) => bits | (row << (r * SLOT)), 0)
  }
  return framed
}

/** Writes `tray`, [3, 5, 5] uint8 from `offset`, of the pieces in words `at` to `at + 2`. */
export function writeTray(
  view: DataView,
  offset: number,
  framed: Int32Array,
  words: Int32Array,
  at: number,
): void {
  for (let slot = 0; slot < 3; slot++) {
    const bits = framed[words[at + slot]!]!
    const to = offset + slot * SLOT * SLOT
    expand8(view, to, bits)
    expand8(view, to + 8, bits >>> 8)
    expand8(view, to + 16, bits >>> 16)
    view.setUint8(to + 24, bits >>> 24)
  }
}

/** Bytes a row of `tray` under PACKED: 75 bits. */
export const PACKED_TRAY_BYTES = 10

/** Writes `tray` as bits from `offset`. */
export function writePackedTray(
  view: DataView,
  offset: number,
  framed: Int32Array,
  words: Int32Array,
  at: number,
): void {
  const b0 = framed[words[at]!]!
  const b1 = framed[words[at + 1]!]!
  const b2 = framed[words[at + 2]!]!
  view.setInt32(offset, b0 | (b1 << 25), true)
  view.setInt32(offset + 4, (b1 >>> 7) | (b2 << 18), true)
  view.setInt16(offset + 8, b2 >>> 14, true)
}

/** Writes words `at` to `at + 2` as row `row` of an int32 array of three columns, such as `tray_piece`. */
export function writeThree(out: Int32Array, row: number, words: Int32Array, at: number): void {
  const to = row * 3
  out[to] = words[at]!
  out[to + 1] = words[at + 1]!
  out[to + 2] = words[at + 2]!
}

/** The same into bytes. */
export function writePackedThree(view: DataView, row: number, words: Int32Array, at: number): void {
  const to = row * 12
  view.setInt32(to, words[at]!, true)
  view.setInt32(to + 4, words[at + 1]!, true)
  view.setInt32(to + 8, words[at + 2]!, true)
}

/** The largest int32. */
export const INT32_MAX = 2147483647

/** The spec of `board`. */
export function boardSpec(
  size: number,
  high: number,
  packing: 'bits' | 'nibbles',
  description: string,
): ArraySpec {
  return {
    name: 'board',
    kind: 'box',
    dtype: 'uint8',
    shape: [size, size],
    low: [0],
    high: [high],
    packing,
    description,
  }
}

/** The specs of `tray` and `tray_piece`. */
export function traySpecs(pieces: number): readonly ArraySpec[] {
  return [
    {
      name: 'tray',
      kind: 'box',
      dtype: 'uint8',
      shape: [3, SLOT, SLOT],
      low: [0],
      high: [1],
      packing: 'bits',
      description: 'The shape in each slot, 1 where filled, in the top-left corner; zeros when spent.',
    },
    threeSpec('tray_piece', pieces, 'The piece in each slot: 1 + its catalogue index; 0 when spent.'),
  ]
}

/** The spec of one category a slot, 0..high. */
export function threeSpec(name: string, high: number, description: string): ArraySpec {
  return {
    name,
    kind: 'multi_discrete',
    dtype: 'int32',
    shape: [3],
    low: [0],
    high: [high],
    nvec: [high + 1, high + 1, high + 1],
    packing: 'none',
    description,
  }
}

/** The spec of one figure, 0..high. */
export function figureSpec(name: string, high: number, description: string): ArraySpec {
  return {
    name,
    kind: 'box',
    dtype: 'int32',
    shape: [1],
    low: [0],
    high: [high],
    packing: 'none',
    description,
  }
}
