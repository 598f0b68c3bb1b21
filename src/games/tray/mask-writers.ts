import { expand8, expand32, expandFew, join30 } from './bit-writers.ts'
import { ANCHORS_8 } from './board8.ts'
import { ANCHORS_10, WORDS_10 } from './board10.ts'

/** Writes the dense mask of an 8x8 game from a state's words: 192 bytes from `offset`. */
export function writeMask8(view: DataView, offset: number, words: Int32Array): void {
  for (let word = 0; word < 6; word++) expand32(view, offset + word * 32, words[ANCHORS_8 + word]!)
}

/** Writes the packed mask of an 8x8 game: its anchors are the three 64-bit words. */
export function writePackedMask8(view: DataView, offset: number, words: Int32Array): void {
  for (let word = 0; word < 6; word++) view.setInt32(offset + word * 4, words[ANCHORS_8 + word]!, true)
}

/** Bytes of a packed 10x10 mask: 302 bits in five 64-bit words. */
export const PACKED_MASK_10_BYTES = 40

/** [10] int32 the 302 mask bits; the last placements share a word with the two other actions. */
const joined = new Int32Array(10)

/** Gathers the anchors of three slots and the two bits of `others`, for actions 300 and 301. */
function joinMask10(words: Int32Array, others: number): void {
  joined[0] = 0
  join30(words, ANCHORS_10, joined, 0, 0)
  join30(words, ANCHORS_10 + WORDS_10, joined, 3, 4)
  join30(words, ANCHORS_10 + WORDS_10 * 2, joined, 6, 8)
  joined[9] = joined[9]! | (others << 12)
}

/** Writes the dense mask of the 10x10 game: 302 bytes from `offset`. */
export function writeMask10(view: DataView, offset: number, words: Int32Array, others: number): void {
  joinMask10(words, others)
  for (let word = 0; word < 9; word++) expand32(view, offset + word * 32, joined[word]!)
  expand8(view, offset + 288, joined[9]!)
  expandFew(view, offset + 296, joined[9]! >>> 8, 6)
}

/** Writes the packed mask of the 10x10 game from `offset`. */
export function writePackedMask10(view: DataView, offset: number, words: Int32Array, others: number): void {
  joinMask10(words, others)
  for (let word = 0; word < 10; word++) view.setInt32(offset + word * 4, joined[word]!, true)
}
