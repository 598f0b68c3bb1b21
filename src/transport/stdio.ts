import { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { envError } from '../env/env-error.ts'
import { type Slices, workUntil } from '../env/slices.ts'
import { beginAnswer, errorLine } from '../session/exchange.ts'
import { IdleWork } from '../session/idle-work.ts'
import { LineBuffer } from '../session/line-buffer.ts'
import { type Host, Session } from '../session/session.ts'
import { LineReader } from './line-reader.ts'

/** How long a stop waits for replies to be read, in milliseconds. */
const DRAIN_MS = 1000

/** How long lines are answered before signals and timers get their turn, in milliseconds. */
const TURN_MS = 10

/** One session over a pair of byte streams: a line of JSON a message. */
export class StdioServer {
  readonly #host: Host
  readonly #input: Readable
  readonly #output: Writable
  readonly #session: Session
  readonly #reader: LineReader
  readonly #reply = new LineBuffer()
  readonly #idle: IdleWork
  /** The answer in hand, when it takes more than one turn. */
  #work: Slices<void> | undefined
  /** The output is full: its reader is slow. */
  #full = false
  /** The next turn is due. */
  #scheduled = false
  #ended = false
  #closed = false
  #resolve: () => void = () => undefined

  constructor(host: Host, input: Readable, output: Writable) {
    this.#host = host
    this.#input = input
    this.#output = output
    this.#session = new Session(host)
    this.#reader = new LineReader(host.limits.maxMessageBytes)
    this.#idle = new IdleWork(this.#session)
  }

  /** Serves until the input ends, the output breaks or `stop` is called; all replies are written by then. */
  run(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolve = resolve
      this.#input.on('data', (chunk: Uint8Array) => {
        this.#reader.push(chunk)
        this.#pump()
      })
      this.#input.on('end', () => this.#end())
      this.#input.on('error', () => this.#end())
      this.#output.on('drain', () => this.#drained())
      this.#output.on('error', () => this.#finish())
    })
  }

  /** Stops reading, waits at most a second for the replies under way, and ends. */
  stop(): void {
    this.#input.pause()
    this.#end()
    setTimeout(() => this.#finish(), DRAIN_MS)
  }

  /** Answers the lines at hand. Past a turn's time or with the output full, the rest and the input wait. */
  #pump(): void {
    if (this.#full || this.#scheduled || this.#closed) return
    const endMs = performance.now() + TURN_MS
    while (this.#answerNext(endMs)) {
      this.#write()
      if (this.#full || performance.now() >= endMs) break
    }
    // What may be at hand after the turn is answered in the next one.
    if (this.#full) this.#wait()
    else if (this.#work !== undefined || performance.now() >= endMs) this.#schedule()
    else if (this.#ended) this.#close()
    else {
      this.#input.resume()
      this.#idle.schedule()
    }
  }

  /** Whether another reply is ready by that time. */
  #answerNext(endMs: number): boolean {
    if (this.#work === undefined) {
      const event = this.#reader.read()
      if (event === undefined) return false
      if (event === 'too_long') refuseLongLine(this.#host, this.#reply)
      else this.#work = beginAnswer(this.#session, event, this.#reply)
    }
    if (this.#work !== undefined) {
      if (workUntil(this.#work, endMs).done !== true) return false
      this.#work = undefined
    }
    this.#reply.ascii('\n')
    return true
  }

  /** Writes the reply, and says whether the output is full with it. */
  #write(): void {
    const accepted = this.#output.write(this.#reply.line())
    const waits = this.#output.writableLength > 0
    this.#full = waits && !accepted
    // A socket does not look again at bytes that it no longer counts; another stream may.
    if (waits || !(this.#output instanceof Socket)) this.#reply.leave()
  }

  /** Takes no input until the output has room again. */
  #wait(): void {
    this.#input.pause()
    this.#idle.schedule()
  }

  /** Lets the event loop go round once before the next reply, or before more work on this one. */
  #schedule(): void {
    this.#scheduled = true
    this.#input.pause()
    this.#idle.postpone()
    setImmediate(() => {
      this.#scheduled = false
      this.#pump()
    })
  }

  #drained(): void {
    this.#full = false
    this.#pump()
  }

  /** No more input: what is queued is answered, a partial line is discarded. */
  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#pump()
  }

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#idle.stop()
    this.#session.close()
    this.#output.end(() => this.#finish())
  }

  #finish(): void {
    this.#closed = true
    this.#work = undefined
    this.#idle.stop()
    this.#session.close()
    this.#resolve()
  }
}

/** Writes the answer to a line over the limit, whose id was not read. */
export function refuseLongLine({ limits }: Host, out: LineBuffer): void {
  const error = envError(
    'MESSAGE_TOO_LARGE',
    `a line holds at most ${limits.maxMessageBytes} bytes; it was dropped`,
  )
  out.clear()
  out.text(errorLine(error))
}
