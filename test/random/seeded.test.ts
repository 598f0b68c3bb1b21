import { describe, expect, it } from 'vitest'
import { below, nextBits53, seeded, seedState } from '../../src/random/seeded.ts'

const SEEDS = ['0', '1', '-1', '4294967296', '9'.repeat(64), `-${'1'.repeat(64)}`]

describe('the generator with its state as plain data', () => {
  it('gives the library’s 53-bit numbers', async () => {
    const { default: seedrandom } = await import('seedrandom')
    for (const seed of SEEDS) {
      const state = { c: 0, s0: 0, s1: 0, s2: 0 }
      seedState(state, seed)
      const library = seedrandom.alea(seed)
      for (let i = 0; i < 1000; i++) expect(nextBits53(state)).toBe(library.double() * 2 ** 53)
    }
  })

  it('starts where the closure of the same seed starts', () => {
    const state = { c: 0, s0: 0, s1: 0, s2: 0 }
    seedState(state, '77')
    expect(Math.floor(nextBits53(state) / 2 ** 21)).toBe(seeded('77')() * 2 ** 32)
  })

  it('goes on from a copy, and takes all 53 bits', () => {
    const state = { c: 0, s0: 0, s1: 0, s2: 0 }
    seedState(state, '5')
    const copy = structuredClone(state)
    const ors = [0, 0]
    for (let i = 0; i < 200; i++) {
      const value = nextBits53(state)
      expect(nextBits53(copy)).toBe(value)
      expect(Number.isSafeInteger(value) && value >= 0).toBe(true)
      ors[0]! |= Math.floor(value / 2 ** 27)
      ors[1]! |= value % 2 ** 27
    }
    expect(ors).toEqual([2 ** 26 - 1, 2 ** 27 - 1])
  })
})

describe('below', () => {
  it('is uniform over 0..n-1', () => {
    const random = seeded('below')
    const counts = new Array(10).fill(0)
    for (let i = 0; i < 20_000; i++) counts[below(random, 10)]++
    for (const count of counts) expect(Math.abs(count - 2000)).toBeLessThan(200)
  })
})
