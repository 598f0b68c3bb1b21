import type { BatchMessage } from '../../session/message-types.ts'
import { AUTORESET_MODES } from '../../session/messages.ts'
import { type ContractClient, ServerRefusal } from './contract-client.ts'

/** A place where a server contradicts itself, and the episode that leads there. */
export interface Failure {
  readonly message: string
  readonly seed: string
  /** Default 0. */
  readonly episode?: number
  readonly actions: readonly number[]
}

/** What the server says of a game. */
export interface AuditedGame {
  readonly gameId: string
  readonly config: { readonly [key: string]: string }
  readonly numActions: number
  readonly actionNames: readonly string[]
}

/** How much was compared. */
export interface Counts {
  positions: number
  steps: number
  plays: number
}

type Mask = Uint8Array

const DISABLED = AUTORESET_MODES.lastIndexOf('disabled')

/** The most actions of one position, legal and not, that are given to Play. */
const MAX_PLAYS = 12

/** Rows that are left free for what else a check makes. */
const SPARE_ROWS = 8

/** What a server answers that allows fewer rows than asked for. */
const TOO_MANY: readonly string[] = ['TOO_MANY_ROWS', 'MESSAGE_TOO_LARGE']

/** An environment and its rows. */
interface Rows {
  readonly envId: string
  readonly count: number
}

/** Contradictions found while a position is looked at. */
class Contradiction extends Error {}

/**
 * Holds a server to its own words in single positions: the mask in batches and in GetActionMask, Explain, Play,
 * and what a step does with every action, each in a row of its own that stands at the same position.
 */
export class Auditor {
  readonly counts: Counts = { positions: 0, steps: 0, plays: 0 }
  readonly #client: ContractClient
  readonly #game: AuditedGame
  readonly #steps: Rows
  readonly #plays: Rows
  /** Native forms of actions, learned from the lists of legal actions. */
  readonly #natives = new Map<number, string>()

  private constructor(client: ContractClient, game: AuditedGame, steps: Rows, plays: Rows) {
    this.#client = client
    this.#game = game
    this.#steps = steps
    this.#plays = plays
  }

  /** Takes a row for each action, or as many as the server allows. */
  static async create(client: ContractClient, game: AuditedGame): Promise<Auditor> {
    const spare = await makeRows(client, game, SPARE_ROWS)
    const plays = await makeRows(client, game, MAX_PLAYS)
    const steps = await makeRows(client, game, game.numActions)
    await client.call('closeEnv', { envId: spare.envId })
    return new Auditor(client, game, steps, plays)
  }

