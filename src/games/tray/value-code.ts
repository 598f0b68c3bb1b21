/**
 * The values of boards as WebAssembly. A board is one 64-bit word (8x8) or two of six rows each (10x10), bit
 * `row * size + col` of a word; shifting it right by row * size + col brings the cell at that distance onto the
 * anchor, as in board8.ts and board10.ts. Boards lie one behind the other and are valued in one run.
 */
import {
  type Code,
  F32,
  F64,
  type FunctionCode,
  f32,
  f64,
  get,
  I32,
  I64,
  i32,
  i64,
  repeatWhile,
  set,
} from '../../random/wasm-code.ts'
import { twoParts } from './fit-plan.ts'
import { DEAD_END, EDGE, POCKET } from './value.ts'
import type { Pattern, ValueLayout } from './value-layout.ts'

/** Where in memory, in bytes, the code finds and leaves what. */
export interface ValueMemory {
  /** [boards, words] int64 the boards. */
  readonly boards: number
  /** [boards, figures] int32 the figures of the learned value. */
  readonly figures: number
  /** [boards] float64 the hand-made and float32 the learned values. */
  readonly hand: number
  readonly learned: number
  /** [2 ** size] int64 each row in a mirror, and [2 ** size, words] int64 each row as the first column of a board. */
  readonly mirrored: number
  readonly upright: number
  /** [ValueLayout.total] float32 the table entries of the learned value. */
  readonly weights: number
}

/** Rows of a word. */
const ROWS = { 8: 8, 10: 6 } as const

/** The words of a board, and what shifts and masks do to all of them. */
class Words {
  readonly count: number
  private readonly size: number
  private readonly rows: number

  constructor(size: 8 | 10) {
    this.size = size
    this.rows = ROWS[size]
    this.count = Math.ceil(size / this.rows)
  }

  /** The cells of word w that a test holds for. */
  mask(w: number, holds: (col: number) => boolean): bigint {
    let mask = 0n
    for (let row = 0; row < this.rows && w * this.rows + row < this.size; row++) {
      for (let col = 0; col < this.size; col++) if (holds(col)) mask |= 1n << BigInt(row * this.size + col)
    }
    return mask
  }

  /** Word w of a board in locals, moved towards the first cell. */
  down(board: readonly number[], bits: number, w: number): Code {
    if (bits === 0) return get(board[w]!)
    const own = i64.shrU(get(board[w]!), i64.const(BigInt(bits)))
    if (w === this.count - 1) return own
    const next = i64.shl(get(board[w + 1]!), i64.const(BigInt(this.rows * this.size - bits)))
    return i64.and(i64.or(own, next), this.all(w))
  }

  /** Word w moved away from the first cell. */
  up(board: readonly number[], bits: number, w: number): Code {
    const own = i64.shl(get(board[w]!), i64.const(BigInt(bits)))
    if (w === 0) return i64.and(own, this.all(w))
    const before = i64.shrU(get(board[w - 1]!), i64.const(BigInt(this.rows * this.size - bits)))
    return i64.and(i64.or(own, before), this.all(w))
  }

  all(w: number): Code {
    return i64.const(this.mask(w, () => true))
  }

  /** Where a row is: its word and its first bit. */
  row(row: number): readonly [number, number] {
    return [Math.floor(row / this.rows), (row % this.rows) * this.size]
  }
}

/** Hands out local variables. */
class Locals {
  readonly types: number[] = []
  private readonly first: number

  constructor(parameters: number) {
    this.first = parameters
  }

  one(type: number): number {
    return this.first + this.types.push(type) - 1
  }

  many(type: number, count: number): number[] {
    return Array.from({ length: count }, () => this.one(type))
  }
}

/** hand(boards, room): the hand-made values of so many boards, with the table of room at that address. */
export function handFunction(layout: ValueLayout, memory: ValueMemory): FunctionCode {
  return valueFunction('hand', layout, memory, false)
}

/** both(boards, room): the hand-made and the learned values. */
export function bothFunction(layout: ValueLayout, memory: ValueMemory): FunctionCode {
  return valueFunction('both', layout, memory, true)
}

function valueFunction(
  name: string,
  layout: ValueLayout,
  memory: ValueMemory,
  learned: boolean,
): FunctionCode {
  const [boards, room] = [0, 1] as const
  const locals = new Locals(2)
  const words = new Words(layout.size)
  const at = locals.one(I32)
  const count = locals.one(I32)
  const hand = locals.one(F64)
  const sums = locals.many(F32, 4)
  const empty = locals.many(I64, words.count)
  const ends = learned ? learnedCode(layout, memory, words, locals, { at, empty, sums }) : []
  const one = [
    ...empty.flatMap((local, w) => {
      const filled = i64.load(i32.mul(get(at), i32.const(words.count * 8)), memory.boards + w * 8)
      return set(local, i64.xor(filled, words.all(w)))
    }),
    ...set(hand, shapeOfSpace(words, locals, layout.size, empty)),
    ...roomCode(layout, memory, words, locals, { room, count, hand, sums, empty, learned }),
    ...f64.store(i32.mul(get(at), i32.const(8)), get(hand), memory.hand),
    ...ends,
    ...set(at, i32.add(get(at), i32.const(1))),
  ]
  return {
    name,
    parameters: [I32, I32],
    locals: locals.types,
    body: repeatWhile(i32.ltU(get(at), get(boards)), one),
  }
}

