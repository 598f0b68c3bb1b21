import type { Config, Game, GameInstance, Json } from '../env/game.ts'

/** The version of the replay format itself. */
export const SCHEMA_VERSION = 1

/** The largest replay that is read, in bytes of UTF-8. */
export const MAX_REPLAY_BYTES = 16 * 1024 * 1024

/** The longest seed of a replay, in digits without the sign: what Python turns into an integer without being asked to. */
export const MAX_REPLAY_SEED_DIGITS = 4300

/** The keys that every replay may have; a game adds `config` and the names of its reset options. */
export const COMMON_KEYS = ['schema_version', 'rules_version', 'seed', 'actions', 'final'] as const

/** Why a replay is not accepted. */
export const REPLAY_REASONS = {
  too_large: 'more bytes than are read',
  bad_json: 'not strict JSON: malformed, a key twice in one object, or nested too deep',
  missing_key: 'a key that every replay of the game has is absent',
  unknown_key: 'a key that replays of the game do not have',
  bad_version: 'a format version or rules version that this build does not play',
  bad_seed: 'the seed is no JSON integer',
  bad_config: 'a configuration that the game does not accept',
  bad_option: 'a reset option that the game does not accept, or that gives another seed',
  bad_actions: 'actions is no list',
  too_many_actions: 'more actions than are played',
  illegal_action: 'an action that is not legal at its ply',
  summary_mismatch: 'the summary is not what the actions give',
} as const

export type ReplayReason = keyof typeof REPLAY_REASONS

/** What is wrong with a replay: one English sentence without the seed, and the ply that is to blame, if one is. */
export interface ReplayFault {
  readonly reason: ReplayReason
  readonly message: string
  readonly ply?: number
}

/** A game with the configuration that a replay is played with. */
export interface ReplayGame {
  readonly game: Game
  readonly config: Config
  readonly instance: GameInstance<unknown>
}

/** The end of a replay: the game's outcomes by name, and whether the game is over. */
export interface Summary {
  readonly [name: string]: number | boolean
}

/** The summary of a state. */
export function summaryOf(instance: GameInstance<unknown>, state: unknown): Summary {
  const { names } = instance.outcomes
  const values = new Int32Array(names.length)
  instance.outcomes.write(state, values, 0)
  return {
    ...Object.fromEntries(names.map((name, i) => [name, values[i]!])),
    terminal: instance.rules.isTerminal(state),
  }
}

/** A replay that was read and played: everything in it is legal and true. */
export interface PlayedReplay extends ReplayGame {
  /** The game seed, a canonical decimal integer. */
  readonly seed: string
  /** What stands beside the seed, such as the date of a daily game. */
  readonly options: { readonly [key: string]: Json }
  /** Action numbers. */
  readonly actions: readonly number[]
  /** The summary that the actions give. */
  readonly summary: Summary
}
