/** What `read` gives: a line's bytes, or word of a line that passed the limit and was dropped. */
export type LineEvent = Uint8Array | 'too_long'

/**
 * Splits a byte stream into lines on 0x0A only, strips one CR, skips blank lines. A line over the limit is
 * told of as soon as it passes it, and the rest of it is dropped without being stored.
 */
export class LineReader {
  readonly #maxBytes: number
  readonly #chunks: Uint8Array[] = []
  #parts: Uint8Array[] = []
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
      const tooLong = !this.#dropping && this.#length + part.length > this.#maxBytes
      if (tooLong) this.#drop()
      else if (!this.#dropping && part.length > 0) this.#store(part)
      if (newline === -1) this.#chunks.shift()
      else this.#chunks[0] = chunk.subarray(newline + 1)
      const line = newline === -1 ? undefined : this.#endLine()
      if (tooLong) return 'too_long'
      if (line !== undefined) return line
    }
    return undefined
  }

  #store(part: Uint8Array): void {
    this.#parts.push(part)
    this.#length += part.length
  }

  #drop(): void {
    this.#parts = []
    this.#length = 0
    this.#dropping = true
  }

  /** The finished line without its CR, or undefined when it was blank or dropped. */
  #endLine(): Uint8Array | undefined {
    const line = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
    this.#parts = []
    this.#length = 0
    this.#dropping = false
    const end = line.at(-1) === 0x0d ? line.length - 1 : line.length
    return end > 0 ? line.subarray(0, end) : undefined
  }
}
