import { envError } from '../env/env-error.ts'
import type { Game, GameInstance } from '../env/game.ts'
import { VectorEnv, type VectorEnvSettings } from '../env/vector-env.ts'
import type { MadeGame } from './messages.ts'

/** What a server allows; bytes and counts. */
export interface Limits {
  /** Sessions open at once. */
  readonly maxSessions: number
  /** Environments of one session. */
  readonly maxEnvsPerSession: number
  /** Environments of the whole process. */
  readonly maxEnvs: number
  /** Rows of one environment. */
  readonly maxNumEnvs: number
  /** Bytes of one message, in or out. */
  readonly maxMessageBytes: number
}

export const DEFAULT_LIMITS: Limits = {
  maxSessions: 256,
  maxEnvsPerSession: 1024,
  maxEnvs: 4096,
  maxNumEnvs: 65_536,
  maxMessageBytes: 64 * 1024 * 1024,
}

/** What the sessions of one process share: the games, the limits, and the few things that are not deterministic. */
export interface Host {
  readonly games: readonly Game[]
  readonly limits: Limits
  readonly allowLiveReplay: boolean
  readonly version: string
  /** Milliseconds since 1970, UTC; only for games of the day and idle times. */
  nowMs(): number
  /** A fresh random seed: a canonical decimal integer. */
  drawSeed(): string
  /** A fresh random environment id. */
  newEnvId(): string
  /** Reports a fault of the server's own; the text goes to the log, never to a client. */
  logFault(fault: unknown): void
  /** How much is open now, over all sessions. */
  readonly open: { sessions: number; envs: number }
}

/** One environment of a session. */
export interface SessionEnv extends MadeGame {
  readonly env: VectorEnv
  readonly instance: GameInstance<unknown>
  /** `[num_envs]` int32, where a step's actions are put together. */
  readonly actions: Int32Array
  usedMs: number
}

/** The environments of one client. Frees them when it is closed. */
export class Session {
  readonly host: Host
  readonly #envs = new Map<string, SessionEnv>()
  #closed = false

  /** Throws TOO_MANY_SESSIONS past the limit. */
  constructor(host: Host) {
    if (host.open.sessions >= host.limits.maxSessions) {
      throw envError('TOO_MANY_SESSIONS', `the server allows ${host.limits.maxSessions} sessions at once`)
    }
    this.host = host
    host.open.sessions++
  }

  /** Adds an environment and returns its id; throws TOO_MANY_ENVS before anything is allocated. */
  add(made: MadeGame, settings: VectorEnvSettings): string {
    const { limits, open } = this.host
    if (this.#envs.size >= limits.maxEnvsPerSession || open.envs >= limits.maxEnvs) {
      throw envError(
        'TOO_MANY_ENVS',
        `the server allows ${limits.maxEnvsPerSession} environments a session and ${limits.maxEnvs} in all; close some first`,
      )
    }
    const env = new VectorEnv(made.instance, settings)
    const id = this.host.newEnvId()
    this.#envs.set(id, {
      ...made,
      env,
      actions: new Int32Array(settings.numEnvs),
      usedMs: this.host.nowMs(),
    })
    open.envs++
    return id
  }

  /** The environment of a request; throws MISSING_FIELD or UNKNOWN_ENV. */
  get(id: string | null | undefined): SessionEnv {
    if (id === undefined || id === null) throw envError('MISSING_FIELD', 'env_id is missing')
    const entry = this.#envs.get(id)
    if (entry === undefined) {
      throw envError('UNKNOWN_ENV', 'this client has no environment of that env_id; it may have been closed')
    }
    entry.usedMs = this.host.nowMs()
    return entry
  }

  /** Frees one environment; throws as `get` does. */
  remove(id: string | null | undefined): void {
    this.get(id)
    this.#envs.delete(id!)
    this.host.open.envs--
  }

  /** Frees the environments that were last used before a time. */
  removeIdle(beforeMs: number): void {
    for (const [id, entry] of this.#envs) if (entry.usedMs < beforeMs) this.remove(id)
  }

  /** Does one unit of work ahead of need; false when nothing is left. */
  prepare(): boolean {
    for (const { env } of this.#envs.values()) if (env.prepare()) return true
    return false
  }

  /** Frees everything; closing twice does no harm. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.host.open.sessions--
    this.host.open.envs -= this.#envs.size
    this.#envs.clear()
  }
}
