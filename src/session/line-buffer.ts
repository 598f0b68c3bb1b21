/** Bytes that are made into base64 at once: the text stays small enough for the young part of the heap. */
const SLICE_BYTES = 24 * 1024

const FIRST_BYTES = 4096

/** A buffer beyond this size is given up when a line needs far less. */
const KEPT_BYTES = 8 * 1024 * 1024

/**
 * A line in the making. A reply of many rows is hundreds of kilobytes of base64: put together as one string it
 * would cost more than the steps that it tells of, so it is written here piece by piece.
 */
export class LineBuffer {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  #length = 0

  /** Bytes written since `clear`. */
  get length(): number {
    return this.#length
  }

  /** Starts another line; what `line` gave before is overwritten. */
  clear(): void {
    const { length } = this.#bytes
    if (length > KEPT_BYTES && this.#length < length / 4) this.#bytes = Buffer.allocUnsafe(FIRST_BYTES)
    this.#length = 0
  }

  /** Starts another line elsewhere: what `line` gave before stays as it is. */
  leave(): void {
    this.#bytes = Buffer.allocUnsafe(Math.max(FIRST_BYTES, this.#length))
    this.#length = 0
  }

  /** Adds ASCII. */
  ascii(text: string): void {
    this.#reserve(text.length)
    this.#bytes.write(text, this.#length, 'latin1')
    this.#length += text.length
  }

  /** Adds any text. */
  text(text: string): void {
    this.#reserve(Buffer.byteLength(text))
    this.#length += this.#bytes.write(text, this.#length)
  }

  /** Adds bytes as standard base64 with padding. */
  base64(bytes: Uint8Array): void {
    this.#reserve(4 * Math.ceil(bytes.length / 3))
    const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (let at = 0; at < source.length; at += SLICE_BYTES) {
      this.#length += this.#bytes.write(
        source.toString('base64', at, Math.min(at + SLICE_BYTES, source.length)),
        this.#length,
        'latin1',
      )
    }
  }

  /** What was written, without a copy. */
  line(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  #reserve(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#bytes.length) return
    const bytes = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2))
    bytes.set(this.line())
    this.#bytes = bytes
  }
}
