/** The learned value of a board as WebAssembly: what its patterns and figures add; pieces are counted elsewhere. */
import { type Code, f32, get, I32, I64, i32, i64, set } from '../../random/wasm-code.ts'
import type { Pattern, ValueLayout } from './value-layout.ts'
import type { Locals, ValueMemory, Words } from './value-words.ts'

/** The learned value's other entries; the sums are emptied at the end. */
export function learnedCode(
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
