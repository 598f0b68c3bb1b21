import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  askAhead,
  type BagStream,
  createStream,
  draw,
  plainBag,
  prepareStream,
  startStream,
} from '../../../src/games/stackcraft/deal.ts'
import { dice, FULL, maskOf, observe, table } from './play.ts'

/** Piece n of a seed by the definition; bags are kept, as the definition is slow. */
function plainPieces(seed: string): (n: number) => number {
  const bags: number[] = []
  return (n) => {
    const b = Math.floor(n / 7)
    bags[b] ??= plainBag(seed, b)
    return (bags[b] >> (4 * (n % 7))) & 7
  }
}

function started(seed: string): BagStream {
  const stream = createStream()
  startStream(stream, seed)
  return stream
}

const SEEDS = [
  '0',
  '-1',
  '9',
  '10',
  '-53',
  '1023',
  '9223372036854775807',
  '9'.repeat(64),
  `-${'8'.repeat(64)}`,
]

describe('a stream of bags', () => {
  for (const seed of SEEDS) {
    it(`follows the definition past bag 100 for seed ${seed}`, () => {
      const stream = started(seed)
      const expected = plainPieces(seed)
      for (let n = 0; n < 7 * 104; n++) expect(draw(stream)).toBe(expected(n))
    })
  }

  it('holds each piece once a bag', () => {
    const stream = started('31')
    for (let b = 0; b < 50; b++) {
      const bag = Array.from({ length: 7 }, () => draw(stream))
      expect(bag.sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
    }
  })

  it('is the same however many streams draw, restart, prepare and are copied in between', () => {
    const roll = dice(5)
    const streams = Array.from({ length: 40 }, (_, i) => started(SEEDS[i % SEEDS.length]!))
    const sources = new Map(SEEDS.map((seed) => [seed, plainPieces(seed)]))
    const drawn = streams.map(() => 0)
    for (let turn = 0; turn < (FULL ? 400_000 : 20_000); turn++) {
      const i = roll(streams.length)
      const stream = streams[i]!
      const what = roll(100)
      if (what < 2) {
        startStream(stream, SEEDS[roll(SEEDS.length)]!)
        drawn[i] = 0
      } else if (what < 4) {
        const to = roll(streams.length)
        streams[to] = structuredClone(stream)
        drawn[to] = drawn[i]!
      } else if (what < 6) {
        if (prepareStream(stream, SEEDS[roll(SEEDS.length)]!)) drawn[i] = 0
      } else if (what < 12) {
        askAhead(stream)
      } else {
        const expected = sources.get(stream.seed)!(drawn[i]!)
        expect(draw(stream)).toBe(expected)
        drawn[i]!++
      }
    }
  })
})

describe('work ahead of need', () => {
  it('changes no game, and ends', () => {
    const roll = dice(11)
    const [prepared, control] = [table(), table()]
    for (let n = 0; n < 60; n++) {
      const [seed, other] = [String(n * 7 - 500), String(n)]
      if (n % 3 === 0) prepared.rules.prepareReset!(prepared.state, other)
      if (n % 2 === 0) {
        expect(prepared.rules.prepareReset!(prepared.state, seed)).toBe(seed !== other || n % 3 !== 0)
        expect(prepared.rules.prepareReset!(prepared.state, seed)).toBe(false)
      }
      prepared.rules.reset(prepared.state, seed)
      control.rules.reset(control.state, seed)
      while (!control.state.over) {
        expect(observe(prepared)).toEqual(observe(control))
        const mask = maskOf(control)
        let action = roll(40)
        while (mask[action] === 0) action = roll(40)
        if (roll(3) === 0) {
          prepared.rules.prepareStep!(prepared.state)
          expect(prepared.rules.prepareStep!(prepared.state)).toBe(false)
        }
        expect(prepared.rules.step(prepared.state, action)).toBe(control.rules.step(control.state, action))
      }
      expect(observe(prepared)).toEqual(observe(control))
      expect(prepared.state.over).toBe(true)
      expect(prepared.rules.prepareStep!(prepared.state)).toBe(false)
    }
  })

  it('leaves a copy of a state on its own', () => {
    const game = table()
    game.rules.reset(game.state, '77')
    const copy = { ...game, state: structuredClone(game.state) }
    const first = []
    const second = []
    for (let n = 0; n < 5; n++) {
      first.push(observe(game))
      game.rules.step(game.state, maskOf(game).indexOf(1, 3))
    }
    for (let n = 0; n < 5; n++) {
      second.push(observe(copy))
      copy.rules.step(copy.state, maskOf(copy).indexOf(1, 3))
    }
    expect(second).toEqual(first)
  })
})

describe('without WebAssembly', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('the same bags come one by one', async () => {
    vi.stubGlobal('WebAssembly', undefined)
    vi.resetModules()
    const slow = await import('../../../src/games/stackcraft/deal.ts')
    const { createRandomLanes } = await import('../../../src/random/python-random-lanes.ts')
    expect(createRandomLanes()).toBeUndefined()
    const stream = slow.createStream()
    slow.startStream(stream, '-987654321')
    const expected = plainPieces('-987654321')
    for (let n = 0; n < 100; n++) expect(slow.draw(stream)).toBe(expected(n))
  })
})
