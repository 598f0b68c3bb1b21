/** What `read` gives: a line's bytes, or word of a line that passed the limit and was dropped. */
export type LineEvent = Uint8Array | 'too_long'

/** The first size of the store for a line that comes in several chunks, in bytes. */
const FIRST_STORE_BYTES = 4096

const NOTHING = new Uint8Array(0)

/**
 * Splits a byte stream into lines on 0x0A only, strips one CR, skips blank lines. A line over the limit is
 * told of as soon as it passes it, and the rest of it is dropped without being stored.
 */
export class LineReader {
  readonly #maxBytes: number
  readonly #chunks: Uint8Array[] = []
  /** The start of a line whose end has not come yet; it grows by doubling, so that single bytes cost little. */
  #store: Uint8Array = NOTHING
  #length = 0
  #dropping = false

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Takes the next bytes of the stream; they are kept until `read` has come past them. */
  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
  }

  /** The next line, or undefined until more bytes are pushed. */
  read(): LineEvent | undefined {
    for (let chunk = this.#chunks[0]; chunk !== undefined; chunk = this.#chunks[0]) {
      const newline = chunk.indexOf(0x0a)
      const part = newline === -1 ? chunk : chunk.subarray(0, newline)
      if (newline === -1) this.#chunks.shift()
      else this.#chunks[0] = chunk.subarray(newline + 1)
      const tooLong = !this.#dropping && this.#length + part.length > this.#maxBytes
      if (tooLong) this.#drop()
      const line = newline === -1 ? this.#keep(part) : this.#endLine(part)
      if (tooLong) return 'too_long'
      if (line !== undefined) return line
    }
    return undefined
  }

  #keep(part: Uint8Array): undefined {
    if (this.#dropping) return
    const length = this.#length + part.length
    if (length > this.#store.length) {
      const doubled = Math.max(FIRST_STORE_BYTES, this.#store.length * 2)
      const store = Buffer.allocUnsafe(Math.max(length, Math.min(doubled, this.#maxBytes)))
      store.set(this.#store.subarray(0, this.#length))
      this.#store = store
    }
    this.#store.set(part, this.#length)
    this.#length = length
  }

  #drop(): void {
    this.#store = NOTHING
    this.#length = 0
    this.#dropping = true
  }

  /** The finished line without its CR, or undefined when it was blank or dropped. */
  #endLine(part: Uint8Array): Uint8Array | undefined {
    if (this.#dropping) {
      this.#dropping = false
      return undefined
    }
    const line = this.#length === 0 ? part : this.#takeStore(part)
    const end = line.at(-1) === 0x0d ? line.length - 1 : line.length
    return end > 0 ? line.subarray(0, end) : undefined
  }

  #takeStore(part: Uint8Array): Uint8Array {
    this.#keep(part)
    const line = this.#store.subarray(0, this.#length)
    this.#store = NOTHING
    this.#length = 0
    return line
  }
}
