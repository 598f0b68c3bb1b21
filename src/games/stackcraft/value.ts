/** The fixed value of a board by which a search orders placements: a weighted sum of its features. */
import { FEATURES, writeFeatures } from './features.ts'

/*
 * The weights were found by the cross-entropy method for the score of 200 pieces (docs/results.md), one piece ahead, and
 * are so large that the points of the placements themselves hardly matter beside them.
 */

/** [features] the weight of each feature, in the order of `FEATURES`. */
const WEIGHTS = [-248, 743, -14026, -421, -83, -1176, -158, 434, 182, -655, -76, 4853]

/** What a placement's own figures weigh: half a row of landing height, a cell of it cleared, a line cleared. */
export const LANDING = -878
export const ERODED_CELL = 1729
export const LINE = -2339

const features = new Int32Array(FEATURES.length)

/** The value of the board whose 20 rows begin at `at`. */
export function boardValue(rows: Uint16Array, at: number): number {
  writeFeatures(rows, at, features)
  let value = 0
  for (let i = 0; i < WEIGHTS.length; i++) value += WEIGHTS[i]! * features[i]!
  return value
}
