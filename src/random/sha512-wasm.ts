/** SHA-512 of one block as WebAssembly, on native 64-bit integers. */
import { SHA512_INITIAL, SHA512_ROUND_CONSTANTS } from './sha512.ts'
import { type Code, get, i32, i64, repeatWhile, set, v128 } from './wasm-code.ts'

/** The addresses and locals that the code works with. */
export interface Sha512Place {
  /** Local (i32): address of the padded 128-byte block. */
  readonly block: number
  /** Eight locals (i64), which end as the digest's words, first to last. */
  readonly state: readonly number[]
  /** Two scratch locals (i64) and one (i32). */
  readonly t1: number
  readonly t2: number
  readonly round: number
  /** Address of 128 bytes of scratch for the message schedule. */
  readonly schedule: number
  /** Address of the 640 bytes of `sha512Constants`. */
  readonly constants: number
}

const SWAP_EACH_HALF = [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8]

/** [80 * 2] uint32 round constants as little-endian 64-bit words, for the memory at `constants`. */
export function sha512Constants(): Uint32Array {
  return SHA512_ROUND_CONSTANTS.map((_, i, all) => all[i ^ 1]!)
}

/** Code that hashes one padded block into the state locals. */
export function sha512Block(place: Sha512Place): Code {
  const { block, state, round, schedule } = place
  const zero = i32.const(0)
  const load = Array.from({ length: 8 }, (_, i) =>
    v128.store(zero, v128.bytes(v128.load(get(block), i * 16), SWAP_EACH_HALF), schedule + i * 16),
  )
  return [
    ...load.flat(),
    ...state.flatMap((local, i) => set(local, i64.const(initial(i)))),
    ...set(round, zero),
    ...sixteenRounds(place, false),
    ...repeatWhile(
      i32.ne(get(round), i32.const(512)),
      set(round, i32.add(get(round), i32.const(128))),
      sixteenRounds(place, true),
    ),
    ...state.flatMap((local, i) => set(local, i64.add(get(local), i64.const(initial(i))))),
  ]
}

/** Rounds 16g to 16g + 15; `expanded` first renews each schedule word in its place of a ring of sixteen. */
function sixteenRounds(place: Sha512Place, expanded: boolean): Code {
  const { schedule, constants, t1, t2, round } = place
  const zero = i32.const(0)
  const word = (i: number): Code => i64.load(zero, schedule + (i & 15) * 8)
  const code: number[] = []
  for (let i = 0; i < 16; i++) {
    // The variables a..h move one local per round instead of being copied.
    const variable = (k: number): number => place.state[(k - i) & 7]!
    const [a, b, c, d] = [variable(0), variable(1), variable(2), variable(3)]
    const [e, f, g, h] = [variable(4), variable(5), variable(6), variable(7)]
    if (expanded) {
      code.push(...set(t1, word(i + 1)), ...set(t2, word(i + 14)))
      const sum = i64.add(i64.add(word(i), word(i + 9)), i64.add(sigma(t1, 1, 8, 7), sigma(t2, 19, 61, 6)))
      code.push(...set(t1, sum), ...i64.store(zero, get(t1), schedule + i * 8))
    } else {
      code.push(...set(t1, word(i)))
    }
    const choice = i64.xor(get(g), i64.and(get(e), i64.xor(get(f), get(g))))
    const majority = i64.xor(get(b), i64.and(i64.xor(get(a), get(b)), i64.xor(get(b), get(c))))
    const constant = i64.load(get(round), constants + i * 8)
    code.push(
      ...set(t1, i64.add(i64.add(get(t1), constant), i64.add(get(h), choice))),
      ...set(t1, i64.add(get(t1), bigSigma(e, 14, 18, 41))),
      ...set(d, i64.add(get(d), get(t1))),
      ...set(h, i64.add(get(t1), i64.add(bigSigma(a, 28, 34, 39), majority))),
    )
  }
  return code
}

const rotr = (local: number, bits: number): Code => i64.rotr(get(local), i64.const(BigInt(bits)))

function bigSigma(local: number, x: number, y: number, z: number): Code {
  return i64.xor(i64.xor(rotr(local, x), rotr(local, y)), rotr(local, z))
}

function sigma(local: number, x: number, y: number, shift: number): Code {
  return i64.xor(i64.xor(rotr(local, x), rotr(local, y)), i64.shrU(get(local), i64.const(BigInt(shift))))
}

function initial(i: number): bigint {
  return (BigInt(SHA512_INITIAL[i * 2]!) << 32n) | BigInt(SHA512_INITIAL[i * 2 + 1]!)
}