/** What the borders, pockets and dead ends of the empty cells are worth. */
function shapeOfSpace(words: Words, locals: Locals, size: number, empty: readonly number[]): Code {
  const right = locals.one(I64)
  const left = locals.one(I64)
  const down = locals.one(I64)
  const up = locals.one(I64)
  const [edges, none, one] = [locals.one(I64), locals.one(I64), locals.one(I64)] as const
  const either = (a: number, b: number): Code => i64.or(get(a), get(b))
  const added = (sum: number, value: Code): Code => set(sum, i64.add(get(sum), i64.popcnt(value)))
  const not = (value: Code): Code => i64.xor(value, i64.const(-1n))
  const perWord = empty.flatMap((cells, w) => {
    const notLast = i64.const(words.mask(w, (col) => col < size - 1))
    const notFirst = i64.const(words.mask(w, (col) => col > 0))
    const oddly = i64.xor(i64.xor(get(right), get(left)), i64.xor(get(down), get(up)))
    const pairs = i64.or(i64.and(get(right), get(left)), i64.and(get(down), get(up)))
    return [
      ...set(right, i64.and(i64.shrU(get(cells), i64.const(1n)), notLast)),
      ...set(left, i64.and(i64.shl(get(cells), i64.const(1n)), notFirst)),
      ...set(down, words.down(empty, size, w)),
      ...set(up, words.up(empty, size, w)),
      // A border is counted at its empty side.
      ...[right, left, down, up].flatMap((next) => added(edges, i64.and(get(cells), not(get(next))))),
      ...added(none, i64.and(get(cells), not(i64.or(either(right, left), either(down, up))))),
      ...added(one, i64.and(get(cells), i64.and(oddly, not(pairs)))),
    ]
  })
  const worth = (points: number, number: number): Code => f64.mul(f64.const(points), f64.fromI64(get(number)))
  return [
    ...[edges, none, one].flatMap((sum) => set(sum, i64.const(0n))),
    ...perWord,
    ...f64.add(f64.add(worth(EDGE, edges), worth(POCKET, none)), worth(DEAD_END, one)),
  ]
}

/** Adds what each piece's number of anchors is worth. */
function roomCode(
  { size, cells, shapes, pieceStart }: ValueLayout,
  memory: ValueMemory,
  words: Words,
  locals: Locals,
  to: {
    room: number
    count: number
    hand: number
    sums: readonly number[]
    empty: readonly number[]
    learned: boolean
  },
): Code {
  const scan: number[][] = [[...to.empty], ...Array.from({ length: 9 }, () => locals.many(I64, words.count))]
  // Each entry of SCANNED from two others, the second of them moved.
  const runs = (
    [
      [1, 0, 0, 1],
      [2, 1, 0, 2],
      [3, 1, 1, 2],
      [4, 2, 1, 3],
      [5, 0, 0, size],
      [6, 5, 0, 2 * size],
      [7, 5, 5, 2 * size],
      [8, 6, 5, 3 * size],
      [9, 2, 2, size],
    ] as const
  ).flatMap(([entry, a, b, bits]) =>
    scan[entry]!.flatMap((local, w) => set(local, i64.and(get(scan[a]![w]!), words.down(scan[b]!, bits, w)))),
  )
  const pieces = shapes.flatMap((shape) => {
    const [a, b] = twoParts(shape)
    const anchors = to.empty.map((_, w) => {
      const first = words.down(scan[a.entry]!, a.row * size + a.col, w)
      const second = words.down(scan[b.entry]!, b.row * size + b.col, w)
      const columns = i64.const(words.mask(w, (col) => col <= size - shape.width))
      return i64.popcnt(i64.and(a === b ? first : i64.and(first, second), columns))
    })
    const room = i32.add(get(to.room), i32.shl(get(to.count), i32.const(3)))
    const sum = to.sums[shape.index % to.sums.length]!
    const table = memory.weights + (pieceStart + shape.index * (cells + 1)) * 4
    const weight = f32.load(i32.shl(get(to.count), i32.const(2)), table)
    return [
      ...set(to.count, i64.low(anchors.reduce(i64.add))),
      ...set(to.hand, f64.add(get(to.hand), f64.load(room, shape.index * (cells + 1) * 8))),
      ...(to.learned ? set(sum, f32.add(get(sum), weight)) : []),
    ]
  })
  return [...runs, ...pieces]
}

