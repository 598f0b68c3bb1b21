import type { Session } from './session.ts'

/** Time that one turn of the event loop may spend on work ahead of need, in milliseconds. */
const SLICE_MS = 0.5

/** Works ahead for a session while no request is waiting. */
export class IdleWork {
  readonly #session: Session
  #scheduled = false
  #stopped = false

  constructor(session: Session) {
    this.#session = session
  }

  /** Call after a request was answered. */
  schedule(): void {
    if (this.#scheduled || this.#stopped) return
    this.#scheduled = true
    setImmediate(() => this.#work())
  }

  stop(): void {
    this.#stopped = true
  }

  #work(): void {
    this.#scheduled = false
    if (this.#stopped) return
    const end = performance.now() + SLICE_MS
    do {
      if (!this.#session.prepare()) return
    } while (performance.now() < end)
    this.schedule()
  }
}
