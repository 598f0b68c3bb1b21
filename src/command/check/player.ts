import { below, type SeededRandom, seeded } from '../../random/seeded.ts'
import { AUTORESET_MODES } from '../../session/messages.ts'
import type { AuditedGame } from './audit.ts'
import type { ContractClient } from './contract-client.ts'

const DISABLED = AUTORESET_MODES.lastIndexOf('disabled')

/** The most actions of an episode that is played to find positions. */
const MAX_LENGTH = 200

/** Plays episodes by drawing from the mask, and learns which actions only ever end one. */
export class EpisodePlayer {
  readonly #client: ContractClient
  readonly #envId: string
  /** By action: how often it was played, and how often that ended the episode. */
  readonly #played = new Map<number, { times: number; ends: number }>()

  private constructor(client: ContractClient, envId: string) {
    this.#client = client
    this.#envId = envId
  }

  static async create(client: ContractClient, { gameId, config }: AuditedGame): Promise<EpisodePlayer> {
    const { envId } = await client.call('makeEnv', { gameId, config, numEnvs: 1, autoresetMode: DISABLED })
    return new EpisodePlayer(client, envId)
  }

  async close(): Promise<void> {
    await this.#client.call('closeEnv', { envId: this.#envId })
  }

  /** The actions of an episode: at most `length`, fewer when it ends or its mask is empty. */
  async play(seed: string, length: number, variation: number): Promise<number[]> {
    return (await this.#play(seed, length, variation, false)).actions
  }

  /** An episode whose every mask is compared with Explain; it stops at the first that differs. */
  async playSuspiciously(seed: string): Promise<{ actions: number[]; suspect: boolean }> {
    return this.#play(seed, MAX_LENGTH, 0, true)
  }

  async #play(seed: string, length: number, variation: number, suspicious: boolean) {
    const random = seeded(`check:${seed}:${variation}`)
    let { batch } = await this.#client.call('reset', { envId: this.#envId, seeds: [seed] })
    const actions: number[] = []
    while (actions.length < length && batch.terminations[0] === 0) {
      if (suspicious && !(await this.#agrees(batch.actionMasks))) return { actions, suspect: true }
      const action = this.#draw(batch.actionMasks, random)
      if (action === undefined) break
      batch = (await this.#client.call('step', { envId: this.#envId, actions: [action] })).batch
      if (batch.refusals.length > 0) break
      actions.push(action)
      this.#learn(action, batch.terminations[0] === 1)
    }
    return { actions, suspect: false }
  }

  async #agrees(mask: Uint8Array): Promise<boolean> {
    const { explanations } = await this.#client.call('explain', { envId: this.#envId })
    return explanations.every(({ action, legal }) => legal === (mask[action] === 1))
  }

  /** A legal action; one that has always ended the episode only now and then. */
  #draw(mask: Uint8Array, random: SeededRandom): number | undefined {
    const legal = Array.from(mask.keys()).filter((action) => mask[action] === 1)
    const open = legal.filter((action) => !this.#alwaysEnds(action))
    const from = open.length > 0 && random() < 0.98 ? open : legal
    return from[below(random, from.length)]
  }

  #alwaysEnds(action: number): boolean {
    const seen = this.#played.get(action)
    return seen !== undefined && seen.times >= 2 && seen.ends === seen.times
  }

  #learn(action: number, ended: boolean): void {
    const seen = this.#played.get(action) ?? { times: 0, ends: 0 }
    seen.times++
    if (ended) seen.ends++
    this.#played.set(action, seen)
  }
}
