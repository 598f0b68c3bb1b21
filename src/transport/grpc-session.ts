import type { ServerDuplexStream } from '@grpc/grpc-js'
import { answerBytes } from '../session/exchange.ts'
import { IdleWork } from '../session/idle-work.ts'
import { type Host, Session } from '../session/session.ts'

/** Messages cross the library as bytes, so that one that does not decode is answered like any other fault. */
export type RawStream = ServerDuplexStream<Uint8Array, Uint8Array>

/** Bytes of answers that may wait to be read before no more requests are taken. */
const MAX_WAITING_BYTES = 1024 * 1024

/** How long requests are answered before signals and timers get their turn, in milliseconds. */
const TURN_MS = 10

/**
 * One session over one stream: answers in order, takes no requests while too many answers wait to be read, and
 * frees its environments when the stream ends in any way.
 */
export class GrpcSession {
  readonly #stream: RawStream
  readonly #session: Session
  readonly #idle: IdleWork
  readonly #maxInFlight: number
  /** Sizes of the answers that wait to be read, oldest first. */
  readonly #waiting: number[] = []
  #waitingBytes = 0
  #yielding = false
  #yieldAtMs = 0
  #closed = false

  /** Throws TOO_MANY_SESSIONS past the host's limit. */
  constructor(host: Host, stream: RawStream) {
    this.#session = new Session(host)
    this.#idle = new IdleWork(this.#session)
    this.#stream = stream
    this.#maxInFlight = host.limits.maxInFlight
    stream.on('data', (request: Uint8Array) => this.#answer(request))
    stream.on('end', () => {
      this.#close()
      stream.end()
    })
    for (const event of ['cancelled', 'error', 'close']) stream.on(event, () => this.#close())
  }

  #answer(request: Uint8Array): void {
    if (this.#closed || this.#stream.cancelled) return
    const answer = answerBytes(this.#session, request)
    this.#waiting.push(answer.length)
    this.#waitingBytes += answer.length
    this.#stream.write(answer, this.#written)
    this.#idle.schedule()
    const nowMs = performance.now()
    if (nowMs >= this.#yieldAtMs) this.#yield(nowMs)
    else if (!this.#mayRead()) this.#stream.pause()
  }

  readonly #written = (): void => {
    this.#waitingBytes -= this.#waiting.shift()!
    if (this.#stream.isPaused() && this.#mayRead()) this.#stream.resume()
  }

  #mayRead(): boolean {
    return (
      !this.#yielding && this.#waiting.length < this.#maxInFlight && this.#waitingBytes < MAX_WAITING_BYTES
    )
  }

  /** Lets the event loop go round once before the next request. */
  #yield(nowMs: number): void {
    this.#yielding = true
    this.#yieldAtMs = nowMs + TURN_MS
    this.#stream.pause()
    setImmediate(() => {
      this.#yielding = false
      this.#yieldAtMs = performance.now() + TURN_MS
      if (!this.#closed && this.#mayRead()) this.#stream.resume()
    })
  }

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#idle.stop()
    this.#session.close()
  }
}
