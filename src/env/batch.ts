import type { Json } from './game.ts'

export type AutoresetMode = 'next_step' | 'same_step' | 'disabled'
export type IllegalActionPolicy = 'refuse' | 'reject' | 'terminate'

/** How a batch of sub-environments behaves; `maxEpisodeSteps` 0 means no time limit. */
export interface VectorEnvSettings {
  readonly numEnvs: number
  readonly maxEpisodeSteps: number
  readonly autoresetMode: AutoresetMode
  readonly illegalAction: IllegalActionPolicy
  /** The name of the outcome whose change is the reward. */
  readonly reward: string
  readonly packed: boolean
  readonly record: boolean
}

/** An action that was in the action space but not legal. */
export interface RowRefusal {
  readonly row: number
  readonly action: number
  readonly reason: string
}

/** An episode that ended in the last step; `return` is the sum of its rewards, `length` its answered steps. */
export interface FinishedEpisode {
  readonly row: number
  readonly return: number
  readonly length: number
  readonly outcomes: readonly number[]
}

/** Where a row's next episode comes from. */
export interface EpisodeStart {
  /** The row's seed: episode k plays `episodeSeed(seed, k)`. */
  readonly seed: string
  readonly episode: number
  /** What a replay of episode 0 stores beside the seed. */
  readonly replay?: { readonly [key: string]: Json }
}

/** What all rows look like after a reset or a step; every array is overwritten by the next call. */
export interface Batch {
  /** One entry an observation: `[num_envs, row bytes]` uint8, dense or packed. */
  readonly observations: readonly Uint8Array[]
  /** `[num_envs, mask row bytes]` uint8, dense or packed. */
  readonly actionMasks: Uint8Array
  /** `[num_envs]` float32. */
  readonly rewards: Float32Array
  /** `[num_envs]` uint8, 1 where the game is over. */
  readonly terminations: Uint8Array
  /** `[num_envs]` uint8, 1 where the time limit was reached first. */
  readonly truncations: Uint8Array
  /** `[num_envs, num_outcomes]` int32. */
  readonly outcomes: Int32Array
  readonly refusals: readonly RowRefusal[]
  readonly finished: readonly FinishedEpisode[]
  /** `[finished, mask row bytes]` uint8 in the first `finished.length` rows. */
  readonly finalActionMasks: Uint8Array
  /** SAME_STEP: as `observations`, in the first `finished.length` rows; else empty. */
  readonly finalObservations: readonly Uint8Array[]
}
