/**
 * The seeding of seedrandom's Alea (Johannes Baagøe's Mash) for texts that differ in their last character only,
 * in several groups at once. It is a chain of dependent multiplications over the text, three times; here the
 * chains run side by side, two a vector, so that the machine has work for each cycle that one chain would wait.
 * Each step is the same arithmetic on the same 64-bit floats, so the results are the same to the bit.
 */
import {
  type Code,
  F64,
  f64x2,
  get,
  I32,
  i32,
  instantiate,
  repeatWhile,
  set,
  V128,
  v128,
} from './wasm-code.ts'

/** How many groups of texts are hashed in one run. */
export const GROUPS = 4

/** How many texts a group has. */
export const GROUP_LANES = 5

/** The longest text without its last character. */
export const MOST_CHARACTERS = 127

/** Alea hashes three blanks before the text. */
const PASSES = 3

const PAIRS = 3
const PAIR_BYTES = 16
const GROUP_BYTES = PAIRS * PAIR_BYTES
const PASS_BYTES = GROUPS * GROUP_BYTES
const TEXT_BYTES = (MOST_CHARACTERS + 1) * 8

// Where things are in memory, in bytes.
const TEXTS = 0
const LAST = TEXTS + GROUPS * TEXT_BYTES
const HEADS = LAST + PASS_BYTES
const HASHES = HEADS + PASSES * PASS_BYTES
const PAGES = 1

/** GROUPS groups of texts in the making. */
export interface AleaLanes {
  /** Sets the texts of a group: `length` characters that they share, then one of five from `last` on. */
  load(group: number, text: ArrayLike<number>, length: number, last: number): void
  /** Hashes all groups, from `hash` on; their texts must have this length. */
  run(hash: number, length: number): void
  /** The hash of a group's shared text after the first pass. */
  head(group: number): number
  /** The hash of a text after a pass, 0 to 2. */
  hash(group: number, lane: number, pass: number): number
}

/** Makes lanes with a memory of their own, or gives undefined where there is no WebAssembly with SIMD. */
export function createAleaLanes(): AleaLanes | undefined {
  let exports: { readonly [name: string]: unknown }
  try {
    exports = instantiate([hashFunction()], PAGES)
  } catch {
    return undefined
  }
  const run = exports.hash as (start: number, end: number) => void
  const floats = new Float64Array((exports.memory as { readonly buffer: ArrayBuffer }).buffer)
  return {
    load(group, text, length, last) {
      const at = (TEXTS + group * TEXT_BYTES) / 8
      for (let i = 0; i < length; i++) floats[at + i] = text[i]!
      const lastAt = (LAST + group * GROUP_BYTES) / 8
      for (let lane = 0; lane < 2 * PAIRS; lane++) floats[lastAt + lane] = last + lane
    },
    run: (hash, length) => run(hash, length * 8),
    head: (group) => floats[(HEADS + group * GROUP_BYTES) / 8]!,
    hash: (group, lane, pass) => floats[(HASHES + pass * PASS_BYTES + group * GROUP_BYTES) / 8 + lane]!,
  }
}

/** hash(start, end): hashes the characters before byte `end` of every group's text, then the last ones, three times. */
function hashFunction() {
  const [start, end, at, pass, n] = [0, 1, 2, 3, 4] as const
  const hashes = Array.from({ length: GROUPS * PAIRS }, (_, i) => 5 + i)
  const each = (code: (local: number, i: number) => Code): Code => hashes.flatMap(code)
  const whole = 5 + hashes.length
  const constant = (value: number): Code => f64x2.splat(f64x2.const(value))
  /** The locals `n` and `whole` are worked with; `local` has the result. */
  const mash = (local: number, characters: Code): Code => [
    ...set(n, f64x2.mul(constant(0.02519603282416938), f64x2.add(get(local), characters))),
    ...set(whole, f64x2.floor(get(n))),
    ...set(n, f64x2.mul(f64x2.sub(get(n), get(whole)), get(whole))),
    ...set(whole, f64x2.floor(get(n))),
    ...set(local, f64x2.add(get(whole), f64x2.mul(f64x2.sub(get(n), get(whole)), constant(0x1_0000_0000)))),
  ]
  const shared = (i: number): Code => v128.load64Splat(get(at), TEXTS + Math.floor(i / PAIRS) * TEXT_BYTES)
  const zero = i32.const(0)
  const body = [
    ...each((local) => set(local, f64x2.splat(get(start)))),
    ...set(pass, zero),
    ...repeatWhile(
      i32.ltU(get(pass), i32.const(PASSES * PASS_BYTES)),
      set(at, zero),
      repeatWhile(
        i32.ltU(get(at), get(end)),
        each((local, i) => mash(local, shared(i))),
        set(at, i32.add(get(at), i32.const(8))),
      ),
      each((local, i) => v128.store(get(pass), get(local), HEADS + i * PAIR_BYTES)),
      each((local, i) => mash(local, v128.load(zero, LAST + i * PAIR_BYTES))),
      each((local, i) => v128.store(get(pass), get(local), HASHES + i * PAIR_BYTES)),
      set(pass, i32.add(get(pass), i32.const(PASS_BYTES))),
    ),
  ]
  return {
    name: 'hash',
    parameters: [F64, I32],
    locals: [I32, I32, V128, ...hashes.map(() => V128), V128],
    body,
  }
}
