import { firstWordSeed } from '../random/sha256.ts'

/** The longest seed, in digits without the sign. */
export const MAX_SEED_DIGITS = 64

const CANONICAL = /^(0|-?[1-9][0-9]{0,63})$/

/** Whether a text is a canonical decimal integer of at most 64 digits. */
export function isSeed(text: string): boolean {
  return CANONICAL.test(text)
}

/** seed + increment, as a canonical decimal string. */
export function addToSeed(seed: string, increment: number): string {
  return (BigInt(seed) + BigInt(increment)).toString()
}

/** The game seed of episode `episode` (from 0) of a row that was seeded `seed`. */
export function episodeSeed(seed: string, episode: number): string {
  return episode === 0 ? seed : firstWordSeed(`blockloom:${seed}:${episode}`)
}
