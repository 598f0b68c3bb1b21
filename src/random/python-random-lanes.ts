/**
 * CPython's string seeding for many strings at once, for callers that need only the first numbers of many
 * generators. Seeding one is a chain of 1,247 dependent steps, so the chains run side by side, four a vector;
 * with six vectors the machine has work for each cycle that a single chain would wait.
 */
import { MT_INITIAL } from './python-random.ts'
import { sha512Block, sha512Constants } from './sha512-wasm.ts'
import { type Code, get, I32, I64, i32, i64, instantiate, repeatWhile, set, V128, v128 } from './wasm-code.ts'

/** How many strings are seeded in one run. */
export const LANES = 24

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
  /** Seeds the generators of all lanes and takes their first words; a lane not loaded keeps its last string. */
  run(keyLength: number): void
}

/** How many 32-bit words the seeding key of a string of `length` bytes has. */
export function keyLength(length: number): number {
  return (length + 64 + 3) >> 2
}

const VECTORS = LANES / 4
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
const PAGES = Math.ceil((STATE + 624 * ROW) / 65_536)

interface Memory {
  readonly bytes: Uint8Array
  readonly words: Int32Array
}

/** Makes lanes with a memory of their own, or gives undefined where there is no WebAssembly with SIMD. */
export function createRandomLanes(): RandomLanes | undefined {
  let exports: { readonly [name: string]: unknown }
  try {
    exports = instantiate([hashFunction(), seedFunction(), outputFunction()], PAGES)
  } catch {
    return undefined
  }
  const hash = exports.hash as (block: number, key: number, bytes: number, keyEnd: number) => void
  const seed = exports.seed as (keyBytes: number) => void
  const output = exports.output as () => void
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
    run(words) {
      for (let lane = 0; lane < LANES; lane++) {
        hash(BLOCKS + lane * BLOCK + 16, KEYS + lane * 4, lengths[lane]!, words)
      }
      seed(words * ROW)
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
      ...i32.store(get(key), i32.add(low(word), i32.const(2 * i)), 2 * i * ROW),
      ...i32.store(get(key), i32.add(high(word), i32.const(2 * i + 1)), (2 * i + 1) * ROW),
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

const low = (word: Code): Code => [...word, 0xa7]
const high = (word: Code): Code => low(i64.shrU(word, i64.const(32n)))

/** seed(keyBytes): MT19937's init_by_array on all lanes; only the words that `output` reads are right after it. */
function seedFunction() {
  const [keyBytes, at, key, index] = [0, 1, 2, 3] as const
  const last = Array.from({ length: VECTORS }, (_, v) => 4 + v)
  const each = (code: (local: number, offset: number) => Code): Code =>
    last.flatMap((local, v) => code(local, v * 16))
  const mixed = (local: number, factor: number): Code =>
    v128.mul(v128.xor(get(local), v128.shrU(get(local), i32.const(30))), v128.splat(i32.const(factor)))
  const first = (old: (offset: number) => Code): Code => [
    ...each((local, offset) => [
      ...set(
        local,
        v128.add(v128.xor(old(offset), mixed(local, 1_664_525)), v128.load(get(key), KEYS + offset)),
      ),
      ...v128.store(get(at), get(local), STATE + offset),
    ]),
    ...set(key, i32.add(get(key), i32.const(ROW))),
    ...set(key, i32.select(i32.const(0), get(key), [...get(key), ...get(keyBytes), 0x46])),
  ]
  const second: Code = each((local, offset) => [
    ...set(
      local,
      v128.sub(
        v128.xor(v128.load(get(at), STATE + offset), mixed(local, 1_566_083_941)),
        v128.splat(get(index)),
      ),
    ),
    ...v128.store(get(at), get(local), STATE + offset),
  ])
  const advance = [
    ...set(at, i32.add(get(at), i32.const(ROW))),
    ...set(index, i32.add(get(index), i32.const(1))),
  ]
  const start = (i: number): Code => [...set(at, i32.const(i * ROW)), ...set(index, i32.const(i))]
  const more = i32.ne(get(index), i32.const(624))
  const fresh = v128.load32Splat(i32.mul(get(index), i32.const(4)), INITIAL)
  const body = [
    ...each((local) => set(local, v128.splat(i32.const(MT_INITIAL[0]!)))),
    ...start(1),
    ...repeatWhile(
      more,
      first(() => fresh),
      advance,
    ),
    // The first pass is one step longer than the words, and the second ends where it began.
    ...start(1),
    ...first((offset) => v128.load(get(at), STATE + offset)),
    ...start(2),
    ...repeatWhile(more, second, advance),
    ...start(1),
    ...second,
    ...start(0),
    ...each((_, offset) => v128.store(get(at), v128.splat(i32.const(0x8000_0000)), STATE + offset)),
  ]
  return { name: 'seed', parameters: [I32], locals: [I32, I32, I32, ...last.map(() => V128)], body }
}

/** output(): twists and tempers the first words; none of them reads a word that another has twisted. */
function outputFunction() {
  const [at, y] = [0, 1] as const
  const constant = (value: number): Code => v128.splat(i32.const(value))
  const temper = (shifted: Code): Code => set(y, v128.xor(get(y), shifted))
  const one = (offset: number): Code => {
    const word = (index: number): Code => v128.load(get(at), STATE + index * ROW + offset)
    const odd = v128.neg(v128.and(get(y), constant(1)))
    return [
      ...set(y, v128.or(v128.and(word(0), constant(0x8000_0000)), v128.and(word(1), constant(0x7fff_ffff)))),
      ...set(
        y,
        v128.xor(v128.xor(word(397), v128.shrU(get(y), i32.const(1))), v128.and(odd, constant(0x9908_b0df))),
      ),
      ...temper(v128.shrU(get(y), i32.const(11))),
      ...temper(v128.and(v128.shl(get(y), i32.const(7)), constant(0x9d2c_5680))),
      ...temper(v128.and(v128.shl(get(y), i32.const(15)), constant(0xefc6_0000))),
      ...temper(v128.shrU(get(y), i32.const(18))),
      ...v128.store(get(at), get(y), OUTPUT + offset),
    ]
  }
  const body = [
    ...set(at, i32.const(0)),
    ...repeatWhile(
      i32.ne(get(at), i32.const(LANE_WORDS * ROW)),
      ...Array.from({ length: VECTORS }, (_, v) => one(v * 16)),
      set(at, i32.add(get(at), i32.const(ROW))),
    ),
  ]
  return { name: 'output', parameters: [], locals: [I32, V128], body }
}
