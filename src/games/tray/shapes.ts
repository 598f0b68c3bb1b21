/** One piece of a catalogue; it never turns. Its anchor is the top-left corner of its bounding box. */
export interface Shape {
  /** Its place in the catalogue, from 0; observations show 1 + index. */
  readonly index: number
  readonly name: string
  /** Rows from the top, `/` between them, `#` filled and `.` empty. */
  readonly text: string
  readonly height: number
  readonly width: number
  /** The number of filled cells. */
  readonly cells: number
  /** [height] one number a row, bit c set where column c is filled. */
  readonly rows: readonly number[]
}

/** Reads a catalogue of `[name, text]` pairs; the order gives the indices. */
export function catalogue(entries: readonly (readonly [string, string])[]): readonly Shape[] {
  return entries.map(([name, text], index) => ({ index, name, ...parseShape(text) }))
}

/** Reads the rows of a shape's text. */
export function parseShape(text: string): Omit<Shape, 'index' | 'name'> {
  const lines = text.split('/')
  const width = lines[0]?.length ?? 0
  if (!/^[#.]+(\/[#.]+)*$/.test(text) || lines.some((line) => line.length !== width)) {
    throw new Error(`not a shape: ${text}`)
  }
  const rows = lines.map((line) => [...line].reduce((bits, mark, c) => bits | (mark === '#' ? 1 << c : 0), 0))
  const cells = [...text].filter((mark) => mark === '#').length
  return { text, height: lines.length, width, cells, rows }
}

/** Whether a shape fills the cell `row`, `col` of its bounding box. */
export function fills(shape: Pick<Shape, 'rows'>, row: number, col: number): boolean {
  return (((shape.rows[row] ?? 0) >>> col) & 1) === 1
}

const SINGLE_AND_BARS = [
  ['single', '#'],
  ['bar of 2 across', '##'],
  ['bar of 2 down', '#/#'],
  ['bar of 3 across', '###'],
  ['bar of 3 down', '#/#/#'],
  ['bar of 4 across', '####'],
  ['bar of 4 down', '#/#/#/#'],
  ['bar of 5 across', '#####'],
  ['bar of 5 down', '#/#/#/#/#'],
] as const

const SQUARES = [
  ['square of 2', '##/##'],
  ['square of 3', '###/###/###'],
] as const

const SMALL_CORNERS = [
  ['small corner top left', '##/#.'],
  ['small corner top right', '##/.#'],
  ['small corner bottom left', '#./##'],
  ['small corner bottom right', '.#/##'],
] as const

const BIG_CORNERS = [
  ['big corner top left', '###/#../#..'],
  ['big corner top right', '###/..#/..#'],
  ['big corner bottom left', '#../#../###'],
  ['big corner bottom right', '..#/..#/###'],
] as const

const FOURS = [
  ['L upright', '#./#./##'],
  ['L turned right', '###/#..'],
  ['L upside down', '##/.#/.#'],
  ['L turned left', '..#/###'],
  ['J upright', '.#/.#/##'],
  ['J turned right', '#../###'],
  ['J upside down', '##/#./#.'],
  ['J turned left', '###/..#'],
  ['T pointing down', '###/.#.'],
  ['T pointing left', '.#/##/.#'],
  ['T pointing up', '.#./###'],
  ['T pointing right', '#./##/#.'],
  ['S across', '.##/##.'],
  ['S down', '#./##/.#'],
  ['Z across', '##./.##'],
  ['Z down', '.#/##/#.'],
] as const

/** The 37 pieces of Lumen Blocks and Block Puzzle 8x8. */
export const SHAPES_8 = catalogue([
  ...SINGLE_AND_BARS,
  ...SQUARES,
  ['block of 2 by 3', '###/###'],
  ['block of 3 by 2', '##/##/##'],
  ...SMALL_CORNERS,
  ...BIG_CORNERS,
  ...FOURS,
])

/** The 19 pieces of Block Puzzle 10x10. */
export const SHAPES_10 = catalogue([...SINGLE_AND_BARS, ...SQUARES, ...SMALL_CORNERS, ...BIG_CORNERS])

/** [shapes] the number of cells of each shape, by index. */
export function cellCounts(shapes: readonly Shape[]): Uint8Array {
  return Uint8Array.from(shapes, (shape) => shape.cells)
}