/** The learned value's other entries; the sums are emptied at the end. */
function learnedCode(
  layout: ValueLayout,
  memory: ValueMemory,
  words: Words,
  locals: Locals,
  from: { at: number; empty: readonly number[]; sums: readonly number[] },
): Code {
  const { cells, patterns, patternStarts, figureStarts } = layout
  const { sums } = from
  const board = locals.many(I64, words.count)
  const filled = locals.one(I32)
  const { code, boards } = symmetries(layout.size, memory, words, locals, board)
  let next = 0
  const add = (entry: Code, start: number): Code => {
    const sum = sums[next++ % sums.length]!
    const weight = f32.load(i32.shl(entry, i32.const(2)), memory.weights + start * 4)
    return set(sum, f32.add(get(sum), weight))
  }
  const perPattern = patterns.flatMap((pattern, i) =>
    boards.flatMap((local) => add(entryOf(pattern, layout.size, local), patternStarts[i]!)),
  )
  const figure = (i: number): Code =>
    i32.load(i32.mul(get(from.at), i32.const(figureStarts.length * 4)), memory.figures + i * 4)
  const perFigure = figureStarts.flatMap((start, i) =>
    add(i32.add(i32.mul(figure(i), i32.const(cells + 1)), get(filled)), start),
  )
  return [
    ...board.flatMap((local, w) => set(local, i64.xor(get(from.empty[w]!), words.all(w)))),
    ...set(filled, i64.low(board.map((local) => i64.popcnt(get(local))).reduce(i64.add))),
    ...code,
    ...perPattern,
    ...perFigure,
    ...f32.store(i32.mul(get(from.at), i32.const(4)), sums.map(get).reduce(f32.add), memory.learned),
    ...sums.flatMap((sum) => set(sum, f32.const(0))),
  ]
}

/** The bits of a block in the first word of a board, row by row. */
function entryOf({ height, width, row, col }: Pattern, size: number, board: number): Code {
  const moved = i64.shrU(get(board), i64.const(BigInt(row * size + col)))
  const bits = (count: number): bigint => (1n << BigInt(count)) - 1n
  if (width === size) return i64.low(i64.and(moved, i64.const(bits(height * width))))
  const rows = Array.from({ length: height }, (_, r) => {
    const place = i64.shrU(moved, i64.const(BigInt(r * (size - width))))
    return i64.and(place, i64.const(bits(width) << BigInt(r * width)))
  })
  return i64.low(rows.reduce(i64.or))
}

/** The first word of the board in each of the eight symmetries; patterns lie in its rows. */
function symmetries(
  size: 8 | 10,
  memory: ValueMemory,
  words: Words,
  locals: Locals,
  board: readonly number[],
): { code: Code; boards: number[] } {
  const numbers = Array.from({ length: size }, (_, row) => row)
  const rowMask = i64.const((1n << BigInt(size)) - 1n)
  const rowsOf = (from: readonly number[], into: readonly number[]): Code =>
    into.flatMap((local, row) => {
      const [w, bit] = words.row(row)
      return set(local, i64.and(i64.shrU(get(from[w]!), i64.const(BigInt(bit))), rowMask))
    })
  const byRow = (row: number, bytes: number): Code => i32.mul(i64.low(get(row)), i32.const(bytes))
  const mirror = (from: readonly number[], into: readonly number[]): Code =>
    into.flatMap((local, row) => set(local, i64.load(byRow(from[row]!, 8), memory.mirrored)))
  const rows = locals.many(I64, size)
  const turned = locals.many(I64, words.count)
  const turnedRows = locals.many(I64, size)
  const mirrors = [locals.many(I64, size), locals.many(I64, size)] as const
  const transpose = turned.flatMap((local, w) => {
    const columns = numbers.map((row) => {
      const column = i64.load(byRow(rows[row]!, words.count * 8), memory.upright + w * 8)
      return i64.shl(column, i64.const(BigInt(row)))
    })
    return set(local, columns.reduce(i64.or))
  })
  const boards: number[] = []
  const joined = [rows, turnedRows, ...mirrors].flatMap((lines) =>
    [lines, lines.toReversed()].flatMap((inOrder) => {
      const local = locals.one(I64)
      boards.push(local)
      const placed = numbers
        .filter((row) => words.row(row)[0] === 0)
        .map((row) => i64.shl(get(inOrder[row]!), i64.const(BigInt(words.row(row)[1]))))
      return set(local, placed.reduce(i64.or))
    }),
  )
  const code = [
    ...rowsOf(board, rows),
    ...transpose,
    ...rowsOf(turned, turnedRows),
    ...mirror(rows, mirrors[0]),
    ...mirror(turnedRows, mirrors[1]),
    ...joined,
  ]
  return { code, boards }
}
