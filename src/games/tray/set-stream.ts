/**
 * The random draws of the sets of an episode. Set k draws from seedrandom's Alea seeded with the text
 * `{seed}:{k}`, the same numbers as `seeded(...)` of src/random/seeded.ts gives, but without its closures.
 *
 * Seeding is a chain of dependent multiplications over the text, three times, and would be most of the cost of
 * a step. The texts of five sets from a multiple of five on differ in their last digit only, so five chains are
 * run side by side, and the first of the three passes starts behind the part that all sets share.
 * Plain data, as all of a state is.
 */
export interface SetStream {
  /** The episode's seed. */
  seed: string
  /** The hash after three blanks and `{seed}:`. */
  head: number
  /** The first set of the five whose generators are ready; -1 when none is. */
  first: number
  /** Its last `READY_WORDS` words are the ready generators: [5, 3] int32, each in units of 2^-32. */
  readonly words: Int32Array
}

const LANES = 5
/** How many words a stream keeps at the end of its array. */
export const READY_WORDS = LANES * 3

const FRACTION = 2 ** -32
export const COLON = 58
export const ZERO = 48

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
export const HASH_3 = mash(HASH_2, 32)
/** [3] what the text's hashes are subtracted from, pass by pass. */
const BLANKS = [HASH_1 >>> 0, HASH_2 >>> 0, HASH_3 >>> 0] as const

/** [5] float64: the hash of each lane, while a block is seeded. */
const HASHES = new Float64Array(LANES)

/** [4] float64: the generator in use, which lasts for one deal: three fractions and the carry. */
const live = new Float64Array(4)

/** [characters] the part of the text that a block of five sets shares: `{seed}:` and all digits but the last. */
let shared = new Uint8Array(128)

/** Begins the sets of a seed. */
export function startSets(stream: SetStream, seed: string): void {
  stream.seed = seed
  stream.head = mash(afterText(HASH_3, seed), COLON)
  stream.first = -1
}

/** Makes set `set`'s generator the one that `drawBelow` uses. */
export function openSet(stream: SetStream, set: number): void {
  prepareSet(stream, set)
  const words = stream.words
  const at = words.length - READY_WORDS + (set - stream.first) * 3
  live[0] = (words[at]! >>> 0) * FRACTION
  live[1] = (words[at + 1]! >>> 0) * FRACTION
  live[2] = (words[at + 2]! >>> 0) * FRACTION
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
export function drawBelow(n: number): number {
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
  const digit = ZERO + (first % 10)
  let head = stream.head
  for (let i = stream.seed.length + 1; i < length; i++) head = mash(head, shared[i]!)
  for (let lane = 0; lane < LANES; lane++) HASHES[lane] = mash(head, digit + lane)
  storeFractions(stream.words, 0)
  hashShared(length, digit)
  storeFractions(stream.words, 1)
  hashShared(length, digit)
  storeFractions(stream.words, 2)
}

function storeFractions(words: Int32Array, pass: number): void {
  const at = words.length - READY_WORDS + pass
  for (let lane = 0; lane < LANES; lane++) words[at + lane * 3] = readyWord(pass, HASHES[lane]!)
}

/**
 * What a generator begins with after a pass of the text: Alea subtracts the hash from the blank's and adds 1 below
 * 0, which in units of 2^-32 is one wrapping subtraction.
 */
export function readyWord(pass: number, hash: number): number {
  return (BLANKS[pass]! - (hash >>> 0)) | 0
}

/** Hashes the shared text in all lanes, then each lane's last digit. */
function hashShared(length: number, digit: number): void {
  let a = HASHES[0]!
  let b = HASHES[1]!
  let c = HASHES[2]!
  let d = HASHES[3]!
  let e = HASHES[4]!
  for (let i = 0; i < length; i++) {
    const code = shared[i]!
    a = mash(a, code)
    b = mash(b, code)
    c = mash(c, code)
    d = mash(d, code)
    e = mash(e, code)
  }
  HASHES[0] = mash(a, digit)
  HASHES[1] = mash(b, digit + 1)
  HASHES[2] = mash(c, digit + 2)
  HASHES[3] = mash(d, digit + 3)
  HASHES[4] = mash(e, digit + 4)
}
