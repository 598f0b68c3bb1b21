import type { Shape } from './shapes.ts'
import { SHAPES_8, SHAPES_10 } from './shapes.ts'

/*
 * Which table entries make up the learned value of a board. Each pattern is a block of cells, laid on the board in
 * all eight symmetries of the square, with one table for all of them; bit i of an entry's number is the block's
 * cell i, row by row, 1 when filled. Then each piece has a table by the number of its anchors, and each further
 * figure one by its value and the number of filled cells.
 */

/** A block of cells; its top left cell is at `row` and `col`. */
export interface Pattern {
  readonly height: number
  readonly width: number
  readonly row: number
  readonly col: number
}

/** The tables of a board size, one behind the other: those of patterns, of pieces, of figures. */
export interface ValueLayout {
  readonly size: 8 | 10
  readonly cells: number
  readonly shapes: readonly Shape[]
  readonly patterns: readonly Pattern[]
  /** Where each pattern's table begins. */
  readonly patternStarts: readonly number[]
  /** Where the tables of the pieces begin, each of cells + 1 entries. */
  readonly pieceStart: number
  /** Where each figure's table begins: entry `figure * (cells + 1) + filled cells`. */
  readonly figureStarts: readonly number[]
  /** All entries. */
  readonly total: number
}

/** The layout for a board size and figures that take so many values. */
export function valueLayout(size: 8 | 10, figures: readonly number[]): ValueLayout {
  const cells = size * size
  const shapes = size === 8 ? SHAPES_8 : SHAPES_10
  const patterns =
    size === 8
      ? [...blocks(8, 3, 4), ...blocks(8, 2, 8)]
      : [...blocks(10, 3, 4), ...blocks(10, 1, 10), ...blocks(10, 2, 6)]
  const tables = [
    ...patterns.map(({ height, width }) => 1 << (height * width)),
    ...shapes.map(() => cells + 1),
    ...figures.map((values) => values * (cells + 1)),
  ]
  const starts = tables.map((_, i) => tables.slice(0, i).reduce((sum, entries) => sum + entries, 0))
  return {
    size,
    cells,
    shapes,
    patterns,
    patternStarts: starts.slice(0, patterns.length),
    pieceStart: starts[patterns.length]!,
    figureStarts: starts.slice(patterns.length + shapes.length),
    total: tables.reduce((sum, entries) => sum + entries, 0),
  }
}

/** One of each set of blocks that are images of each other. */
function blocks(size: number, height: number, width: number): Pattern[] {
  const patterns: Pattern[] = []
  for (let row = 0; 2 * row <= size - height; row++) {
    for (let col = 0; 2 * col <= size - width; col++) patterns.push({ height, width, row, col })
  }
  return patterns
}
