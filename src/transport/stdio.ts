import type { Readable, Writable } from 'node:stream'
import { envError } from '../env/env-error.ts'
import { answerLine, errorLine } from '../session/exchange.ts'
import { IdleWork } from '../session/idle-work.ts'
import { type Host, Session } from '../session/session.ts'
import { LineReader } from './line-reader.ts'

/** How long a stop waits for replies to be read, in milliseconds. */
const DRAIN_MS = 1000

/** One session over a pair of byte streams: a line of JSON a message. */
export class StdioServer {
  readonly #host: Host
  readonly #input: Readable
  readonly #output: Writable
  readonly #session: Session
  readonly #reader: LineReader
  readonly #idle: IdleWork
  #full = false
  #ended = false
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

  /** Answers the lines at hand, until the output is full: then the input waits too. */
  #pump(): void {
    for (let event = this.#next(); event !== undefined; event = this.#next()) {
      const reply = event === 'too_long' ? this.#tooLong() : answerLine(this.#session, event)
      if (!this.#output.write(`${reply}\n`)) {
        this.#full = true
        this.#input.pause()
      }
    }
    this.#idle.schedule()
  }

  #next() {
    return this.#full ? undefined : this.#reader.read()
  }

  #drained(): void {
    this.#full = false
    this.#pump()
    if (this.#full) return
    if (this.#ended) this.#close()
    else this.#input.resume()
  }

  /** No more input: what is queued is answered, a partial line is discarded. */
  #end(): void {
    if (this.#ended) return
    this.#ended = true
    if (!this.#full) this.#close()
  }

  #close(): void {
    this.#idle.stop()
    this.#session.close()
    this.#output.end(() => this.#finish())
  }

  #finish(): void {
    this.#idle.stop()
    this.#session.close()
    this.#resolve()
  }

  #tooLong(): string {
    const { maxMessageBytes } = this.#host.limits
    return errorLine(
      envError('MESSAGE_TOO_LARGE', `a line holds at most ${maxMessageBytes} bytes; it was dropped`),
    )
  }
}
