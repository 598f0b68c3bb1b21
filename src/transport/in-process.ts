import { answerBytes } from '../session/exchange.ts'
import { type Host, Session } from '../session/session.ts'

/** A session without a wire: the same bytes in and out as on a gRPC stream. */
export class InProcessTransport {
  readonly #session: Session

  /** Throws TOO_MANY_SESSIONS past the host's limit. */
  constructor(host: Host) {
    this.#session = new Session(host)
  }

  /** Answers one encoded SessionRequest. */
  send(request: Uint8Array): Promise<Uint8Array> {
    return Promise.resolve(answerBytes(this.#session, request))
  }

  /** Frees the session's environments. */
  close(): Promise<void> {
    this.#session.close()
    return Promise.resolve()
  }
}
