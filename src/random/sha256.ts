/**
 * SHA-256 (FIPS 180-4), so that seed sequences need nothing from the platform and run in a browser too.
 */

const K = new Int32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
])

const INITIAL = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
] as const

/** `[64]` int32 message schedule and `[8]` int32 hash value, used again by every call. */
const schedule = new Int32Array(64)
const hash = new Int32Array(8)

/** The message with its padding, used again while it is large enough; zeros where nothing was written. */
let padded = new Uint8Array(192)

/** The 32-byte digest of a message. */
export function sha256(message: Uint8Array): Uint8Array {
  const length = message.length
  room(length).set(message)
  hashPadded(length)
  const digest = new Uint8Array(32)
  for (let i = 0; i < 32; i++) digest[i] = hash[i >> 2]! >>> (24 - 8 * (i & 3))
  return digest
}

/** The first 8 bytes of SHA-256 of an ASCII text as a big-endian integer with the top bit cleared, in decimal. */
export function firstWordSeed(text: string): string {
  const length = text.length
  const bytes = room(length)
  for (let i = 0; i < length; i++) bytes[i] = text.charCodeAt(i)
  hashPadded(length)
  const high = BigInt(hash[0]! & 0x7fffffff)
  return ((high << 32n) | BigInt(hash[1]! >>> 0)).toString()
}

function room(length: number): Uint8Array {
  if (length + 72 > padded.length) padded = new Uint8Array(2 * (length + 72))
  return padded
}

/** Pads the first `length` bytes, hashes them, and leaves the buffer as zeros. */
function hashPadded(length: number): void {
  const end = 64 * Math.ceil((length + 9) / 64)
  padded[length] = 0x80
  const bits = length * 8
  for (let i = 0; i < 5; i++) padded[end - 1 - i] = Math.floor(bits / 2 ** (8 * i))
  hash.set(INITIAL)
  for (let at = 0; at < end; at += 64) compress(at)
  padded.fill(0, 0, end)
}

function compress(at: number): void {
  const w = schedule
  for (let i = 0; i < 16; i++) {
    const from = at + 4 * i
    w[i] = (padded[from]! << 24) | (padded[from + 1]! << 16) | (padded[from + 2]! << 8) | padded[from + 3]!
  }
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15]!
    const y = w[i - 2]!
    const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3)
    const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10)
    w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0
  }
  let a = hash[0]!
  let b = hash[1]!
  let c = hash[2]!
  let d = hash[3]!
  let e = hash[4]!
  let f = hash[5]!
  let g = hash[6]!
  let h = hash[7]!
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[i]! + w[i]!) | 0
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  hash[0] = (hash[0]! + a) | 0
  hash[1] = (hash[1]! + b) | 0
  hash[2] = (hash[2]! + c) | 0
  hash[3] = (hash[3]! + d) | 0
  hash[4] = (hash[4]! + e) | 0
  hash[5] = (hash[5]! + f) | 0
  hash[6] = (hash[6]! + g) | 0
  hash[7] = (hash[7]! + h) | 0
}

function rotate(x: number, n: number): number {
  return (x >>> n) | (x << (32 - n))
}
