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

/** The whole state of an Alea generator as plain data, so that it can live inside a game's state. */
export interface SeededState {
  c: number
  s0: number
  s1: number
  s2: number
}

/** Starts a plain-data generator at the same point as `seeded(seed)`. */
export function seedState(state: SeededState, seed: string): void {
  const start = seedrandom.alea(seed, { state: true }).state()
  state.c = start.c
  state.s0 = start.s0
  state.s1 = start.s1
  state.s2 = start.s2
}

/** Advances a plain-data generator and returns 53 random bits: seedrandom's `double()` times 2^53. */
export function nextBits53(state: SeededState): number {
  const high = nextFraction(state)
  return high * 0x20000000000000 + Math.floor(nextFraction(state) * 0x200000)
}

function nextFraction(state: SeededState): number {
  const t = 2091639 * state.s0 + state.c * 2.3283064365386963e-10
  state.s0 = state.s1
  state.s1 = state.s2
  state.c = t | 0
  state.s2 = t - state.c
  return state.s2
}