  async close(): Promise<void> {
    for (const { envId } of [this.#steps, this.#plays]) await this.#client.call('closeEnv', { envId })
  }

  /**
   * Looks at the position after `actions`. Undefined when all agrees, `unreachable` when an action on the way is
   * not legal.
   */
  async audit(seed: string, actions: readonly number[]): Promise<Failure | 'unreachable' | undefined> {
    try {
      this.counts.positions++
      const standing = await this.#stand(this.#steps, seed, actions)
      if (standing === undefined) return 'unreachable'
      await this.#compare(standing, seed, actions)
      return undefined
    } catch (error) {
      if (error instanceof ServerRefusal || error instanceof Contradiction) {
        return { message: error.message, seed, actions }
      }
      throw error
    }
  }

  /** Brings all rows to a position; undefined when an action on the way is not legal. */
  async #stand({ envId, count }: Rows, seed: string, actions: readonly number[]) {
    const seeds = new Array<string>(count).fill(seed)
    let { batch } = await this.#client.call('reset', { envId, seeds })
    for (const action of actions) {
      if (batch.terminations[0] === 1 || batch.actionMasks[action] !== 1) return undefined
      batch = (await this.#client.call('step', { envId, actions: new Array<number>(count).fill(action) }))
        .batch
      if (batch.refusals.length > 0) {
        throw new Contradiction(`step refuses ${this.#name(action)}, which the mask allowed`)
      }
    }
    return batch
  }

  async #compare(batch: BatchMessage, seed: string, actions: readonly number[]): Promise<void> {
    const { numActions } = this.#game
    const mask = Uint8Array.from(batch.actionMasks.subarray(0, numActions))
    for (let row = 1; row < this.#steps.count; row++) {
      const other = batch.actionMasks.subarray(row * numActions, (row + 1) * numActions)
      this.#sameMask(mask, other, 'two rows in the same position have different masks')
    }
    const reasons = await this.#questions(mask)
    if (batch.terminations[0] === 1) await this.#atTheEnd(mask)
    else {
      const after = await this.#stepAll(mask, reasons, seed, actions)
      await this.#playSome(mask, reasons, after, seed, actions)
    }
  }

  /** What GetActionMask and Explain say; returns the reason of each action, '' for a legal one. */
  async #questions(mask: Mask): Promise<readonly string[]> {
    const { envId } = this.#steps
    const { masks } = await this.#client.call('getActionMask', { envId, rows: [0] })
    this.#sameMask(mask, masks[0]!.mask, 'the batch and GetActionMask have different masks')
    const { explanations } = await this.#client.call('explain', { envId, row: 0 })
    const reasons = new Array<string>(mask.length).fill('')
    for (const { action, legal, reason } of explanations) {
      reasons[action] = reason
      if (legal === (mask[action] === 1) && (reason === '') === legal) continue
      const says = legal ? 'is legal' : `is not legal (${reason || 'no reason given'})`
      throw new Contradiction(
        `the mask ${mask[action] === 1 ? 'allows' : 'forbids'} ${this.#name(action)}; Explain says that it ${says}`,
      )
    }
    return reasons
  }

