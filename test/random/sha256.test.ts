import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { firstWordSeed, sha256 } from '../../src/random/sha256.ts'

describe('sha256', () => {
  it('equals the platform’s digest for every length around the block boundaries', () => {
    for (let length = 0; length <= 300; length++) {
      const message = Uint8Array.from({ length }, (_, i) => (i * 31 + length) & 255)
      const expected = createHash('sha256').update(message).digest('hex')
      expect(Buffer.from(sha256(message)).toString('hex')).toBe(expected)
    }
  })

  it('gives the first word of a text with the top bit cleared', () => {
    for (let length = 0; length <= 300; length++) {
      const text = 'blockloom:-7:1'.repeat(30).slice(0, length)
      const digest = createHash('sha256').update(text).digest()
      expect(firstWordSeed(text)).toBe((digest.readBigUInt64BE(0) & ((1n << 63n) - 1n)).toString())
    }
  })
})
