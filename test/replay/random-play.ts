import { drawActions } from '../../src/command/drawn-player.ts'
import { parseConfig } from '../../src/env/config.ts'
import type { Game } from '../../src/env/game.ts'
import { below, type SeededRandom, seeded } from '../../src/random/seeded.ts'
import type { ReplayGame } from '../../src/replay/format.ts'

/** A game with every default. */
export function defaultGame(game: Game): ReplayGame {
  const config = parseConfig(game.configSchema, {})
  return { game, config, instance: game.create(config) }
}

/** The legal actions of a state, ascending. */
export function legalActions({ instance }: ReplayGame, state: unknown): number[] {
  const mask = new Uint8Array(instance.numActions)
  instance.rules.writeMask(state, mask, 0)
  return Array.from(mask.keys()).filter((action) => mask[action] === 1)
}

/** One of a list, which must not be empty. */
export function pick<T>(random: SeededRandom, list: readonly T[]): T {
  return list[below(random, list.length)]!
}

/** Plays legal actions at random until the game is over or `steps` are played; ends none of its own accord at first. */
export function playRandomly(made: ReplayGame, seed: string, steps: number): number[] {
  return drawActions(made, seed, steps, seeded(`play:${seed}`), 200)
}

/** A state after the actions of an episode. */
export function stateAfter({ instance }: ReplayGame, seed: string, actions: readonly number[]): unknown {
  const state = instance.rules.createState()
  instance.rules.reset(state, seed)
  for (const action of actions) instance.rules.step(state, action)
  return state
}
