/**
 * CPython's `random.Random(seed)` for a string seed (version 2 seeding), bit for bit: Modules/_randommodule.c
 * and Lib/random.py. The seed's UTF-8 bytes followed by their SHA-512 digest are one big-endian integer; its
 * 32-bit words, lowest first, are the key that seeds MT19937 (Matsumoto and Nishimura's init_by_array).
 */
import { sha512 } from './sha512.ts'

const N = 624
const M = 397

/** [624] uint32 the generator's words after init_genrand(19650218), where init_by_array starts. */
export const MT_INITIAL: Uint32Array = initialWords()

/** A generator that returns the same numbers as CPython's for the same string. */
export class PythonRandom {
  readonly #words: Int32Array
  #next = 0

  /** Any string; one that is not well-formed Unicode throws a RangeError, as Python refuses to encode it. */
  constructor(seed: string) {
    this.#words = initByArray(seedKey(seed))
  }

  /** The next fraction in [0, 1), with 53 random bits. */
  random(): number {
    const first = this.#word()
    return fractionOf(first, this.#word())
  }

  /** Twists one word at a time, in order, which equals twisting all of them before the first is used. */
  #word(): number {
    const words = this.#words
    const i = this.#next
    this.#next = (i + 1) % N
    const y = (words[i]! & 0x8000_0000) | (words[(i + 1) % N]! & 0x7fff_ffff)
    let value = words[(i + M) % N]! ^ (y >>> 1) ^ (y & 1 ? 0x9908_b0df : 0)
    words[i] = value
    value ^= value >>> 11
    value ^= (value << 7) & 0x9d2c_5680
    value ^= (value << 15) & 0xefc6_0000
    return value ^ (value >>> 18)
  }
}

/** The fraction in [0, 1) that random() makes of two output words of the generator. */
export function fractionOf(first: number, second: number): number {
  return ((first >>> 5) * 2 ** 26 + (second >>> 6)) / 2 ** 53
}

function seedKey(seed: string): Int32Array {
  if (/\p{Surrogate}/u.test(seed)) throw new RangeError('the seed is not well-formed Unicode')
  const text = new TextEncoder().encode(seed)
  const bytes = new Uint8Array(text.length + 64)
  bytes.set(text)
  bytes.set(sha512(text), text.length)
  // Leading zero bytes do not count in an integer.
  const start = bytes.findIndex((byte) => byte !== 0)
  const key = new Int32Array(Math.ceil((bytes.length - start) / 4))
  for (let i = start; i < bytes.length; i++) {
    const place = bytes.length - 1 - i
    key[place >> 2]! |= bytes[i]! << ((place & 3) * 8)
  }
  return key
}

function initByArray(key: Int32Array): Int32Array {
  const mt = Int32Array.from(MT_INITIAL)
  let i = 1
  let j = 0
  for (let k = Math.max(N, key.length); k > 0; k--) {
    mt[i] = (mt[i]! ^ Math.imul(mt[i - 1]! ^ (mt[i - 1]! >>> 30), 1_664_525)) + key[j]! + j
    if (++i === N) {
      mt[0] = mt[N - 1]!
      i = 1
    }
    if (++j === key.length) j = 0
  }
  for (let k = N - 1; k > 0; k--) {
    mt[i] = (mt[i]! ^ Math.imul(mt[i - 1]! ^ (mt[i - 1]! >>> 30), 1_566_083_941)) - i
    if (++i === N) {
      mt[0] = mt[N - 1]!
      i = 1
    }
  }
  mt[0] = 0x8000_0000
  return mt
}

function initialWords(): Uint32Array {
  const words = new Uint32Array(N)
  words[0] = 19_650_218
  for (let i = 1; i < N; i++) {
    const previous = words[i - 1]!
    words[i] = Math.imul(previous ^ (previous >>> 30), 1_812_433_253) + i
  }
  return words
}
