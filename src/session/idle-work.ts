import type { Session } from './session.ts'

/** Time that one turn of the event loop may spend on work ahead of need, in milliseconds. */
const SLICE_MS = 0.5

/** Works ahead for a session while no request is waiting. */
export class IdleWork {
  readonly #session: Session
  #scheduled = false
  #stopped = false
  /** Whether a request was answered since the last turn: then another may be waiting, and comes first. */
  #busy = false

  constructor(session: Session) {
    this.#session = session
  }

  /** Call after a request was answered. */
  schedule(): void {
    this.#busy = true
    this.#plan()
  }

  /** Call before the event loop goes round with a request in hand or at hand: work that is due waits for it. */
  postpone(): void {
    this.#busy = true
  }

  stop(): void {
    this.#stopped = true
  }

  #plan(): void {
    if (this.#scheduled || this.#stopped) return
    this.#scheduled = true
    setImmediate(() => this.#work())
  }

  #work(): void {
    this.#scheduled = false
    if (this.#stopped) return
    if (this.#busy) {
      this.#busy = false
      this.#plan()
      return
    }
    const end = performance.now() + SLICE_MS
    do {
      if (!this.#session.prepare()) return
    } while (performance.now() < end)
    this.#plan()
  }
}
