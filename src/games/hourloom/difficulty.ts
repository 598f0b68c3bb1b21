/** How large and how full chamber n (1, 2, 3, ...) is; each formula holds for every n and none ends a run. */
export interface Difficulty {
  readonly size: number
  readonly laps: number
  readonly gates: number
  readonly twoPlateGates: number
  readonly flux: number
  readonly sparks: number
}

/** Ceilings of the formulas, which size the state's arrays. */
export const MAX_LAPS = 6
export const MAX_GATES = 5
export const MAX_ECHOES = MAX_LAPS - 1
export const MAX_SPARKS = 6
export const MAX_FLUX = 8

/** From this chamber on only the multiplier changes. */
export const HARDEST = 10

const TABLE: readonly Difficulty[] = Array.from({ length: HARDEST }, (_, index) => formulas(index + 1))

/** The difficulty of chamber `n`. */
export function difficulty(n: number): Difficulty {
  return TABLE[Math.min(n, HARDEST) - 1]!
}

function formulas(n: number): Difficulty {
  const gates = Math.min(MAX_GATES, 1 + Math.floor(n / 2))
  return {
    size: Math.min(9, 7 + Math.floor((n - 1) / 2)),
    laps: Math.min(MAX_LAPS, 3 + Math.floor((n - 1) / 2)),
    gates,
    twoPlateGates: Math.max(0, gates - 2),
    flux: Math.min(MAX_FLUX, n - 1),
    sparks: Math.min(MAX_SPARKS, 3 + Math.floor((n - 1) / 3)),
  }
}

/** The percentage that every award of chamber `n` is multiplied by. */
export function multiplierPercent(n: number): number {
  return Math.min(400, 75 + 25 * n)
}
