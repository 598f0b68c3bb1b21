import type { Batch, EpisodeStart, FinishedEpisode, RowRefusal, VectorEnvSettings } from './batch.ts'
import { createRowWriter, openMask, type RowWriter } from './batch-buffers.ts'
import { EnvError, envError } from './env-error.ts'
import { EpisodeRecorder } from './episode-recorder.ts'
import type { GameInstance, Refusal } from './game.ts'
import { episodeSeed } from './seeds.ts'
import { finish, type Slices } from './slices.ts'

export type {
  AutoresetMode,
  Batch,
  EpisodeStart,
  FinishedEpisode,
  IllegalActionPolicy,
  RowRefusal,
  VectorEnvSettings,
} from './batch.ts'

const NEVER_RESET = 0
const PLAYING = 1
const FINISHED = 2

/** Rows that are reset or stepped in one slice of a long request; a power of two. */
const ROWS_A_SLICE = 16

/** Actions of a replay that are played in one slice; a power of two. */
const ACTIONS_A_SLICE = 256

/** Rows that one call of `prepare` looks at, so that a request does not wait for all of them. */
const ROWS_AT_ONCE = 64

/**
 * A batch of sub-environments of one game. It owns what no game may decide for itself: the batch buffers, the
 * illegal-action policy, the time limit, the autoreset modes and the seeds of later episodes.
 */
export class VectorEnv<State = unknown> {
  readonly instance: GameInstance<State>
  readonly settings: VectorEnvSettings
  readonly batch: Batch
  readonly recorder: EpisodeRecorder | undefined
  readonly #writer: RowWriter<State>
  /** A row's state is made with its first episode: those of many rows take long. */
  readonly #states: (State | undefined)[]
  /** `[num_envs]` NEVER_RESET, PLAYING or FINISHED. */
  readonly #status: Uint8Array
  /** `[num_envs]` answered steps of the episode. */
  readonly #lengths: Int32Array
  /** `[num_envs]` sum of the episode's rewards. */
  readonly #returns: Float64Array
  readonly #starts: EpisodeStart[]
  /** The seed of a row's next episode, once it has been worked out. */
  readonly #nextSeeds: (string | undefined)[]
  readonly #refusals: RowRefusal[] = []
  readonly #finished: FinishedEpisode[] = []
  readonly #strides: readonly number[]
  readonly #openMask: Uint8Array
  readonly #rewardOutcome: number
  #prepareRow = 0
  /** Rows that `prepare` has not looked at since the last change. */
  #unprepared = 0

  constructor(instance: GameInstance<State>, settings: VectorEnvSettings) {
    const { numEnvs } = settings
    this.instance = instance
    this.settings = settings
    this.#writer = createRowWriter(instance, numEnvs, settings.packed)
    this.#states = new Array<State | undefined>(numEnvs).fill(undefined)
    this.#status = new Uint8Array(numEnvs)
    this.#lengths = new Int32Array(numEnvs)
    this.#returns = new Float64Array(numEnvs)
    this.#starts = new Array<EpisodeStart>(numEnvs)
    this.#nextSeeds = new Array<string | undefined>(numEnvs).fill(undefined)
    this.#strides = this.#writer.observations.map((bytes) => bytes.length / numEnvs)
    this.#openMask = openMask(instance.numActions, settings.packed, this.#writer.maskRowBytes)
    this.#rewardOutcome = settings.reward === 'score' ? -1 : instance.outcomes.names.indexOf(settings.reward)
    this.recorder = settings.record ? new EpisodeRecorder(numEnvs) : undefined
    this.batch = this.#createBatch()
  }

  /** Starts episodes in the rows whose entry is given; the others stay as they are. */
  reset(starts: readonly (EpisodeStart | undefined)[]): void {
    finish(this.resetInSlices(starts))
  }

  /** The same in slices; nothing else may be asked of the environment before the last. */
  *resetInSlices(starts: readonly (EpisodeStart | undefined)[]): Slices<void> {
    this.#clearStep()
    for (let row = 0; row < starts.length; row++) {
      if (isSliceEnd(row, ROWS_A_SLICE)) yield
      const start = starts[row]
      if (start === undefined) continue
      this.#start(row, start)
      this.batch.terminations[row] = 0
      this.batch.truncations[row] = 0
    }
  }

