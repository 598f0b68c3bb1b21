import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Game } from '../../src/env/game.ts'
import { allocateDense, bytesOf } from '../../src/env/tensor-spec.ts'
import { below, seeded } from '../../src/random/seeded.ts'
import type { ReplayGame } from '../../src/replay/format.ts'
import { saveReplay } from '../../src/replay/save.ts'
import { defaultGame, legalActions, playRandomly } from '../replay/random-play.ts'

/** A recorded game, with digests of all that a player sees on the way. */
export interface Playthrough {
  /** The replay as JSON text. */
  readonly replay: string
  /** By ply, every tenth and the last: SHA-256 over the observations, masks and rewards up to there. */
  readonly digests: { readonly [ply: string]: string }
}

const EVERY = 10

/** Where a game's playthrough is kept. */
export function playthroughFile(game: Game): URL {
  return new URL(`../golden/${game.id}.json`, import.meta.url)
}

export function readPlaythrough(game: Game): Playthrough {
  return JSON.parse(readFileSync(playthroughFile(game), 'utf8')) as Playthrough
}

/** Plays the actions and takes the digests. */
export function digestsOf({ instance }: ReplayGame, seed: string, actions: readonly number[]) {
  const { rules, encoder, numActions } = instance
  const state = rules.createState()
  rules.reset(state, seed)
  const arrays = allocateDense(encoder.spec, 1)
  const mask = new Uint8Array(numActions)
  const hash = createHash('sha256')
  const digests: Record<string, string> = {}
  for (let ply = 0; ply <= actions.length; ply++) {
    encoder.encode(state, arrays, 0)
    rules.writeMask(state, mask, 0)
    for (const array of arrays) hash.update(bytesOf(array))
    hash.update(mask)
    if (ply % EVERY === 0 || ply === actions.length) digests[ply] = hash.copy().digest('hex')
    if (ply < actions.length) hash.update(bytesOf(Int32Array.of(rules.step(state, actions[ply]!))))
  }
  return digests
}

/** The best-scoring game of some that take what scores most now, four times out of five, and draw else. */
export function recordPlaythrough(game: Game): Playthrough {
  const made = defaultGame(game)
  let best = { score: -1, seed: '', actions: [] as number[] }
  for (let seed = 1; seed <= 60; seed++) {
    const played = playGreedily(made, String(seed))
    if (played.score > best.score) best = { ...played, seed: String(seed) }
  }
  const { seed, actions } = best
  return {
    replay: saveReplay(made, { seed, replay: {}, actions }),
    digests: digestsOf(made, seed, actions),
  }
}

function playGreedily(made: ReplayGame, seed: string): { score: number; actions: number[] } {
  const { rules, afterstates } = made.instance
  const random = seeded(`golden:${seed}`)
  const state = rules.createState()
  rules.reset(state, seed)
  const actions: number[] = afterstates === undefined ? playRandomly(made, seed, 400) : []
  let score = actions.reduce((sum, action) => sum + rules.step(state, action), 0)
  while (!rules.isTerminal(state) && actions.length < 400) {
    const legal = legalActions(made, state)
    const board = new Uint8Array(afterstates?.board.shape.reduce((a, b) => a * b, 1) ?? 0)
    const rewards = legal.map((action) => afterstates?.after(state, action, board)?.reward ?? 0)
    const greedy = legal[rewards.indexOf(Math.max(...rewards))]!
    const action = random() < 0.8 ? greedy : legal[below(random, legal.length)]!
    score += rules.step(state, action)
    actions.push(action)
  }
  return { score, actions }
}
