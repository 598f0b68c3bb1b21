/**
 * SHA-512 (FIPS 180-4) on pairs of 32-bit halves, high half first, so that it runs without BigInt.
 * The constants are made from their definition: fractions of roots of the first primes.
 */

const PRIMES = firstPrimes(80)

/** [80 * 2] uint32 round constants as (high, low) pairs: fractions of the primes' cube roots. */
export const SHA512_ROUND_CONSTANTS: Uint32Array = halves(PRIMES.map((prime) => rootFraction(prime, 3n)))

/** [8 * 2] uint32 initial hash value as (high, low) pairs: fractions of the first primes' square roots. */
export const SHA512_INITIAL: Uint32Array = halves(PRIMES.slice(0, 8).map((prime) => rootFraction(prime, 2n)))

/** The 64-byte SHA-512 digest of a message of any length. */
export function sha512(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((message.length + 17) / 128) * 128)
  padded.set(message)
  padded[message.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29))
  view.setUint32(padded.length - 4, message.length * 8)
  const hash = Int32Array.from(SHA512_INITIAL)
  const schedule = new Int32Array(160)
  for (let offset = 0; offset < padded.length; offset += 128) {
    for (let i = 0; i < 32; i++) schedule[i] = view.getInt32(offset + i * 4)
    expand(schedule)
    compress(hash, schedule)
  }
  const digest = new Uint8Array(64)
  const out = new DataView(digest.buffer)
  for (let i = 0; i < 16; i++) out.setInt32(i * 4, hash[i]!)
  return digest
}

/** w[t] = w[t-16] + σ0(w[t-15]) + w[t-7] + σ1(w[t-2]), for t in 16..79. */
function expand(w: Int32Array): void {
  for (let i = 32; i < 160; i += 2) {
    const h0 = w[i - 30]!
    const l0 = w[i - 29]!
    const h1 = w[i - 4]!
    const l1 = w[i - 3]!
    const s0High = rotateHigh(h0, l0, 1) ^ rotateHigh(h0, l0, 8) ^ (h0 >>> 7)
    const s0Low = rotateHigh(l0, h0, 1) ^ rotateHigh(l0, h0, 8) ^ rotateHigh(l0, h0, 7)
    const s1High = rotateHigh(h1, l1, 19) ^ rotateHigh(l1, h1, 29) ^ (h1 >>> 6)
    const s1Low = rotateHigh(l1, h1, 19) ^ rotateHigh(h1, l1, 29) ^ rotateHigh(l1, h1, 6)
    const low = (w[i - 31]! >>> 0) + (s0Low >>> 0) + (w[i - 13]! >>> 0) + (s1Low >>> 0)
    w[i] = w[i - 32]! + s0High + w[i - 14]! + s1High + carry(low)
    w[i + 1] = low
  }
}

/** Eighty rounds over the working variables a..h, each a high and a low half. */
function compress(hash: Int32Array, w: Int32Array): void {
  const k = SHA512_ROUND_CONSTANTS
  let [ah, al, bh, bl] = [hash[0]!, hash[1]!, hash[2]!, hash[3]!]
  let [ch, cl, dh, dl] = [hash[4]!, hash[5]!, hash[6]!, hash[7]!]
  let [eh, el, fh, fl] = [hash[8]!, hash[9]!, hash[10]!, hash[11]!]
  let [gh, gl, hh, hl] = [hash[12]!, hash[13]!, hash[14]!, hash[15]!]
  for (let i = 0; i < 160; i += 2) {
    const s1High = rotateHigh(eh, el, 14) ^ rotateHigh(eh, el, 18) ^ rotateHigh(el, eh, 9)
    const s1Low = rotateHigh(el, eh, 14) ^ rotateHigh(el, eh, 18) ^ rotateHigh(eh, el, 9)
    const choiceLow = (el & fl) ^ (~el & gl)
    const low1 = (hl >>> 0) + (s1Low >>> 0) + (choiceLow >>> 0) + k[i + 1]! + (w[i + 1]! >>> 0)
    const high1 = (hh + s1High + ((eh & fh) ^ (~eh & gh)) + k[i]! + w[i]! + carry(low1)) | 0
    const s0High = rotateHigh(ah, al, 28) ^ rotateHigh(al, ah, 2) ^ rotateHigh(al, ah, 7)
    const s0Low = rotateHigh(al, ah, 28) ^ rotateHigh(ah, al, 2) ^ rotateHigh(ah, al, 7)
    const low2 = (s0Low >>> 0) + (((al & bl) ^ (al & cl) ^ (bl & cl)) >>> 0)
    const high2 = (s0High + ((ah & bh) ^ (ah & ch) ^ (bh & ch)) + carry(low2)) | 0
    const lowE = (dl >>> 0) + (low1 >>> 0)
    const highE = (dh + high1 + carry(lowE)) | 0
    const lowA = (low1 >>> 0) + (low2 >>> 0)
    hh = gh
    hl = gl
    gh = fh
    gl = fl
    fh = eh
    fl = el
    eh = highE
    el = lowE | 0
    dh = ch
    dl = cl
    ch = bh
    cl = bl
    bh = ah
    bl = al
    ah = (high1 + high2 + carry(lowA)) | 0
    al = lowA | 0
  }
  add(hash, [ah, al, bh, bl, ch, cl, dh, dl, eh, el, fh, fl, gh, gl, hh, hl])
}

function add(hash: Int32Array, values: readonly number[]): void {
  for (let i = 0; i < 16; i += 2) {
    const low = (hash[i + 1]! >>> 0) + (values[i + 1]! >>> 0)
    hash[i] = hash[i]! + values[i]! + carry(low)
    hash[i + 1] = low
  }
}

/** The high half of (high, low) rotated right by 1..31; with the halves swapped, the low half. */
function rotateHigh(high: number, low: number, bits: number): number {
  return (high >>> bits) | (low << (32 - bits))
}

function carry(sum: number): number {
  return (sum / 2 ** 32) | 0
}

function firstPrimes(count: number): number[] {
  const primes: number[] = []
  for (let n = 2; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  return primes
}

/** The first 64 bits of the fractional part of an integer's square or cube root. */
function rootFraction(prime: number, degree: bigint): bigint {
  const scaled = BigInt(prime) << (64n * degree)
  let root = 0n
  for (let bit = 1n << 70n; bit > 0n; bit >>= 1n) if ((root + bit) ** degree <= scaled) root += bit
  return root & 0xffff_ffff_ffff_ffffn
}

function halves(values: readonly bigint[]): Uint32Array {
  return Uint32Array.from(values.flatMap((value) => [Number(value >> 32n), Number(value & 0xffff_ffffn)]))
}
