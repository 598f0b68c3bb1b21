import type { Json, Refusal } from '../../env/game.ts'
import type { ReplayGame, Summary } from '../../replay/format.ts'
import { summaryOf } from '../../replay/format.ts'
import { writeReplay } from '../../replay/save.ts'

/** A person's game: its state, and the actions that lead there, so that they can be taken back and saved. */
export class PlayedGame {
  readonly made: ReplayGame
  readonly state: unknown
  readonly #seed: string
  readonly #options: { readonly [key: string]: Json }
  readonly #actions: number[] = []
  readonly #mask: Uint8Array

  /** `actions` were found legal. */
  constructor(
    made: ReplayGame,
    seed: string,
    options: { readonly [key: string]: Json } = {},
    actions: readonly number[] = [],
  ) {
    this.made = made
    this.#seed = seed
    this.#options = options
    this.state = made.instance.rules.createState()
    this.#mask = new Uint8Array(made.instance.numActions)
    this.#replay(actions)
  }

  /** How many actions were played. */
  get length(): number {
    return this.#actions.length
  }

  get isOver(): boolean {
    return this.made.instance.rules.isTerminal(this.state)
  }

  get summary(): Summary {
    return summaryOf(this.made.instance, this.state)
  }

  isLegal(action: number): boolean {
    return this.#mask[action] === 1
  }

  /** Why an action is not legal now, or undefined. */
  refusal(action: number): Refusal | undefined {
    return this.made.instance.rules.explain(this.state, action)
  }

  /** Plays an action, or says why it is not legal; then nothing has changed. */
  play(action: number): Refusal | undefined {
    if (!this.isLegal(action)) return this.refusal(action)
    this.#step(action)
    return undefined
  }

  /** Takes the last action back by playing the others again; false when there is none. */
  undo(): boolean {
    if (this.#actions.length === 0) return false
    this.#replay(this.#actions.slice(0, -1))
    return true
  }

  /** The game so far as a replay, which can be loaded to go on. */
  toReplay(): string {
    const record = { seed: this.#seed, replay: this.#options, actions: this.#actions }
    return writeReplay(this.made, record, this.summary)
  }

  #replay(actions: readonly number[]): void {
    const { rules } = this.made.instance
    rules.reset(this.state, this.#seed)
    this.#actions.length = 0
    rules.writeMask(this.state, this.#mask, 0)
    for (const action of actions) this.#step(action)
  }

  #step(action: number): void {
    const { rules } = this.made.instance
    rules.step(this.state, action)
    rules.writeMask(this.state, this.#mask, 0)
    this.#actions.push(action)
  }
}
