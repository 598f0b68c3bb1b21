import seedrandom from 'seedrandom'

/** A stream of fractions in [0, 1), each with 32 random bits, that depends on its seed alone. */
export type SeededRandom = () => number

/** The generator of every game but Stackcraft: seedrandom's Alea, seeded with a string. */
export function seeded(seed: string): SeededRandom {
  return seedrandom.alea(seed)
}

/** A uniform integer in 0..n-1; n is at most 2^21. Advances the generator once. */
export function below(random: SeededRandom, n: number): number {
  return Math.floor(random() * n)
}
