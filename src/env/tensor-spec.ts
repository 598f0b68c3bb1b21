import type { ArraySpec, ObservationArray, ObservationSpec } from './game.ts'

/** The number of elements of one row. */
export function elementsOf(spec: ArraySpec): number {
  return spec.shape.reduce((product, length) => product * length, 1)
}

/** Bits that one element takes on the wire. */
function bitsOf(spec: ArraySpec, packed: boolean): number {
  if (packed && spec.packing === 'bits') return 1
  if (packed && spec.packing === 'nibbles') return 4
  return spec.dtype === 'int32' ? 32 : 8
}

/** Bytes that one row of an observation takes on the wire. */
export function rowBytes(spec: ArraySpec, packed: boolean): number {
  return Math.ceil((elementsOf(spec) * bitsOf(spec, packed)) / 8)
}

/** Bytes that one row of the mask takes on the wire. */
export function maskRowBytes(numActions: number, packed: boolean): number {
  return packed ? 8 * Math.ceil(numActions / 64) : numActions
}

/** Allocates dense arrays for `rows` rows, in the order of the spec. */
export function allocateDense(spec: ObservationSpec, rows: number): ObservationArray[] {
  return spec.map((array) => {
    const length = rows * elementsOf(array)
    return array.dtype === 'int32' ? new Int32Array(length) : new Uint8Array(length)
  })
}

/** The bytes of an array; the wire is little-endian, as is every platform that Node runs on but s390x. */
export function bytesOf(array: ObservationArray | Float32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}

/** Packs 0/1 elements into bits, low bits first, padding the last byte with zeros. */
export function packBits(dense: Uint8Array, from: number, count: number, out: Uint8Array, to: number): void {
  for (let i = 0; i < count; i += 8) {
    const end = Math.min(8, count - i)
    let byte = 0
    for (let bit = 0; bit < end; bit++) byte |= dense[from + i + bit]! << bit
    out[to + (i >> 3)] = byte
  }
}

/** Packs elements in 0..15 into nibbles, low nibble first. */
export function packNibbles(
  dense: Uint8Array,
  from: number,
  count: number,
  out: Uint8Array,
  to: number,
): void {
  for (let i = 0; i < count; i += 2) {
    const high = i + 1 < count ? dense[from + i + 1]! : 0
    out[to + (i >> 1)] = dense[from + i]! | (high << 4)
  }
}

/** Packs one dense row of an array, found at its start, into `out` at byte `to`. */
export function packRow(spec: ArraySpec, dense: ObservationArray, out: Uint8Array, to: number): void {
  const count = elementsOf(spec)
  if (spec.packing === 'bits') packBits(dense as Uint8Array, 0, count, out, to)
  else if (spec.packing === 'nibbles') packNibbles(dense as Uint8Array, 0, count, out, to)
  else out.set(bytesOf(dense), to)
}
