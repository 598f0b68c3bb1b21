import { quote } from '../env/config.ts'
import { envError } from '../env/env-error.ts'
import type { Game, GameInstance } from '../env/game.ts'
import { bytesOf } from '../env/tensor-spec.ts'
import { VectorEnv, type VectorEnvSettings } from '../env/vector-env.ts'
import type { CallName } from './message-types.ts'
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
  /** Rows of the whole process. */
  readonly maxRows: number
  /** Bytes of one message, in or out. */
  readonly maxMessageBytes: number
  /** Answers of one session that may wait to be read, and unary calls that may be under way at once. */
  readonly maxInFlight: number
}

export const DEFAULT_LIMITS: Limits = {
  maxSessions: 256,
  maxEnvsPerSession: 1024,
  maxEnvs: 4096,
  maxNumEnvs: 65_536,
  maxRows: 1_048_576,
  maxMessageBytes: 64 * 1024 * 1024,
  maxInFlight: 256,
}

/** Takes note of what happens, for metrics and logs. */
export interface Observer {
  /** A request was answered; `rows` is how many rows it stepped. */
  answered(call: CallName, rows: number, seconds: number): void
  /** A request was refused, with a reason of the contract or of a game. */
  refused(reason: string, seconds: number): void
  /** An answered step or Play did not play an action, or ended a row for it, with a reason of a game. */
  actionRefused(reason: string): void
  /** A session was opened; `sessions` are open now. */
  sessionOpened(sessions: number): void
  /** A session was closed; `sessions` are open now. */
  sessionClosed(sessions: number): void
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
  readonly open: { sessions: number; envs: number; rows: number }
  /** Undefined where nobody looks. */
  readonly observer: Observer | undefined
}

/** One environment of a session. */
export interface SessionEnv extends MadeGame {
  readonly env: VectorEnv
  readonly instance: GameInstance<unknown>
  /** `[num_envs]` int32, where a step's actions are put together. */
  readonly actions: Int32Array
  /** The same memory as bytes. */
  readonly actionBytes: Uint8Array
  usedMs: number
}

/** The environments of one client. Frees them when it is closed. */
export class Session {
  readonly host: Host
  readonly #envs = new Map<string, SessionEnv>()
  readonly #counted: boolean
  #closed = false

  /** Throws TOO_MANY_SESSIONS past the limit. The one that all unary calls share is not counted. */
  constructor(host: Host, counted = true) {
    if (counted && host.open.sessions >= host.limits.maxSessions) {
      throw envError('TOO_MANY_SESSIONS', `the server allows ${host.limits.maxSessions} sessions at once`)
    }
    this.host = host
    this.#counted = counted
    if (!counted) return
    host.open.sessions++
    host.observer?.sessionOpened(host.open.sessions)
  }

  /** Adds an environment and returns its id; throws TOO_MANY_ENVS or TOO_MANY_ROWS before anything is allocated. */
  add(made: MadeGame, settings: VectorEnvSettings): string {
    const { limits, open } = this.host
    if (this.#envs.size >= limits.maxEnvsPerSession || open.envs >= limits.maxEnvs) {
      throw envError(
        'TOO_MANY_ENVS',
        `the server allows ${limits.maxEnvsPerSession} environments a session and ${limits.maxEnvs} in all; close some first`,
      )
    }
    if (open.rows + settings.numEnvs > limits.maxRows) {
      throw envError(
        'TOO_MANY_ROWS',
        `num_envs is ${settings.numEnvs}; the server allows ${limits.maxRows} rows in all and ${limits.maxRows - open.rows} are left`,
        { field: 'num_envs' },
      )
    }
    const env = new VectorEnv(made.instance, settings)
    const actions = new Int32Array(settings.numEnvs)
    const id = this.host.newEnvId()
    this.#envs.set(id, {
      ...made,
      env,
      actions,
      actionBytes: bytesOf(actions),
      usedMs: this.host.nowMs(),
    })
    open.envs++
    open.rows += settings.numEnvs
    return id
  }

  /** The environment of that id, if there is one. */
  find(id: string): SessionEnv | undefined {
    const entry = this.#envs.get(id)
    if (entry !== undefined) entry.usedMs = this.host.nowMs()
    return entry
  }

  /** The environment of a request; throws MISSING_FIELD or UNKNOWN_ENV. */
  get(id: string | null | undefined): SessionEnv {
    if (id === undefined || id === null)
      throw envError('MISSING_FIELD', 'env_id is missing', { field: 'env_id' })
    const entry = this.find(id)
    if (entry === undefined) {
      throw envError('UNKNOWN_ENV', `this client has no environment ${quote(id)}; it may have been closed`, {
        field: 'env_id',
      })
    }
    entry.usedMs = this.host.nowMs()
    return entry
  }

  /** Frees one environment; throws as `get` does. */
  remove(id: string | null | undefined): void {
    const { env } = this.get(id)
    this.#envs.delete(id!)
    this.host.open.envs--
    this.host.open.rows -= env.settings.numEnvs
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
    for (const id of this.#envs.keys()) this.remove(id)
    if (!this.#counted) return
    this.host.open.sessions--
    this.host.observer?.sessionClosed(this.host.open.sessions)
  }
}
