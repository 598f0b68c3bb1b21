import { below, seeded } from '../../random/seeded.ts'
import type { BatchMessage } from '../../session/message-types.ts'
import { AUTORESET_MODES, WIRE_ENCODINGS } from '../../session/messages.ts'
import type { AuditedGame, Failure } from './audit.ts'
import { type ContractClient, ServerRefusal } from './contract-client.ts'

/** How a batch is run: one of the modes, a time limit (0: none), and the encoding of its masks. */
export interface Mode {
  readonly autoreset: (typeof AUTORESET_MODES)[number]
  readonly maxEpisodeSteps: number
  readonly packed: boolean
}

/** Every autoreset mode with and without a time limit, in both encodings. */
export const MODES: readonly Mode[] = (['next_step', 'same_step', 'disabled'] as const).flatMap((autoreset) =>
  [0, 7].flatMap((maxEpisodeSteps) =>
    [false, true].map((packed) => ({ autoreset, maxEpisodeSteps, packed })),
  ),
)

const ROWS = 3
const DISABLED = AUTORESET_MODES.lastIndexOf('disabled')

/** A row of the batch, and the single environment that plays the same episodes without any mode. */
interface Twin {
  readonly envId: string
  readonly seed: string
  episode: number
  actions: number[]
  /** The mask and the end as the single environment shows them. */
  batch: BatchMessage
}

/**
 * Plays a batch in a mode for `steps` steps beside single environments that are reset by hand, and compares all
 * masks: after resets, in play, at ends by the rules and by the time limit, and after automatic resets.
 */
export async function checkMode(
  client: ContractClient,
  game: AuditedGame,
  mode: Mode,
  seed: string,
  steps: number,
): Promise<Failure | undefined> {
  const run = new ModeRun(client, game, mode)
  try {
    return await run.play(seed, steps)
  } catch (error) {
    if (error instanceof ServerRefusal) return { message: error.message, seed, actions: [] }
    throw error
  } finally {
    await run.close()
  }
}

class ModeRun {
  readonly #client: ContractClient
  readonly #game: AuditedGame
  readonly #mode: Mode
  readonly #opened: string[] = []
  #twins: Twin[] = []

  constructor(client: ContractClient, game: AuditedGame, mode: Mode) {
    this.#client = client
    this.#game = game
    this.#mode = mode
  }

  async close(): Promise<void> {
    for (const envId of this.#opened) await this.#client.call('closeEnv', { envId })
  }

  async play(seed: string, steps: number): Promise<Failure | undefined> {
    const { autoreset, maxEpisodeSteps, packed } = this.#mode
    const envId = await this.#make(ROWS, {
      autoresetMode: AUTORESET_MODES.lastIndexOf(autoreset),
      wireEncoding: WIRE_ENCODINGS.lastIndexOf(packed ? 'packed' : 'dense'),
      maxEpisodeSteps,
    })
    const seeds = Array.from({ length: ROWS }, (_, row) =>
      row === 0 ? seed : `${row}${seed.replace('-', '')}`,
    )
    this.#twins = []
    for (const own of seeds) this.#twins.push(await this.#twin(own))
    let { batch } = await this.#client.call('reset', { envId, seeds })
    let failure = this.#compare(batch, 'after a reset')
    const random = seeded(`modes:${seed}`)
    for (let i = 0; i < steps && failure === undefined; i++) {
      const actions = this.#twins.map((twin) => this.#draw(twin, random))
      if (autoreset === 'disabled') {
        const over = this.#twins.map((twin) => (this.#isOver(twin) ? 1 : 0))
        if (over.includes(1)) {
          await this.#client.call('reset', { envId, resetMask: Uint8Array.from(over) })
          for (const twin of this.#twins) if (this.#isOver(twin)) await this.#next(twin)
          continue
        }
      }
      batch = (await this.#client.call('step', { envId, actions })).batch
      failure = await this.#follow(batch, actions)
    }
    return failure
  }

  /** Takes the step in the single environments and compares. */
  async #follow(batch: BatchMessage, actions: readonly number[]): Promise<Failure | undefined> {
    let finals = 0
    for (const [row, twin] of this.#twins.entries()) {
      if (this.#isOver(twin)) {
        await this.#next(twin)
        if (readFloat(batch.rewards, row) !== 0) return this.#failure(twin, 'a resetting step has a reward')
        continue
      }
      const action = actions[row]!
      twin.batch = (await this.#client.call('step', { envId: twin.envId, actions: [action] })).batch
      twin.actions.push(action)
      if (!this.#isOver(twin)) continue
      const final = this.#mask(batch.finalActionMasks, finals++)
      const failure = this.#differs(twin, final, twin.batch.actionMasks, 'in the final mask')
      if (failure !== undefined) return failure
      if (this.#mode.autoreset === 'same_step') await this.#next(twin)
    }
    return this.#compare(batch, 'after a step')
  }

  /** Compares the masks of all rows with what they should be. */
  #compare(batch: BatchMessage, where: string): Failure | undefined {
    for (const [row, twin] of this.#twins.entries()) {
      const expected = this.#isOver(twin) ? this.#maskOfFinished() : twin.batch.actionMasks
      const failure = this.#differs(twin, this.#mask(batch.actionMasks, row), expected, where)
      if (failure !== undefined) return failure
    }
    return undefined
  }

  #differs(twin: Twin, got: Uint8Array, expected: Uint8Array, where: string): Failure | undefined {
    const action = expected.findIndex((bit, i) => bit !== got[i])
    if (action < 0) return undefined
    const name = this.#game.actionNames[action]
    return this.#failure(
      twin,
      `${where}, the mask of action ${action} (${name}) is ${got[action]}; it should be ${expected[action]}`,
    )
  }

