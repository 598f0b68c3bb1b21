import { expect, test } from 'vitest'
import {
  createExpected,
  type ExpectedSets,
  expectSets,
  makeExpected,
  takeExpected,
} from '../../../src/games/tray/expected-sets.ts'
import {
  drawBelow,
  openSet,
  READY_WORDS,
  type SetStream,
  startSets,
} from '../../../src/games/tray/set-stream.ts'
import { createAleaLanes, GROUPS } from '../../../src/random/alea-lanes.ts'

const SEEDS = [
  '0',
  '-7',
  '3333333333333333333',
  '9223372036854775807',
  '123456789012345678',
  `-${'9'.repeat(64)}`,
]

function createStream(): SetStream {
  return { seed: '', head: 0.5, first: -1, words: new Int32Array(READY_WORDS + 3) }
}

/** The generators of a stream and the draws of its first sets, also beyond those that are made ahead. */
function drawsOf(stream: SetStream): readonly number[] {
  const draws = [stream.head]
  for (let set = 0; set < 12; set++) {
    openSet(stream, set)
    for (let i = 0; i < 5; i++) draws.push(drawBelow(1 << 20))
  }
  return draws
}

function plain(seed: string): readonly number[] {
  const stream = createStream()
  startSets(stream, seed)
  return drawsOf(stream)
}

function taken(expected: ExpectedSets, seed: string): readonly number[] | undefined {
  const stream = createStream()
  return takeExpected(stream, expected, seed) ? drawsOf(stream) : undefined
}

test('this engine hashes in lanes', () => {
  expect(createAleaLanes()).toBeDefined()
})

test.each(SEEDS)('sets made now are those of the plain way: %s', (seed) => {
  const expected = createExpected()
  expect(makeExpected(expected, seed)).toBe(true)
  expect(makeExpected(expected, seed)).toBe(false)
  expect(taken(expected, seed)).toEqual(plain(seed))
  expect(taken(expected, seed)).toBeUndefined()
})

test('sets are made once enough are asked for, whatever their seeds', () => {
  const seeds = Array.from({ length: 7 * GROUPS }, (_, i) => String(10 ** (i % 3 === 0 ? 17 : 18) + 977 * i))
  const all = seeds.map((seed) => {
    const expected = createExpected()
    expectSets(expected, seed)
    return expected
  })
  const ready = all.filter((expected) => expected.ready)
  expect(ready.length).toBeGreaterThan(4 * GROUPS)
  all.forEach((expected, i) => {
    const was = expected.ready
    const draws = taken(expected, seeds[i]!)
    if (was) expect(draws).toEqual(plain(seeds[i]!))
    else expect(draws).toBeUndefined()
  })
})

test('another seed than the expected one takes nothing, and a change of mind is kept', () => {
  const expected = createExpected()
  expectSets(expected, '1111111111111111111')
  expectSets(expected, '22222')
  expectSets(expected, '2222222222222222222')
  expect(taken(expected, '1111111111111111111')).toBeUndefined()
  makeExpected(expected, '2222222222222222222')
  expect(taken(expected, '1111111111111111111')).toBeUndefined()
  expect(taken(expected, '2222222222222222222')).toEqual(plain('2222222222222222222'))
  const copy = structuredClone(createExpected())
  copy.seed = '22223'
  expect(makeExpected(copy, '22223')).toBe(true)
  expect(taken(copy, '22223')).toEqual(plain('22223'))
})
