import { instantiate } from '../../random/wasm-code.ts'
import { roomTable } from './value.ts'
import { bothFunction, handFunction } from './value-code.ts'
import { type ValueLayout, valueLayout } from './value-layout.ts'
import type { ValueMemory } from './value-words.ts'

/** How many boards are valued in one run. */
export const VALUED_TOGETHER = 256

const PAGE = 65_536

/** Values boards of one size, up to `VALUED_TOGETHER` at a time. */
export interface BoardValues {
  /** [VALUED_TOGETHER, figures] int32 the figures of the learned value, below the layout's numbers of values. */
  readonly figures: Int32Array
  /** [VALUED_TOGETHER] float64 the hand-made values, and float32 the learned ones. */
  readonly hand: Float64Array
  readonly learned: Float32Array
  /** How many entries the tables of the learned value have. */
  readonly weightCount: number
  /** Sets board `index` of the run from the words of a tray board at `at`. */
  load(index: number, boards: Int32Array, at: number): void
  /**
   * Values the first `count` boards, 1 at least, where the next piece is drawn by the weights of a band. With
   * `weights`, [weightCount] float32 the tables of `ValueLayout`, also by them; whoever changes them gives a new array.
   */
  run(count: number, band: number, weights?: Float32Array): void
}

/**
 * Values for boards of a size. `bands` has the weights of the next piece in each band of the score, in any unit;
 * `figures` how many values each further figure of the learned value takes.
 */
export function createBoardValues(
  size: 8 | 10,
  bands: readonly (readonly number[])[],
  figures: readonly number[],
): BoardValues {
  const layout = valueLayout(size, figures)
  const rooms = bands.map((weights) => roomTable(layout.shapes, weights, layout.cells))
  const { memory, roomAt, bytes } = arrange(layout, figures.length, rooms)
  const functions = [handFunction(layout, memory), bothFunction(layout, memory)]
  const exports = instantiate(functions, Math.ceil(bytes / PAGE))
  const { buffer } = exports.memory as { readonly buffer: ArrayBuffer }
  const hand = exports.hand as (boards: number, room: number) => void
  const both = exports.both as (boards: number, room: number) => void
  for (const [band, room] of rooms.entries()) new Float64Array(buffer, roomAt[band]).set(room)
  writeRows(size, memory, buffer)
  const boards = new Int32Array(buffer, memory.boards, VALUED_TOGETHER * wordsOf(size) * 2)
  const tables = new Float32Array(buffer, memory.weights, layout.total)
  const write = size === 8 ? write8 : write10
  let known: Float32Array | undefined
  return {
    figures: new Int32Array(buffer, memory.figures, VALUED_TOGETHER * figures.length),
    hand: new Float64Array(buffer, memory.hand, VALUED_TOGETHER),
    learned: new Float32Array(buffer, memory.learned, VALUED_TOGETHER),
    weightCount: layout.total,
    load: (index, from, at) => write(boards, index, from, at),
    run(count, band, weights) {
      if (weights === undefined) return hand(count, roomAt[band]!)
      if (weights !== known) tables.set(weights)
      known = weights
      both(count, roomAt[band]!)
    },
  }
}

/** The same when they are first needed: making them takes some hundredths of a second. */
export function laterBoardValues(...settings: Parameters<typeof createBoardValues>): () => BoardValues {
  let values: BoardValues | undefined
  return () => {
    values ??= createBoardValues(...settings)
    return values
  }
}

/** Words of 64 bits that the code keeps a board in. */
function wordsOf(size: 8 | 10): number {
  return size === 8 ? 1 : 2
}

/** Where everything lies in memory. */
function arrange({ size, total }: ValueLayout, figures: number, rooms: readonly Float64Array[]) {
  const words = wordsOf(size)
  let bytes = 0
  const take = (count: number): number => {
    bytes += count
    return bytes - count
  }
  const roomAt = rooms.map((room) => take(room.byteLength))
  const memory: ValueMemory = {
    boards: take(VALUED_TOGETHER * words * 8),
    hand: take(VALUED_TOGETHER * 8),
    mirrored: take(8 << size),
    upright: take((8 * words) << size),
    figures: take(VALUED_TOGETHER * figures * 4),
    learned: take(VALUED_TOGETHER * 4),
    weights: take(total * 4),
  }
  return { memory, roomAt, bytes }
}

/** Fills the tables that turn and mirror a row. */
function writeRows(size: 8 | 10, { mirrored, upright }: ValueMemory, buffer: ArrayBuffer): void {
  const words = wordsOf(size)
  const mirror = new BigInt64Array(buffer, mirrored, 1 << size)
  const columns = new BigInt64Array(buffer, upright, words << size)
  const rowsOfWord = size === 8 ? 8 : 6
  for (let row = 0; row < 1 << size; row++) {
    for (let col = 0; col < size; col++) {
      if (((row >> col) & 1) === 0) continue
      mirror[row]! |= 1n << BigInt(size - 1 - col)
      columns[row * words + Math.floor(col / rowsOfWord)]! |= 1n << BigInt((col % rowsOfWord) * size)
    }
  }
}

function write8(boards: Int32Array, index: number, from: Int32Array, at: number): void {
  boards[index * 2] = from[at]!
  boards[index * 2 + 1] = from[at + 1]!
}

/** Two words of 30 bits make one of 60. */
function write10(boards: Int32Array, index: number, from: Int32Array, at: number): void {
  const to = index * 4
  boards[to] = from[at]! | (from[at + 1]! << 30)
  boards[to + 1] = from[at + 1]! >>> 2
  boards[to + 2] = from[at + 2]! | (from[at + 3]! << 30)
  boards[to + 3] = from[at + 3]! >>> 2
}
