import type { Shape } from './shapes.ts'

/** [sum of weights] a catalogue index for each unit of weight: one uniform draw below its length picks a piece. */
export type DrawTable = Uint8Array

/** The table of whole-number weights, one a piece. */
export function drawTable(weights: readonly number[]): DrawTable {
  return Uint8Array.from(weights.flatMap((weight, index) => new Array<number>(weight).fill(index)))
}

/** The weight by size that Lumen Blocks and Block Puzzle 8x8 share: small pieces come more often. */
export function weightBySize(shape: Shape): number {
  if (shape.cells <= 3) return 4
  if (shape.cells === 4) return 3
  return shape.cells <= 6 ? 2 : 1
}
