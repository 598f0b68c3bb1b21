/** The seven pieces, their numbers and their orientations, with the tables that the rules look up. */

/** Board width in columns. */
export const COLUMNS = 10

/** Board height in rows. */
export const ROWS = 20

/** A board row with every column filled, as a bitmask (bit x is column x). */
export const FULL_ROW = (1 << COLUMNS) - 1

/** The most orientations that a piece has. */
export const ROTATIONS = 4

/** The size of the action space: rotation * COLUMNS + x. */
export const NUM_ACTIONS = ROTATIONS * COLUMNS

/** Piece letters by number; 0 is an empty cell. */
export const PIECE_LETTERS = '.IOTSZJL'

/** Orientation zero of pieces 1..7, rows from the top. */
const ORIENTATION_ZERO = [
  ['####'],
  ['##', '##'],
  ['.#.', '###'],
  ['.##', '##.'],
  ['##.', '.##'],
  ['#..', '###'],
  ['..#', '###'],
]

/** One orientation of a piece, its top-left corner at row 0, column 0. */
export interface Shape {
  readonly width: number
  readonly height: number
  /** The four cells as [row, column], top to bottom, then left to right. */
  readonly cells: readonly (readonly [number, number])[]
}

/** Orientations by piece number and rotation: clockwise turns, without duplicates; entry 0 is empty. */
export const ORIENTATIONS: readonly (readonly Shape[])[] = [[], ...ORIENTATION_ZERO.map(turns)]

function turns(drawing: readonly string[]): Shape[] {
  const unique = new Map<string, Shape>()
  let rows = drawing
  for (let turn = 0; turn < 4; turn++) {
    if (!unique.has(rows.join('/'))) unique.set(rows.join('/'), shapeOf(rows))
    rows = clockwise(rows)
  }
  return [...unique.values()]
}

/** Column x, read upwards, becomes row x. */
function clockwise(rows: readonly string[]): string[] {
  return Array.from(rows[0]!, (_, x) =>
    rows
      .map((row) => row[x])
      .reverse()
      .join(''),
  )
}

function shapeOf(rows: readonly string[]): Shape {
  const cells = rows.flatMap((row, y) =>
    [...row].flatMap((cell, x) => (cell === '#' ? [[y, x] as const] : [])),
  )
  return { width: rows[0]!.length, height: rows.length, cells }
}

/** The shapes of all pieces in one list; tables below are indexed by a shape's place in it. */
const SHAPES = ORIENTATIONS.flat()

/** [8 * ROTATIONS] int8 index of a shape by piece * ROTATIONS + rotation, or -1. */
export const SHAPE_OF: Int8Array = new Int8Array(8 * ROTATIONS).fill(-1)

/** [shapes] uint8 width of a shape in columns. */
export const SHAPE_WIDTH: Uint8Array = Uint8Array.from(SHAPES, (shape) => shape.width)

/** [shapes] uint8 height of a shape in rows. */
export const SHAPE_HEIGHT: Uint8Array = Uint8Array.from(SHAPES, (shape) => shape.height)

/** [shapes * 4] uint8 row of each cell of a shape. */
export const CELL_ROW: Uint8Array = Uint8Array.from(
  SHAPES.flatMap((shape) => shape.cells.map(([row]) => row)),
)

/** [shapes * 4] uint8 column of each cell of a shape. */
export const CELL_COL: Uint8Array = Uint8Array.from(
  SHAPES.flatMap((shape) => shape.cells.map(([, col]) => col)),
)

/** Every shape is looked up as if it had four columns and rows; a column that it lacks collides with nothing. */
export const SPAN = 4

/** [shapes * SPAN] int8 lowest filled row in each column of a shape; -128 in a column that it lacks. */
export const COLUMN_BOTTOM: Int8Array = columnTable((rows) => Math.max(-128, ...rows))

/** [shapes * SPAN] int8 highest filled row in each column of a shape; 127 in a column that it lacks. */
export const COLUMN_TOP: Int8Array = columnTable((rows) => Math.min(127, ...rows))

/** [8 * 2] int32 open mask of a piece on an empty board: actions 0..31 as bits of one word, 32..39 of the next. */
export const OPEN_MASK: Int32Array = new Int32Array(16)

for (const [piece, shapes] of ORIENTATIONS.entries()) {
  for (const [rotation, shape] of shapes.entries()) {
    SHAPE_OF[piece * ROTATIONS + rotation] = SHAPES.indexOf(shape)
    for (let x = 0; x + shape.width <= COLUMNS; x++) {
      const action = rotation * COLUMNS + x
      OPEN_MASK[piece * 2 + (action >> 5)]! |= 1 << (action & 31)
    }
  }
}

function columnTable(pick: (rows: readonly number[]) => number): Int8Array {
  const column = (shape: Shape, x: number) => shape.cells.filter((cell) => cell[1] === x).map(([row]) => row)
  return Int8Array.from(SHAPES.flatMap((shape) => [0, 1, 2, 3].map((x) => pick(column(shape, x)))))
}