  async #atTheEnd(mask: Mask): Promise<void> {
    const open = mask.indexOf(1)
    if (open >= 0) throw new Contradiction(`the episode is over, and the mask allows ${this.#name(open)}`)
    const { envId, count } = this.#steps
    const actions = new Array<number>(count).fill(0)
    const code = await this.#client.call('step', { envId, actions }).then(
      () => 'an answer',
      (error: unknown) => (error instanceof ServerRefusal ? error.reason : Promise.reject(error)),
    )
    if (code !== 'RESET_REQUIRED')
      throw new Contradiction(`a step of a finished row gives ${code}, not RESET_REQUIRED`)
  }

  /** Each action in a row of its own, as many at a time as there are rows. Returns the mask after each. */
  async #stepAll(
    mask: Mask,
    reasons: readonly string[],
    seed: string,
    path: readonly number[],
  ): Promise<Mask> {
    const { count } = this.#steps
    const after = new Uint8Array(mask.length * mask.length)
    for (let first = 0; first < mask.length; first += count) {
      if (first > 0 && (await this.#stand(this.#steps, seed, path)) === undefined) {
        throw new Contradiction('the same episode has another mask the second time')
      }
      const masks = await this.#stepFrom(first, mask, reasons)
      after.set(masks, first * mask.length)
    }
    return after
  }

  /** Row r plays action `first + r`; rows to spare play the last action once more. Returns the masks afterwards. */
  async #stepFrom(first: number, mask: Mask, reasons: readonly string[]): Promise<Mask> {
    const { envId, count } = this.#steps
    const last = mask.length - 1
    const actions = Array.from({ length: count }, (_, row) => Math.min(first + row, last))
    const { batch } = await this.#client.call('step', { envId, actions })
    const own = actions.slice(0, mask.length - first)
    this.counts.steps += own.length
    const refused = new Map(batch.refusals.map(({ row, reason }) => [row, reason]))
    for (const [row, action] of own.entries()) {
      const reason = refused.get(row)
      const name = this.#name(action)
      if (mask[action] === 1 && reason !== undefined)
        throw new Contradiction(`the mask allows ${name}; step refuses it (${reason})`)
      if (mask[action] === 1) continue
      if (reason === undefined) throw new Contradiction(`the mask forbids ${name}; step plays it`)
      if (reason !== reasons[action]) {
        throw new Contradiction(`${name} is refused for ${reason}; Explain says ${reasons[action]}`)
      }
      const rowMask = batch.actionMasks.subarray(row * mask.length, (row + 1) * mask.length)
      this.#sameMask(mask, rowMask, `the refused action ${name} changes the mask`)
    }
    return batch.actionMasks.subarray(0, own.length * mask.length)
  }

  /** Some actions through Play, in rows of a second environment that stand at the same position. */
  async #playSome(
    mask: Mask,
    reasons: readonly string[],
    after: Mask,
    seed: string,
    path: readonly number[],
  ): Promise<void> {
    const { envId, count } = this.#plays
    if ((await this.#stand(this.#plays, seed, path)) === undefined) {
      throw new Contradiction('the same episode has another mask the second time')
    }
    const { ok, legalActions } = await this.#client.call('play', { envId, row: 0, actionJson: 'null' })
    if (ok) throw new Contradiction('Play accepts null as an action')
    const legal = Array.from(mask.keys()).filter((action) => mask[action] === 1)
    if (legalActions.length !== legal.length) {
      throw new Contradiction(`Play lists ${legalActions.length} legal actions, the mask ${legal.length}`)
    }
    legal.forEach((action, i) => {
      this.#natives.set(action, legalActions[i]!)
    })
    for (const action of spread(
      [...this.#natives.keys()].filter((known) => mask[known] === 0),
      MAX_PLAYS,
    )) {
      await this.#playIllegal(action, reasons[action]!)
    }
    for (const [row, action] of spread(legal, count).entries()) {
      await this.#playLegal(row, action, after.subarray(action * mask.length, (action + 1) * mask.length))
    }
  }

  async #playIllegal(action: number, expected: string): Promise<void> {
    const request = { envId: this.#plays.envId, row: 0, actionJson: this.#natives.get(action)! }
    const { ok, reason } = await this.#client.call('play', request)
    this.counts.plays++
    if (ok) throw new Contradiction(`the mask forbids ${this.#name(action)}; Play accepts it`)
    if (reason === expected) return
    throw new Contradiction(`Play refuses ${this.#name(action)} for ${reason}; Explain says ${expected}`)
  }

  async #playLegal(row: number, action: number, after: Mask): Promise<void> {
    const request = { envId: this.#plays.envId, row, actionJson: this.#natives.get(action)! }
    const { ok, reason } = await this.#client.call('play', request)
    this.counts.plays++
    if (!ok) throw new Contradiction(`the mask allows ${this.#name(action)}; Play refuses it (${reason})`)
    const { masks } = await this.#client.call('getActionMask', { envId: this.#plays.envId, rows: [row] })
    this.#sameMask(after, masks[0]!.mask, `${this.#name(action)} leads elsewhere by Play than by a step`)
  }

  #sameMask(expected: Mask, got: Mask, what: string): void {
    const action = expected.findIndex((bit, i) => bit !== got[i])
    if (action >= 0) throw new Contradiction(`${what}, first at ${this.#name(action)}`)
  }

  #name(action: number): string {
    return `action ${action} (${this.#game.actionNames[action]})`
  }
}

/** An environment of `wanted` rows, or of a half of that, or of a half of the half, as the server allows. */
async function makeRows(client: ContractClient, game: AuditedGame, wanted: number): Promise<Rows> {
  const { gameId, config } = game
  for (let count = wanted; ; count = Math.ceil(count / 2)) {
    try {
      const request = { gameId, config, numEnvs: count, autoresetMode: DISABLED }
      return { envId: (await client.call('makeEnv', request)).envId, count }
    } catch (error) {
      if (count === 1 || !(error instanceof ServerRefusal && TOO_MANY.includes(error.reason))) throw error
    }
  }
}

/** At most `count` entries, taken from all over a list. */
function spread(list: readonly number[], count: number): number[] {
  if (list.length <= count) return [...list]
  return Array.from({ length: count }, (_, i) => list[Math.floor((i * list.length) / count)]!)
}
