/**
 * Sets of tiles as bits: three rows of nine tiles fill 27 bits of a word, three words hold the board. A region
 * is an Int32Array of three words, or three words inside a longer one.
 *
 *     word 0, bits 0..26   rows 0 1 2
 *     word 1, bits 0..26   rows 3 4 5
 *     word 2, bits 0..26   rows 6 7 8
 */
import { TILES } from './tiles.ts'

/** [3] int32 a set of tiles. */
export type Region = Int32Array

/** Every bit of a word; every bit but column 0; every bit but column 8. */
export const FULL = 0x7ffffff
export const NOT_WEST_EDGE = FULL & ~(1 | (1 << 9) | (1 << 18))
export const NOT_EAST_EDGE = FULL & ~((1 << 8) | (1 << 17) | (1 << 26))

/** [81] uint8 the word that holds a tile. */
export const WORD: Uint8Array = Uint8Array.from({ length: TILES }, (_, tile) => (tile / 27) | 0)
/** [81] int32 a tile's bit in that word. */
export const BIT: Int32Array = Int32Array.from({ length: TILES }, (_, tile) => 1 << (tile % 27))

/** Whether a region holds a tile. */
export function has(region: Region, tile: number): boolean {
  return (region[WORD[tile]!]! & BIT[tile]!) !== 0
}

/** Puts a tile into a region. */
export function add(region: Region, tile: number): void {
  region[WORD[tile]!]! |= BIT[tile]!
}

/** Takes a tile out of a region. */
export function remove(region: Region, tile: number): void {
  region[WORD[tile]!]! &= ~BIT[tile]!
}

/** How many tiles a region holds. */
export function size(region: Region): number {
  return popCount(region[0]!) + popCount(region[1]!) + popCount(region[2]!)
}

function popCount(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555)
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333)
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** The tile of a region that is `rank`-th in tile order; `rank` is below its size. */
export function nth(region: Region, rank: number): number {
  let left = rank
  let word = 0
  let inWord = popCount(region[0]!)
  while (left >= inWord) {
    left -= inWord
    inWord = popCount(region[++word]!)
  }
  let bits = region[word]!
  while (left-- > 0) bits &= bits - 1
  return word * 27 + 31 - Math.clz32(bits & -bits)
}

/** Writes the four-neighbourhood of `from` (`from` itself included) into `into`; they may be the same. */
export function spread(from: Region, into: Region): void {
  const x0 = from[0]!
  const x1 = from[1]!
  const x2 = from[2]!
  into[0] = beside(x0) | ((x0 << 9) & FULL) | (x0 >>> 9) | ((x1 & 0x1ff) << 18)
  into[1] = beside(x1) | ((x1 << 9) & FULL) | (x0 >>> 18) | (x1 >>> 9) | ((x2 & 0x1ff) << 18)
  into[2] = beside(x2) | ((x2 << 9) & FULL) | (x1 >>> 18) | (x2 >>> 9)
}

function beside(x: number): number {
  return x | ((x << 1) & NOT_WEST_EDGE) | ((x >>> 1) & NOT_EAST_EDGE)
}

/** Whether every tile of a region can be reached from every other inside it; false for an empty one. */
export function isConnected(region: Region): boolean {
  const a = region[0]!
  const b = region[1]!
  const c = region[2]!
  let x0 = a & -a
  let x1 = a === 0 ? b & -b : 0
  let x2 = (a | b) === 0 ? c & -c : 0
  if ((x0 | x1 | x2) === 0) return false
  for (;;) {
    const y0 = a & (beside(x0) | (x0 << 9) | (x0 >>> 9) | ((x1 & 0x1ff) << 18))
    const y1 = b & (beside(x1) | (x1 << 9) | (y0 >>> 18) | (x1 >>> 9) | ((x2 & 0x1ff) << 18))
    const y2 = c & (beside(x2) | (x2 << 9) | (y1 >>> 18) | (x2 >>> 9))
    if (y0 === x0 && y1 === x1 && y2 === x2) return y0 === a && y1 === b && y2 === c
    x0 = y0
    x1 = y1
    x2 = y2
  }
}

/** Whether a region holds one of the four neighbours of a tile. */
export function touches(region: Region, tile: number): boolean {
  const at = tile * 3
  return ((region[0]! & NEAR[at]!) | (region[1]! & NEAR[at + 1]!) | (region[2]! & NEAR[at + 2]!)) !== 0
}

/** [81, 3] int32 the four neighbours of each tile. */
export const NEAR: Int32Array = buildNear()

function buildNear(): Int32Array {
  const near = new Int32Array(TILES * 3)
  const one = new Int32Array(3)
  for (let tile = 0; tile < TILES; tile++) {
    one.fill(0)
    add(one, tile)
    spread(one, one)
    remove(one, tile)
    near.set(one, tile * 3)
  }
  return near
}

/** Stands for a tile that cannot be reached. */
export const FAR = 255

/**
 * Writes the steps from a tile to every tile of a region and to the tiles beside it, as ends of a walk, into 81
 * bytes from `at`; FAR elsewhere. Each round spreads the newest tiles by one step.
 */
export function measureSteps(from: number, ground: Region, steps: Uint8Array, at: number): void {
  steps.fill(FAR, at, at + TILES)
  front.fill(0)
  add(front, from)
  seen.fill(0)
  for (let distance = 0; ; distance++) {
    let fresh = 0
    for (let word = 0; word < 3; word++) {
      const reached = front[word]! & ~seen[word]!
      seen[word]! |= reached
      front[word] = distance === 0 ? reached : reached & ground[word]!
      fresh |= reached
      for (let bits = reached; bits !== 0; bits &= bits - 1) {
        steps[at + word * 27 + 31 - Math.clz32(bits & -bits)] = distance
      }
    }
    if (fresh === 0) return
    spread(front, front)
  }
}

const front: Region = new Int32Array(3)
const seen: Region = new Int32Array(3)
