/**
 * CPython's string seeding for many strings at once, for callers that need only the first numbers of many
 * generators. Seeding one is a chain of 1,247 dependent steps, so the chains run side by side, four a vector;
 * with six vectors the machine has work for each cycle that a single chain would wait.
 */

import { firstWords, seedAll, seedFew } from './mersenne-wasm.ts'
import { MT_INITIAL } from './python-random.ts'
import { sha512Block, sha512Constants } from './sha512-wasm.ts'
import { get, I32, I64, i32, i64, instantiate, repeatWhile, set } from './wasm-code.ts'

/** How many strings are seeded in one run. */
export const LANES = 24

/** Up to so many strings cost hardly more than one: ordinary integers take less time a step than vectors. */
export const FEW_LANES = 4

/** How many output words of each generator a run gives: two for each call of random(). */
export const LANE_WORDS = 12

/** Room for a string, in bytes; the string is at least one shorter, for SHA-512's padding to fit one block. */
export const LANE_BYTES = 112

/** LANES generators in the making. */
export interface RandomLanes {
  /** [LANE_WORDS * LANES] uint32 the last run's output words: word w of lane l is at w * LANES + l. */
  readonly words: Uint32Array
  /**
   * Sets the string of a lane: `length` bytes of `prefix`, then `suffix` (an integer >= 0) in decimal. It is
   * ASCII, does not start with a zero byte, and has fewer than LANE_BYTES; all lanes of one run have the same
   * `keyLength`. `prefix` is [LANE_BYTES / 4] int32, the first character lowest, with zeros after its end.
   */
  load(lane: number, prefix: Int32Array, length: number, suffix: number): void
  /** Seeds the generators of the first `count` lanes and takes their first words; those of others mean nothing. */
  run(keyLength: number, count: number): void
}

/** How many 32-bit words the seeding key of a string of `length` bytes has. */
export function keyLength(length: number): number {
  return (length + 64 + 3) >> 2
}

const ROW = LANES * 4
const BLOCK = 144

// Where things are in memory, in bytes.
const SCHEDULE = 0
const CONSTANTS = SCHEDULE + 128
const INITIAL = CONSTANTS + 640
const KEYS = INITIAL + 624 * 4
const OUTPUT = KEYS + keyLength(LANE_BYTES) * ROW
const BLOCKS = OUTPUT + LANE_WORDS * ROW
const STATE = BLOCKS + LANES * BLOCK
const LAYOUT = { lanes: LANES, keys: KEYS, initial: INITIAL, state: STATE, output: OUTPUT }
const PAGES = Math.ceil((STATE + 624 * ROW) / 65_536)

interface Memory {
  readonly bytes: Uint8Array
  readonly words: Int32Array
}

/** Makes lanes with a memory of their own, or gives undefined where there is no WebAssembly with SIMD. */
export function createRandomLanes(): RandomLanes | undefined {
  let exports: { readonly [name: string]: unknown }
  try {
    exports = instantiate(
      [hashFunction(), seedFew(LAYOUT, FEW_LANES), seedAll(LAYOUT), firstWords(LAYOUT, LANE_WORDS)],
      PAGES,
    )
  } catch {
    return undefined
  }
  const hash = exports.hash as (block: number, key: number, bytes: number, keyEnd: number) => void
  const few = exports.seedFew as (keyWords: number) => void
  const all = exports.seedAll as (keyWords: number) => void
  const output = exports.firstWords as () => void
  const { buffer } = exports.memory as { readonly buffer: ArrayBuffer }
  const memory = { bytes: new Uint8Array(buffer), words: new Int32Array(buffer) }
  memory.words.set(sha512Constants(), CONSTANTS / 4)
  memory.words.set(MT_INITIAL, INITIAL / 4)
  const lengths = new Int32Array(LANES)
  return {
    words: new Uint32Array(buffer, OUTPUT, LANE_WORDS * LANES),
    load(lane, prefix, length, suffix) {
      const start = BLOCKS + lane * BLOCK + 16
      lengths[lane] = writeBlock(memory, start, prefix, length, suffix)
    },
    run(keyWords, count) {
      for (let lane = 0; lane < count; lane++) {
        hash(BLOCKS + lane * BLOCK + 16, KEYS + lane * 4, lengths[lane]!, keyWords)
      }
      if (count <= FEW_LANES) few(keyWords)
      else all(keyWords)
      output()
    },
  }
}

/** Writes prefix, decimal suffix and SHA-512's padding as one block; returns the string's length. */
function writeBlock(memory: Memory, start: number, prefix: Int32Array, length: number, suffix: number) {
  const { bytes, words } = memory
  for (let i = 0; i < LANE_BYTES / 4; i++) words[start / 4 + i] = prefix[i]!
  let total = length + 1
  for (let rest = suffix; rest >= 10; rest = Math.floor(rest / 10)) total++
  let rest = suffix
  for (let i = total - 1; i >= length; i--) {
    const next = Math.floor(rest / 10)
    bytes[start + i] = 48 + rest - next * 10
    rest = next
  }
  bytes[start + total] = 0x80
  bytes[start + 126] = total >> 5
  bytes[start + 127] = total << 3
  return total
}

/**
 * hash(block, key, bytes, keyWords): writes a lane's seeding key, each word with its own index added as
 * init_by_array will. The digest comes last in the string, so its last word is the key's first.
 */
function hashFunction() {
  const [block, key, bytes, keyWords, round, j, at, t1, t2] = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const
  const state = [9, 10, 11, 12, 13, 14, 15, 16]
  const digest = state.flatMap((_, i) => {
    const word = get(state[7 - i]!)
    return [
      ...i32.store(get(key), i32.add(i64.low(word), i32.const(2 * i)), 2 * i * ROW),
      ...i32.store(
        get(key),
        i32.add(i64.low(i64.shrU(word, i64.const(32n))), i32.const(2 * i + 1)),
        (2 * i + 1) * ROW,
      ),
    ]
  })
  // The bytes before the block are zero, as are those of a number above its highest digit.
  const swapped = i32.or(
    i32.and(i32.rotl(i32.load(get(at)), i32.const(8)), i32.const(0x00ff_00ff)),
    i32.and(i32.rotl(i32.load(get(at)), i32.const(24)), i32.const(0xff00_ff00)),
  )
  const text = [
    ...set(j, i32.const(16)),
    ...set(at, i32.sub(i32.add(get(block), get(bytes)), i32.const(4))),
    ...repeatWhile(
      i32.ltU(get(j), get(keyWords)),
      i32.store(i32.add(get(key), i32.mul(get(j), i32.const(ROW))), i32.add(swapped, get(j))),
      set(at, i32.sub(get(at), i32.const(4))),
      set(j, i32.add(get(j), i32.const(1))),
    ),
  ]
  const place = { block, state, t1, t2, round, schedule: SCHEDULE, constants: CONSTANTS }
  return {
    name: 'hash',
    parameters: [I32, I32, I32, I32],
    locals: [I32, I32, I32, I64, I64, ...state.map(() => I64)],
    body: [...sha512Block(place), ...digest, ...text],
  }
}
