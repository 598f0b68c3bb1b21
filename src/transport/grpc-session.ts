import type { ServerDuplexStream } from '@grpc/grpc-js'
import { type Slices, workUntil } from '../env/slices.ts'
import { answerBytesInSlices } from '../session/exchange.ts'
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
  /** The answer in hand, when it takes more than one turn. */
  #work: Slices<Uint8Array> | undefined
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
    // It does not come while the stream is paused, and so not before the answer in hand.
    stream.on('end', () => {
      this.#close()
      stream.end()
    })
    for (const event of ['cancelled', 'error', 'close']) stream.on(event, () => this.#close())
  }

  #answer(request: Uint8Array): void {
    if (this.#closed || this.#stream.cancelled) return
    this.#work = answerBytesInSlices(this.#session, request)
    this.#goOn(this.#work, performance.now() + TURN_MS)
  }

  /** Works on the answer until a time, and gives it out when it is done. */
  #goOn(work: Slices<Uint8Array>, endMs: number): void {
    const slice = workUntil(work, endMs)
    if (slice.done !== true) {
      this.#yield()
      return
    }
    this.#work = undefined
    this.#idle.schedule()
    this.#waiting.push(slice.value.length)
    this.#waitingBytes += slice.value.length
    this.#stream.write(slice.value, this.#written)
    if (performance.now() >= this.#yieldAtMs) this.#yield()
    else this.#pauseOrResume()
  }

  readonly #written = (): void => {
    this.#waitingBytes -= this.#waiting.shift()!
    this.#pauseOrResume()
  }

  /** Takes requests, or no more for now; one at a time is worked on. */
  #pauseOrResume(): void {
    if (this.#closed) return
    const mayRead =
      !this.#yielding &&
      this.#work === undefined &&
      this.#waiting.length < this.#maxInFlight &&
      this.#waitingBytes < MAX_WAITING_BYTES
    if (!mayRead) this.#stream.pause()
    else if (this.#stream.isPaused()) this.#stream.resume()
  }

  /** Lets the event loop go round once before the next request, or before more work on this one. */
  #yield(): void {
    this.#yielding = true
    this.#stream.pause()
    this.#idle.postpone()
    setImmediate(() => {
      this.#yielding = false
      this.#yieldAtMs = performance.now() + TURN_MS
      if (this.#closed) return
      if (this.#work !== undefined) this.#goOn(this.#work, this.#yieldAtMs)
      else this.#pauseOrResume()
    })
  }

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#work = undefined
    this.#idle.stop()
    this.#session.close()
  }
}
