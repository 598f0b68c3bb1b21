/** The fixed value of a board by which a search orders placements: a weighted sum of its features, in points. */
import { FEATURES, writeFeatures } from './features.ts'

/** [features] the weight of each feature, in the order of `FEATURES`. */
const WEIGHTS = [-9.22, -19.77, -13.08, -10.49, -1.61, -24.04, 0, 0, 0, 0, 0, 0]

/** What a placement's own figures weigh: half a row of landing height, a cell of it cleared, a line cleared. */
export const LANDING = -6.31
export const ERODED_CELL = 6.6
export const LINE = 0

const features = new Int32Array(FEATURES.length)

/** The value of the board whose 20 rows begin at `at`. */
export function boardValue(rows: Uint16Array, at: number): number {
  writeFeatures(rows, at, features)
  let value = 0
  for (let i = 0; i < WEIGHTS.length; i++) value += WEIGHTS[i]! * features[i]!
  return value
}