  /** Whether a row has ever been reset. */
  wasReset(row: number): boolean {
    return this.#status[row] !== NEVER_RESET
  }

  /** Whether a row's episode is over and waits for a reset. */
  isFinished(row: number): boolean {
    return this.#status[row] === FINISHED
  }

  /** Whether a step would accept an action of a row now: the mask's own entry. */
  isLegal(row: number, action: number): boolean {
    return this.#writer.isSet(row, action)
  }

  /** A row's state, for reading only. */
  state(row: number): State {
    return this.#states[row]!
  }

  /** The episode that follows the current one of a row in its own sequence. */
  following(row: number): EpisodeStart {
    const { seed, episode } = this.#starts[row]!
    return { seed, episode: episode + 1 }
  }

  /** Plays one action a row. Everything is checked first: a refused call has changed nothing. */
  step(actions: Int32Array): void {
    this.#check(actions)
    this.#clearStep()
    for (let row = 0; row < actions.length; row++) this.#stepRow(row, actions[row]!)
  }

  /** Whether a step may take so long that it should be done in slices. */
  get isLarge(): boolean {
    return this.settings.numEnvs > ROWS_A_SLICE
  }

  /** A step in slices: it is checked in the first; nothing else may be asked of the environment before the last. */
  *stepInSlices(actions: Int32Array): Slices<void> {
    this.#check(actions)
    this.#clearStep()
    for (let row = 0; row < actions.length; row++) {
      if (isSliceEnd(row, ROWS_A_SLICE)) yield
      this.#stepRow(row, actions[row]!)
    }
  }

  /** Plays a legal action in one row that is not finished, the others staying as they are. */
  stepOne(row: number, action: number): void {
    this.#clearStep()
    this.#stepRow(row, action)
  }

  /** Starts an episode in one row and plays actions that were found legal; the row then stands at that ply. */
  resume(row: number, start: EpisodeStart, actions: readonly number[]): void {
    finish(this.resumeInSlices(row, start, actions))
  }

