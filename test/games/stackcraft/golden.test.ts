import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createStream, draw, plainBag, startStream } from '../../../src/games/stackcraft/deal.ts'
import { drawn, LETTERS, maskOf, observe, table } from './play.ts'

function golden(name: string) {
  return JSON.parse(readFileSync(new URL(`../../golden/stackcraft/${name}`, import.meta.url), 'utf8'))
}

interface Step {
  readonly board: string
  readonly current: string
  readonly next: string
  readonly score: number
  readonly lines: number
  readonly pieces: number
  readonly legal: string
  readonly action?: string
  readonly landing_y?: number
  readonly terminal?: boolean
}

const streams: { readonly [seed: string]: string } = golden('stackcraft-streams.json')
const trajectories: { seed: string; policy: string; steps: Step[] }[] = golden('stackcraft-trajectories.json')

describe('recorded piece streams', () => {
  it('are ten', () => expect(Object.keys(streams)).toHaveLength(10))

  for (const [seed, pieces] of Object.entries(streams)) {
    it(`seed ${seed}`, () => {
      const stream = createStream()
      startStream(stream, seed)
      expect(Array.from(pieces, () => LETTERS[draw(stream)]).join('')).toBe(pieces)
      const bags = Array.from({ length: pieces.length / 7 }, (_, b) => plainBag(seed, b))
      const plain = bags.flatMap((bag) => [0, 1, 2, 3, 4, 5, 6].map((p) => LETTERS[(bag >> (4 * p)) & 7]))
      expect(plain.join('')).toBe(pieces)
    })
  }
})

describe('recorded games', () => {
  it('are twenty', () => expect(trajectories).toHaveLength(20))

  for (const { seed, policy, steps } of trajectories) {
    it(`seed ${seed}, ${policy}`, () => {
      const game = table()
      game.rules.reset(game.state, seed)
      let expectedReward: number | undefined
      let reward: number | undefined
      for (const step of steps) {
        const { board, current, next } = observe(game)
        const legal = Array.from(maskOf(game), (bit) => '.#'[bit]).join('')
        const { score, lines, pieces, over } = game.state
        expect({
          board: drawn(board, '01234567').join('/'),
          current: LETTERS[current],
          next: LETTERS[next],
          score,
          lines,
          pieces,
          legal,
          terminal: over,
        }).toEqual({
          board: step.board,
          current: step.current,
          next: step.next,
          score: step.score,
          lines: step.lines,
          pieces: step.pieces,
          legal: step.legal,
          terminal: step.terminal ?? false,
        })
        expect(game.rules.isTerminal(game.state)).toBe(step.terminal ?? false)
        if (expectedReward !== undefined) expect(reward).toBe(step.score - expectedReward)
        if (step.action === undefined) continue
        const action = game.native.fromNative(step.action, game.state) as number
        expect(game.native.name(action)).toBe(step.action)
        expect(game.placement!(game.state, action)!.row).toBe(step.landing_y)
        expectedReward = step.score
        reward = game.rules.step(game.state, action)
      }
    })
  }
})
