import { describe, expect, test } from 'vitest'
import {
  drawBelow,
  openSet,
  prepareSet,
  READY_WORDS,
  type SetStream,
  startSets,
} from '../../../src/games/tray/set-stream.ts'
import { below, seeded } from '../../../src/random/seeded.ts'
import { FULL, LONG } from './tray-games.ts'

const SETS = FULL ? 100_000 : 2500

function stream(seed: string): SetStream {
  const made: SetStream = { seed: '', head: 0.5, first: -1, words: new Int32Array(4 + READY_WORDS) }
  startSets(made, seed)
  return made
}

function draws(made: SetStream, set: number): number[] {
  openSet(made, set)
  return Array.from({ length: 12 }, (_, i) => drawBelow(100 + i))
}

function plainDraws(seed: string, set: number): number[] {
  const random = seeded(`${seed}:${set}`)
  return Array.from({ length: 12 }, (_, i) => below(random, 100 + i))
}

describe('the generators of sets', LONG, () => {
  test.each(['0', '-1', '7', '9223372036854775807', '9'.repeat(64), `-${'8'.repeat(64)}`, '3'.repeat(700)])(
    'are seedrandom’s, for seed %s',
    (seed) => {
      const made = stream(seed)
      for (let set = 0; set < SETS; set++) expect(draws(made, set)).toEqual(plainDraws(seed, set))
    },
  )

  test('are the same out of order, for large set numbers, and when prepared ahead', () => {
    const made = stream('12345')
    for (const set of [7, 3, 99, 100, 101, 9_999, 10_000, 0, 1_000_003, 2_000_000_005]) {
      expect(draws(made, set)).toEqual(plainDraws('12345', set))
      prepareSet(made, set + 5)
      expect(prepareSet(made, set + 5)).toBe(false)
      expect(draws(made, set)).toEqual(plainDraws('12345', set))
    }
  })
})