  /** The same in slices. */
  *resumeInSlices(row: number, start: EpisodeStart, actions: readonly number[]): Slices<void> {
    this.#clearStep()
    this.#start(row, start)
    const { rules, outcomes } = this.instance
    const { batch } = this
    const state = this.#states[row]!
    const rewardAt = row * outcomes.names.length + Math.max(0, this.#rewardOutcome)
    const before = batch.outcomes[rewardAt]!
    let score = 0
    for (let ply = 0; ply < actions.length; ply++) {
      if (isSliceEnd(ply, ACTIONS_A_SLICE)) yield
      const action = actions[ply]!
      score += rules.step(state, action)
      this.recorder?.append(row, action)
    }
    this.#writer.write(state, row)
    outcomes.write(state, batch.outcomes, row * outcomes.names.length)
    this.#lengths[row] = actions.length
    this.#returns[row] = this.#rewardOutcome < 0 ? score : batch.outcomes[rewardAt]! - before
    const terminated = rules.isTerminal(state)
    batch.terminations[row] = terminated ? 1 : 0
    batch.truncations[row] = 0
    if (!terminated) return
    this.#status[row] = FINISHED
    this.#writeFinishedMask(row)
  }

  /** Why a step would not accept an action of a row now, or undefined when it would. */
  explain(row: number, action: number): Refusal | undefined {
    if (this.isFinished(row) && this.settings.autoresetMode === 'next_step') return undefined
    return this.explainPlay(row, action)
  }

  /** The same for an action that must not reset: no action is played in a finished episode. */
  explainPlay(row: number, action: number): Refusal | undefined {
    const { rules } = this.instance
    const state = this.#states[row]!
    // A time limit or an illegal action ends episodes that the rules would go on with.
    if (this.isFinished(row) && !rules.isTerminal(state)) return EPISODE_OVER
    return rules.explain(state, action)
  }

  /**
   * Does at most one unit of work ahead of need, looking at a few rows; returns whether there may be more. Changes
   * no result.
   */
  prepare(): boolean {
    const { rules } = this.instance
    if (!rules.prepareStep && !rules.prepareReset) return false
    for (let looked = 0; looked < ROWS_AT_ONCE && this.#unprepared > 0; looked++) {
      const row = this.#prepareRow
      if (this.#status[row] !== NEVER_RESET) {
        const state = this.#states[row]!
        if (rules.prepareStep?.(state)) return true
        if (rules.prepareReset?.(state, this.#nextSeed(row))) return true
      }
      this.#unprepared--
      this.#prepareRow = row + 1 === this.#states.length ? 0 : row + 1
    }
    return this.#unprepared > 0
  }

  #createBatch(): Batch {
    const { numEnvs, autoresetMode } = this.settings
    const { observations, masks } = this.#writer
    return {
      observations,
      actionMasks: masks,
      rewards: new Float32Array(numEnvs),
      terminations: new Uint8Array(numEnvs),
      truncations: new Uint8Array(numEnvs),
      outcomes: new Int32Array(numEnvs * this.instance.outcomes.names.length),
      refusals: this.#refusals,
      finished: this.#finished,
      finalActionMasks: new Uint8Array(masks.length),
      finalObservations:
        autoresetMode === 'same_step' ? observations.map((bytes) => new Uint8Array(bytes.length)) : [],
    }
  }

  #check(actions: Int32Array): void {
    const { numActions } = this.instance
    for (let row = 0; row < actions.length; row++) {
      const action = actions[row]!
      if (action < 0 || action >= numActions) {
        throw envError(
          'ACTION_OUT_OF_RANGE',
          `the action of row ${row} is ${action}; allowed: 0 to ${numActions - 1}`,
          { row: String(row), action: String(action) },
        )
      }
    }
    const mode = this.settings.autoresetMode
    for (let row = 0; row < actions.length; row++) {
      const status = this.#status[row]
      if (status === PLAYING || (status === FINISHED && mode !== 'disabled')) continue
      const why = status === NEVER_RESET ? 'was never reset' : 'has finished its episode'
      throw envError('RESET_REQUIRED', `row ${row} ${why}; reset it first`, { row: String(row) })
    }
    if (this.settings.illegalAction === 'reject') this.#rejectIllegal(actions)
  }

  #rejectIllegal(actions: Int32Array): void {
    for (let row = 0; row < actions.length; row++) {
      const action = actions[row]!
      if (this.#status[row] === FINISHED || this.#writer.isSet(row, action)) continue
      const refusal = this.#refusal(row, action)
      const name = this.instance.native.name(action)
      throw new EnvError(
        'FAILED_PRECONDITION',
        refusal.reason,
        `the action of row ${row} is ${action} (${name}), which is not legal now: ${refusal.message}`,
        { row: String(row), action: String(action) },
      )
    }
  }

  #refusal(row: number, action: number): Refusal {
    const refusal = this.instance.rules.explain(this.#states[row]!, action)
    if (refusal === undefined) throw new Error(`the mask refuses action ${action} and explain does not`)
    return refusal
  }

  #clearStep(): void {
    this.#unprepared = this.#states.length
    this.batch.rewards.fill(0)
    this.#refusals.length = 0
    this.#finished.length = 0
  }