  #failure({ seed, episode, actions }: Twin, what: string): Failure {
    const { autoreset, maxEpisodeSteps, packed } = this.#mode
    const how = `autoreset ${autoreset}, time limit ${maxEpisodeSteps}, ${packed ? 'packed' : 'dense'}`
    return { message: `${what} (${how})`, seed, episode, actions: [...actions] }
  }

  #isOver({ batch, actions }: Twin): boolean {
    const { maxEpisodeSteps } = this.#mode
    return batch.terminations[0] === 1 || (maxEpisodeSteps > 0 && actions.length === maxEpisodeSteps)
  }

  #maskOfFinished(): Uint8Array {
    return new Uint8Array(this.#game.numActions).fill(this.#mode.autoreset === 'disabled' ? 0 : 1)
  }

  /** A row of masks as bytes of 0 and 1. */
  #mask(masks: Uint8Array, row: number): Uint8Array {
    const { numActions } = this.#game
    if (!this.#mode.packed) return masks.subarray(row * numActions, (row + 1) * numActions)
    const bytes = 8 * Math.ceil(numActions / 64)
    return Uint8Array.from(
      { length: numActions },
      (_, action) => (masks[row * bytes + (action >> 3)]! >> (action & 7)) & 1,
    )
  }

  #draw(twin: Twin, random: () => number): number {
    const legal = Array.from(twin.batch.actionMasks.keys()).filter((a) => twin.batch.actionMasks[a] === 1)
    return legal.length === 0 ? 0 : legal[below(random, legal.length)]!
  }

  async #twin(seed: string): Promise<Twin> {
    const envId = await this.#make(1, { autoresetMode: DISABLED })
    const { batch } = await this.#client.call('reset', { envId, seeds: [seed] })
    return { envId, seed, episode: 0, actions: [], batch }
  }

  async #next(twin: Twin): Promise<void> {
    twin.episode++
    twin.actions = []
    const request = { envId: twin.envId, seeds: [twin.seed], episodes: [twin.episode] }
    twin.batch = (await this.#client.call('reset', request)).batch
  }

  async #make(numEnvs: number, settings: object): Promise<string> {
    const { gameId, config } = this.#game
    const { envId } = await this.#client.call('makeEnv', { gameId, config, numEnvs, ...settings })
    this.#opened.push(envId)
    return envId
  }
}

function readFloat(bytes: Uint8Array, index: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getFloat32(index * 4, true)
}
