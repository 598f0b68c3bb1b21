/** Bytes that are made into base64 at once: the text stays small enough for the young part of the heap. */
const SLICE_BYTES = 24 * 1024

/** Shorter base64 joins the text around it: for a reply of few rows, calls cost more than bytes. */
const SHORT_BYTES = 1024

/** Base64 of so few bytes is quicker made here than by a call. */
const FEW_BYTES = 16

const FIRST_BYTES = 4096

/** A buffer beyond this size is given up when a line needs far less. */
const KEPT_BYTES = 8 * 1024 * 1024

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** [4096] the two base64 digits of twelve bits. */
const PAIRS = Array.from({ length: 4096 }, (_, bits) => DIGITS[bits >> 6]! + DIGITS[bits & 63]!)

/**
 * A line in the making. A reply of many rows is hundreds of kilobytes of base64: put together as one string it
 * would cost more than the steps that it tells of, so it is written here piece by piece.
 */
export class LineBuffer {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  #length = 0
  /** ASCII that is still to be written. */
  #waiting = ''

  /** Bytes of the line so far. */
  get length(): number {
    return this.#length + this.#waiting.length
  }

  /** Starts another line; what `line` gave before is overwritten. */
  clear(): void {
    const { length } = this.#bytes
    if (length > KEPT_BYTES && this.#length < length / 4) this.#bytes = Buffer.allocUnsafe(FIRST_BYTES)
    this.#length = 0
    this.#waiting = ''
  }

  /** Starts another line elsewhere: what `line` gave before stays as it is. */
  leave(): void {
    this.#bytes = Buffer.allocUnsafe(Math.max(FIRST_BYTES, this.#length))
    this.#length = 0
    this.#waiting = ''
  }

  /** Adds ASCII. */
  ascii(text: string): void {
    this.#waiting += text
  }

  /** Adds any text. */
  text(text: string): void {
    this.#flush()
    this.#reserve(Buffer.byteLength(text))
    this.#length += this.#bytes.write(text, this.#length)
  }

  /** Adds bytes as standard base64 with padding. */
  base64(bytes: Uint8Array): void {
    if (bytes.length <= FEW_BYTES) this.#waiting += fewToBase64(bytes)
    else if (bytes.length <= SHORT_BYTES) this.#waiting += bufferOf(bytes).toString('base64')
    else this.#addLong(bufferOf(bytes))
  }

  /** What was written, without a copy. */
  line(): Buffer {
    this.#flush()
    return this.#bytes.subarray(0, this.#length)
  }

  #addLong(source: Buffer): void {
    this.#flush()
    this.#reserve(4 * Math.ceil(source.length / 3))
    for (let at = 0; at < source.length; at += SLICE_BYTES) {
      const slice = source.toString('base64', at, Math.min(at + SLICE_BYTES, source.length))
      this.#length += this.#bytes.write(slice, this.#length, 'latin1')
    }
  }

  #flush(): void {
    const text = this.#waiting
    if (text === '') return
    this.#waiting = ''
    this.#reserve(text.length)
    this.#length += this.#bytes.write(text, this.#length, 'latin1')
  }

  #reserve(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#bytes.length) return
    const bytes = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2))
    bytes.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = bytes
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function fewToBase64(bytes: Uint8Array): string {
  let text = ''
  const whole = bytes.length - (bytes.length % 3)
  for (let i = 0; i < whole; i += 3) {
    const bits = (bytes[i]! << 16) | (bytes[i + 1]! << 8) | bytes[i + 2]!
    text += PAIRS[bits >> 12]! + PAIRS[bits & 4095]!
  }
  if (whole === bytes.length) return text
  if (whole + 1 === bytes.length) return `${text + PAIRS[bytes[whole]! << 4]!}==`
  const bits = (bytes[whole]! << 8) | bytes[whole + 1]!
  return `${text + PAIRS[bits >> 4]! + DIGITS[(bits & 15) << 2]!}=`
}
