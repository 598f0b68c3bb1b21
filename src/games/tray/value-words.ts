/** What the WebAssembly that values boards is made of: its memory, its boards in words, its local variables. */
import { type Code, get, i64 } from '../../random/wasm-code.ts'

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
export class Words {
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
export class Locals {
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
