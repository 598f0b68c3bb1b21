/**
 * The random draws of the sets of an episode. Set k draws from seedrandom's Alea seeded with the text
 * `{seed}:{k}`, the same numbers as `seeded(...)` of src/random/seeded.ts gives, but without its closures.
 *
 * Seeding is a chain of dependent multiplications over the text, three times, and would be most of the cost of
 * a step. Texts of ten sets from a multiple of ten on differ in their last digit only, so ten chains are run
 * side by side, and the first of the three passes starts behind the part that all sets share.
 * Plain data, as all of a state is.
 */
export interface SetStream {
  /** The episode's seed. */
  seed: string
  /** The hash after three blanks and `{seed}:`. */
  head: number
  /** The first set whose generator is ready in `ready`; -1 when none is. */
  first: number
  /** [10, 3] float64: the three fractions that a generator starts with, for sets first..first + 9. */
  readonly ready: Float64Array
  /** [4] float64: the generator in use, three fractions and the carry. */
  readonly live: Float64Array
}

const LANES = 10
const FRACTION = 2 ** -32
const COLON = 58
const ZERO = 48

/** One character of Alea's hash (Johannes Baagøe's Mash). */
function mash(hash: number, code: number): number {
  const n = hash + code
  let h = 0.02519603282416938 * n
  const whole = Math.floor(h)
  h = (h - whole) * whole
  const rest = Math.floor(h)
  return rest + (h - rest) * 0x100000000
}

function afterText(hash: number, text: string): number {
  let n = hash
  for (let i = 0; i < text.length; i++) n = mash(n, text.charCodeAt(i))
  return n
}

// Every generator hashes three blanks first, each of which starts one of the fractions.
const HASH_1 = mash(0xefc8249d, 32)
const HASH_2 = mash(HASH_1, 32)
const HASH_3 = mash(HASH_2, 32)
const BLANK_0 = (HASH_1 >>> 0) * FRACTION
const BLANK_1 = (HASH_2 >>> 0) * FRACTION
const BLANK_2 = (HASH_3 >>> 0) * FRACTION

/** [10] float64: the hash of each lane, while a block is seeded. */
const HASHES = new Float64Array(LANES)

/** [characters] the part of the text that a block of ten sets shares: `{seed}:` and all digits but the last. */
let shared = new Uint8Array(128)

/** A stream that must be started before use. */
export function createSetStream(): SetStream {
  return { seed: '', head: 0.5, first: -1, ready: new Float64Array(LANES * 3), live: new Float64Array(4) }
}

/** Begins the sets of a seed. */
export function startSets(stream: SetStream, seed: string): void {
  stream.seed = seed
  stream.head = mash(afterText(HASH_3, seed), COLON)
  stream.first = -1
}

/** Makes set `set`'s generator the one in use. */
export function openSet(stream: SetStream, set: number): void {
  prepareSet(stream, set)
  const at = (set - stream.first) * 3
  const { ready, live } = stream
  live[0] = ready[at]!
  live[1] = ready[at + 1]!
  live[2] = ready[at + 2]!
  live[3] = 1
}

/** Seeds the block of set `set` ahead of its use; false when it was ready. */
export function prepareSet(stream: SetStream, set: number): boolean {
  const first = set - (set % LANES)
  if (stream.first === first) return false
  seedBlock(stream, first)
  stream.first = first
  return true
}

/** A uniform integer in 0..n-1 from the generator in use; n is at most 2^21. */
export function drawBelow(stream: SetStream, n: number): number {
  const live = stream.live
  const t = 2091639 * live[0]! + live[3]! * FRACTION
  const carry = t | 0
  const next = t - carry
  live[0] = live[1]!
  live[1] = live[2]!
  live[2] = next
  live[3] = carry
  return (next * n) | 0
}

/** Writes the shared text of a block and returns its length. */
function writeShared(seed: string, first: number): number {
  if (shared.length < seed.length + 20) shared = new Uint8Array(seed.length * 2)
  let length = 0
  while (length < seed.length) {
    shared[length] = seed.charCodeAt(length)
    length++
  }
  shared[length++] = COLON
  let divisor = 1
  while (divisor * 10 <= first) divisor *= 10
  for (; divisor >= 10; divisor /= 10) shared[length++] = ZERO + (Math.floor(first / divisor) % 10)
  return length
}

function seedBlock(stream: SetStream, first: number): void {
  const length = writeShared(stream.seed, first)
  const { ready } = stream
  let head = stream.head
  for (let i = stream.seed.length + 1; i < length; i++) head = mash(head, shared[i]!)
  for (let lane = 0; lane < LANES; lane++) HASHES[lane] = mash(head, ZERO + lane)
  storeFractions(ready, 0, BLANK_0)
  hashShared(length)
  storeFractions(ready, 1, BLANK_1)
  hashShared(length)
  storeFractions(ready, 2, BLANK_2)
}

function storeFractions(ready: Float64Array, which: number, blank: number): void {
  for (let lane = 0; lane < LANES; lane++) {
    const fraction = blank - (HASHES[lane]! >>> 0) * FRACTION
    ready[lane * 3 + which] = fraction < 0 ? fraction + 1 : fraction
  }
}

/** Hashes the shared text, then each lane's digit; in halves, so that the hashes stay in registers. */
function hashShared(length: number): void {
  hashFive(length, 0)
  hashFive(length, 5)
}

function hashFive(length: number, lane: number): void {
  let a = HASHES[lane]!
  let b = HASHES[lane + 1]!
  let c = HASHES[lane + 2]!
  let d = HASHES[lane + 3]!
  let e = HASHES[lane + 4]!
  for (let i = 0; i < length; i++) {
    const code = shared[i]!
    a = mash(a, code)
    b = mash(b, code)
    c = mash(c, code)
    d = mash(d, code)
    e = mash(e, code)
  }
  HASHES[lane] = mash(a, ZERO + lane)
  HASHES[lane + 1] = mash(b, ZERO + lane + 1)
  HASHES[lane + 2] = mash(c, ZERO + lane + 2)
  HASHES[lane + 3] = mash(d, ZERO + lane + 3)
  HASHES[lane + 4] = mash(e, ZERO + lane + 4)
}
