import type { handleUnaryCall, ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js'
import { EnvError } from '../env/env-error.ts'
import { type Slices, workUntil } from '../env/slices.ts'
import type { Call } from '../session/contract.ts'
import { answerUnary } from '../session/exchange.ts'
import { toEnvError } from '../session/handlers.ts'
import type { Session } from '../session/session.ts'
import { grpcStatus } from './grpc-status.ts'

/** How long calls are answered before signals, timers and streams get their turn, in milliseconds. */
const TURN_MS = 10

interface WaitingCall {
  readonly call: Call
  readonly unary: ServerUnaryCall<Uint8Array, Uint8Array>
  readonly callback: sendUnaryData<Uint8Array>
}

/** The call in hand, begun and not yet answered. */
interface CallInHand {
  readonly work: Slices<Uint8Array>
  readonly callback: sendUnaryData<Uint8Array>
}

/**
 * Answers the unary calls of all clients one after the other, as they come: they share their environments. One that
 * was begun is played to its end, also when its client has gone; one that waits is dropped then.
 */
export class UnaryCalls {
  readonly #session: Session
  #waiting: WaitingCall[] = []
  #inHand: CallInHand | undefined
  #scheduled = false

  constructor(session: Session) {
    this.#session = session
  }

  /** What the library calls for each call of one method. */
  handler(call: Call): handleUnaryCall<Uint8Array, Uint8Array> {
    return (unary, callback) => {
      this.#waiting.push({ call, unary, callback })
      if (!this.#scheduled) this.#turn()
    }
  }

  /** Drops what waits and what is in hand, and frees the environments. */
  close(): void {
    this.#waiting = []
    this.#inHand = undefined
    this.#session.close()
  }

  #turn(): void {
    const endMs = performance.now() + TURN_MS
    do {
      this.#inHand ??= this.#begin()
      if (this.#inHand === undefined) return
      if (this.#goOn(this.#inHand, endMs)) this.#inHand = undefined
    } while (performance.now() < endMs)
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#turn()
    })
  }

  /** The first call that waits and whose client is still there. */
  #begin(): CallInHand | undefined {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const { call, unary, callback } = next
      if (!unary.cancelled) return { work: answerUnary(this.#session, call, unary.request), callback }
    }
    return undefined
  }

  /** Whether the call was answered by that time. */
  #goOn({ work, callback }: CallInHand, endMs: number): boolean {
    try {
      const slice = workUntil(work, endMs)
      if (slice.done === true) callback(null, slice.value)
      return slice.done === true
    } catch (error) {
      callback(grpcStatus(error instanceof EnvError ? error : toEnvError(error, this.#session.host)))
      return true
    }
  }
}
