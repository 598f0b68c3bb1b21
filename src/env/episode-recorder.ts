import type { Json } from './game.ts'

/** The longest episode that is kept and played again, in actions. */
export const MAX_RECORDED_ACTIONS = 1_000_000

/** One episode's actions, enough to play it again. */
export interface EpisodeRecord {
  /** The game seed. */
  readonly seed: string
  /** What a replay stores beside the seed, such as the date of a daily game. */
  readonly replay: { readonly [key: string]: Json }
  /** The actions that were played; refused ones are not among them. */
  readonly actions: readonly number[]
}

interface OpenRecord extends EpisodeRecord {
  readonly actions: number[]
}

/** Keeps, for each row, the episode in play and the last one before it. */
export class EpisodeRecorder {
  readonly #open: (OpenRecord | undefined)[]
  readonly #closed: (EpisodeRecord | undefined)[]

  constructor(numEnvs: number) {
    this.#open = new Array<OpenRecord | undefined>(numEnvs).fill(undefined)
    this.#closed = new Array<EpisodeRecord | undefined>(numEnvs).fill(undefined)
  }

  /** Closes the row's episode and begins the next. */
  begin(row: number, seed: string, replay: { readonly [key: string]: Json }): void {
    this.#closed[row] = this.#open[row]
    this.#open[row] = { seed, replay, actions: [] }
  }

  /** Adds a played action to the row's episode; of a longer one, one more is kept, so that its length shows it. */
  append(row: number, action: number): void {
    const { actions } = this.#open[row]!
    if (actions.length <= MAX_RECORDED_ACTIONS) actions.push(action)
  }

  /** The row's episode in play, or finished and waiting for its reset. */
  current(row: number): EpisodeRecord | undefined {
    return this.#open[row]
  }

  /** The episode before the current one. */
  previous(row: number): EpisodeRecord | undefined {
    return this.#closed[row]
  }
}
