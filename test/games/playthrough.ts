import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { EpisodeRecord } from '../../src/env/episode-recorder.ts'
import type { Game } from '../../src/env/game.ts'
import { allocateDense, bytesOf } from '../../src/env/tensor-spec.ts'
import { DAILY } from '../../src/games/block-puzzle-8/daily.ts'
import { blockPuzzle8 } from '../../src/games/block-puzzle-8/game.ts'
import { blockPuzzle10 } from '../../src/games/block-puzzle-10/game.ts'
import { GAMES } from '../../src/games/registry.ts'
import { below, seeded } from '../../src/random/seeded.ts'
import type { ReplayGame } from '../../src/replay/format.ts'
import { saveReplay } from '../../src/replay/save.ts'
import { defaultGame, legalActions, pick, playRandomly } from '../replay/random-play.ts'

/** A recorded game, with digests of all that a player sees on the way. */
export interface Playthrough {
  /** The replay as JSON text. */
  readonly replay: string
  /** By ply, every tenth and the last: SHA-256 over the observations, masks and rewards up to there. */
  readonly digests: { readonly [ply: string]: string }
}

const EVERY = 10

/** Block Puzzle 10x10. */
const NEW_SET = 300
const END_GAME = 301
const PERFECT_CLEAR = 300

/** A playthrough by the name of its file, and how it is recorded. */
export interface Recording {
  readonly name: string
  readonly game: Game
  readonly record: () => Playthrough
}

/** One playthrough of every game, and more where one cannot show all. */
export const RECORDINGS: readonly Recording[] = [
  ...GAMES.map((game) => ({ name: game.id, game, record: () => recordPlaythrough(game) })),
  { name: 'BlockPuzzle8-v1-daily', game: blockPuzzle8, record: recordDaily },
  { name: 'BlockPuzzle10-v1-new-set', game: blockPuzzle10, record: recordNewSet },
]

/** Where a playthrough is kept. */
export function playthroughFile(name: string): URL {
  return new URL(`../golden/${name}.json`, import.meta.url)
}

export function readPlaythrough(name: string): Playthrough {
  return JSON.parse(readFileSync(playthroughFile(name), 'utf8')) as Playthrough
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

function playthroughOf(made: ReplayGame, record: EpisodeRecord): Playthrough {
  return { replay: saveReplay(made, record), digests: digestsOf(made, record.seed, record.actions) }
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
  return playthroughOf(made, { seed, replay: {}, actions })
}

/** The daily game of a date. */
function recordDaily(): Playthrough {
  const made = defaultGame(blockPuzzle8)
  const episode = DAILY.resolve({ daily: '2026-01-31' }, 0)
  if ('reason' in episode) throw new Error(episode.message)
  const { actions } = playGreedily(made, episode.seed)
  return playthroughOf(made, { ...episode, actions })
}

/** A game that earns a new set with its first pieces, takes one, gets stuck and is ended with the other left. */
function recordNewSet(): Playthrough {
  const made = defaultGame(blockPuzzle10)
  const { rules } = made.instance
  for (let seed = 1; seed <= 10_000; seed++) {
    const state = rules.createState()
    rules.reset(state, String(seed))
    const actions = fillTopRow(made, state)
    if (actions === undefined) continue
    rules.step(state, NEW_SET)
    actions.push(NEW_SET)
    const random = seeded(`golden:${seed}`)
    for (let legal = legalActions(made, state); legal.length > 0; legal = legalActions(made, state)) {
      const action = legal.includes(END_GAME) ? END_GAME : pick(random, legal.slice(0, -1))
      rules.step(state, action)
      actions.push(action)
    }
    if (actions.at(-1) === END_GAME) return playthroughOf(made, { seed: String(seed), replay: {}, actions })
  }
  throw new Error('no seed deals bars that fill a row')
}

/** Puts the pieces of the first tray side by side from the top left; undefined unless they clear the board so. */
function fillTopRow(made: ReplayGame, state: unknown): number[] | undefined {
  const actions: number[] = []
  for (let slot = 0; slot < 3; slot++) {
    const action = legalActions(made, state).find((each) => each >= slot * 100 && each < slot * 100 + 10)
    if (action === undefined) return undefined
    actions.push(action)
    if (made.instance.rules.step(state, action) >= PERFECT_CLEAR) return actions
  }
  return undefined
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