  #stepRow(row: number, action: number): void {
    const { batch, settings } = this
    if (this.#status[row] === FINISHED) {
      this.#start(row, this.following(row))
      batch.terminations[row] = 0
      batch.truncations[row] = 0
      return
    }
    let terminated = false
    if (this.#writer.isSet(row, action)) {
      const state = this.#states[row]!
      const reward = this.#play(state, row, action)
      batch.rewards[row] = reward
      this.#returns[row]! += reward
      terminated = this.instance.rules.isTerminal(state)
    } else {
      this.#refusals.push({ row, action, reason: this.#refusal(row, action).reason })
      terminated = settings.illegalAction === 'terminate'
    }
    const length = ++this.#lengths[row]!
    const truncated = !terminated && length === settings.maxEpisodeSteps
    batch.terminations[row] = terminated ? 1 : 0
    batch.truncations[row] = truncated ? 1 : 0
    if (terminated || truncated) this.#finish(row, truncated)
  }

  #play(state: State, row: number, action: number): number {
    const { rules, outcomes } = this.instance
    const at = row * outcomes.names.length
    const before = this.#rewardOutcome < 0 ? 0 : this.batch.outcomes[at + this.#rewardOutcome]!
    const score = rules.step(state, action)
    this.recorder?.append(row, action)
    this.#writer.write(state, row)
    outcomes.write(state, this.batch.outcomes, at)
    return this.#rewardOutcome < 0 ? score : this.batch.outcomes[at + this.#rewardOutcome]! - before
  }

  #finish(row: number, truncated: boolean): void {
    const { batch, settings } = this
    const index = this.#finished.length
    this.#finished.push({
      row,
      return: this.#returns[row]!,
      length: this.#lengths[row]!,
      outcomes: this.#outcomesOf(row),
    })
    const bytes = this.#writer.maskRowBytes
    const mask = batch.actionMasks.subarray(row * bytes, (row + 1) * bytes)
    if (truncated) batch.finalActionMasks.set(mask, index * bytes)
    else batch.finalActionMasks.fill(0, index * bytes, (index + 1) * bytes)
    this.#status[row] = FINISHED
    if (settings.autoresetMode === 'same_step') {
      this.#keepObservation(row, index)
      this.#start(row, this.following(row))
    } else this.#writeFinishedMask(row)
  }

  /** Ones where the next step resets the row whatever its action, zeros where a step would be refused. */
  #writeFinishedMask(row: number): void {
    const bytes = this.#writer.maskRowBytes
    const mask = this.batch.actionMasks.subarray(row * bytes, (row + 1) * bytes)
    if (this.settings.autoresetMode === 'disabled') mask.fill(0)
    else mask.set(this.#openMask)
  }

  #outcomesOf(row: number): number[] {
    const count = this.instance.outcomes.names.length
    const outcomes = new Array<number>(count)
    for (let i = 0; i < count; i++) outcomes[i] = this.batch.outcomes[row * count + i]!
    return outcomes
  }

  #keepObservation(row: number, index: number): void {
    this.batch.finalObservations.forEach((finals, i) => {
      const stride = this.#strides[i]!
      finals.set(this.batch.observations[i]!.subarray(row * stride, (row + 1) * stride), index * stride)
    })
  }

  #start(row: number, start: EpisodeStart): void {
    const state = this.#states[row] ?? this.instance.rules.createState()
    this.#states[row] = state
    const previous = this.#starts[row]
    const isNext = previous?.seed === start.seed && previous.episode + 1 === start.episode
    const seed = isNext ? this.#nextSeed(row) : episodeSeed(start.seed, start.episode)
    if (this.recorder) this.#recordStart(row, seed, start)
    this.instance.rules.reset(state, seed)
    this.#starts[row] = start
    this.#nextSeeds[row] = undefined
    this.#status[row] = PLAYING
    this.#lengths[row] = 0
    this.#returns[row] = 0
    this.instance.rules.expectReset?.(state, this.#nextSeed(row))
    this.#writer.write(state, row)
    this.instance.outcomes.write(state, this.batch.outcomes, row * this.instance.outcomes.names.length)
  }

  /** The old episode is closed with its summary, and the new one begins. */
  #recordStart(row: number, seed: string, start: EpisodeStart): void {
    this.recorder?.begin(row, seed, start.episode === 0 ? (start.replay ?? {}) : {})
  }

  #nextSeed(row: number): string {
    const known = this.#nextSeeds[row]
    if (known !== undefined) return known
    const { seed, episode } = this.following(row)
    const next = episodeSeed(seed, episode)
    this.#nextSeeds[row] = next
    return next
  }
}

/** Whether a slice has ended before the thing of this index; `size` is a power of two. */
function isSliceEnd(index: number, size: number): boolean {
  return index > 0 && (index & (size - 1)) === 0
}

const EPISODE_OVER: Refusal = { reason: 'episode_over', cells: [], message: 'The episode is over.' }
