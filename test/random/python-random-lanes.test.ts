import { describe, expect, it } from 'vitest'
import { fractionOf, PythonRandom } from '../../src/random/python-random.ts'
import { createRandomLanes, keyLength, LANE_BYTES, LANES } from '../../src/random/python-random-lanes.ts'

const lanes = createRandomLanes()!

function words(text: string): Int32Array {
  const packed = new Int32Array(LANE_BYTES / 4)
  for (let i = 0; i < text.length; i++) packed[i >> 2]! |= text.charCodeAt(i) << ((i & 3) * 8)
  return packed
}

function fractions(lane: number): number[] {
  return [0, 1, 2, 3, 4, 5].map((k) =>
    fractionOf(lanes.words[2 * k * LANES + lane]!, lanes.words[(2 * k + 1) * LANES + lane]!),
  )
}

function expectLanes(texts: readonly (readonly [string, number])[]): void {
  for (const [lane, [prefix, suffix]] of texts.entries())
    lanes.load(lane, words(prefix), prefix.length, suffix)
  lanes.run(keyLength(`${texts[0]![0]}${texts[0]![1]}`.length), texts.length)
  for (const [lane, [prefix, suffix]] of texts.entries()) {
    const generator = new PythonRandom(`${prefix}${suffix}`)
    const expected = Array.from({ length: 6 }, () => generator.random())
    expect(fractions(lane), `${prefix}${suffix}`).toEqual(expected)
  }
}

describe('random lanes', () => {
  it('exist where these tests run', () => {
    expect(lanes).toBeDefined()
  })

  it('equal the plain generator for strings of every length', () => {
    for (const suffix of [0, 9, 10, 99, 12_345, 2 ** 31 + 5]) {
      const longest = LANE_BYTES - 1 - String(suffix).length
      for (let length = 1; length <= longest; length++) {
        expectLanes(
          Array.from({ length: LANES }, (_, lane) => {
            const letter = String.fromCharCode(33 + ((lane * 7 + length) % 90))
            return [letter.repeat(length - 1) + String.fromCharCode(97 + lane), suffix]
          }),
        )
      }
    }
  })

  it('take strings of different lengths in one run when their keys are equally long', () => {
    // 33 to 36 bytes, with their digest of 64, are 25 words.
    expectLanes(
      Array.from({ length: LANES }, (_, lane) => [
        `stackcraft-v1:${'123456789012345678901'.slice(lane % 4)}`,
        7,
      ]),
    )
  })

  it('are as good in any number', () => {
    for (let count = LANES; count >= 1; count--) {
      expectLanes(Array.from({ length: count }, (_, lane) => [`stackcraft-v1:${count * 100 + lane}:`, 3]))
    }
  })

  it('forget what a lane held before', () => {
    expectLanes(Array.from({ length: LANES }, (_, lane) => ['z'.repeat(90), 123_456_789 + lane]))
    expectLanes(Array.from({ length: LANES }, (_, lane) => ['s', lane % 10]))
  })
})
