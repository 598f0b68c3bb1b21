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
import { learnedCode } from './learned-code.ts'
import { DEAD_END, EDGE, POCKET } from './value.ts'
import type { ValueLayout } from './value-layout.ts'
import { Locals, type ValueMemory, Words } from './value-words.ts'

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
