/** The view on the array written last: the rows of one batch share it, so that no view is made a step. */
export class RowView {
  private array: Uint8Array | undefined
  private view: DataView = new DataView(new ArrayBuffer(0))

  /** The view of an array. */
  of(array: Uint8Array): DataView {
    if (array !== this.array) {
      this.array = array
      this.view = new DataView(array.buffer, array.byteOffset, array.byteLength)
    }
    return this.view
  }
}

/** [256] float64 whose eight bytes are the eight bits of the index, low bits first. */
const EXPANDED = expandedBytes()

function expandedBytes(): Float64Array {
  const expanded = new Float64Array(256)
  const view = new DataView(new ArrayBuffer(8))
  for (let bits = 0; bits < 256; bits++) {
    for (let bit = 0; bit < 8; bit++) view.setUint8(bit, (bits >>> bit) & 1)
    // Bytes of 0 and 1 are never a NaN, so the number carries them unchanged.
    expanded[bits] = view.getFloat64(0, true)
  }
  return expanded
}

/** Writes the low eight bits as eight bytes of 0 or 1. */
export function expand8(view: DataView, offset: number, bits: number): void {
  view.setFloat64(offset, EXPANDED[bits & 0xff]!, true)
}

/** Writes 32 bits as 32 bytes of 0 or 1. */
export function expand32(view: DataView, offset: number, bits: number): void {
  view.setFloat64(offset, EXPANDED[bits & 0xff]!, true)
  view.setFloat64(offset + 8, EXPANDED[(bits >>> 8) & 0xff]!, true)
  view.setFloat64(offset + 16, EXPANDED[(bits >>> 16) & 0xff]!, true)
  view.setFloat64(offset + 24, EXPANDED[bits >>> 24]!, true)
}

/** Writes the low `count` bits as bytes of 0 or 1, one by one; for the odd end of an array. */
export function expandFew(view: DataView, offset: number, bits: number, count: number): void {
  for (let bit = 0; bit < count; bit++) view.setUint8(offset + bit, (bits >>> bit) & 1)
}

/** Writes the low four nibbles as four bytes. */
export function expandNibbles4(view: DataView, offset: number, nibbles: number): void {
  const pairs = (nibbles | (nibbles << 8)) & 0x00ff00ff
  view.setInt32(offset, (pairs | (pairs << 4)) & 0x0f0f0f0f, true)
}

/**
 * Brings four words of 30 bits together as 100 consecutive bits, added into `out` from bit `bit` of word
 * `word`; `bit` is below 30, and the words of `out` behind the first are overwritten.
 */
export function join30(words: Int32Array, at: number, out: Int32Array, word: number, bit: number): void {
  const w1 = words[at + 1]!
  const w2 = words[at + 2]!
  const w3 = words[at + 3]!
  const c0 = words[at]! | (w1 << 30)
  const c1 = (w1 >>> 2) | (w2 << 28)
  const c2 = (w2 >>> 4) | (w3 << 26)
  // `(x >>> 1) >>> (31 - bit)` is `x >>> (32 - bit)` that also holds for a bit of 0.
  out[word] = out[word]! | (c0 << bit)
  out[word + 1] = (c1 << bit) | ((c0 >>> 1) >>> (31 - bit))
  out[word + 2] = (c2 << bit) | ((c1 >>> 1) >>> (31 - bit))
  out[word + 3] = ((w3 >>> 6) << bit) | ((c2 >>> 1) >>> (31 - bit))
}
