/** The hand-made value of a board, how well it can take what may be dealt next: its parts. Used to order a search. */
import type { Shape } from './shapes.ts'

/** For each unit of border between a filled and an empty cell; the walls count as filled. */
export const EDGE = -0.6
/** For an empty cell whose four neighbours are all filled, and for one with a single empty neighbour. */
export const POCKET = -8
export const DEAD_END = -3
/** Times the mean, over the next piece, of ln(1 + the number of its legal anchors). */
export const ROOM = 40
/** Times the chance that the next piece fits nowhere. */
export const NO_ROOM = -200
/** For each anchor of the square of three, and of each bar of five, up to three of them. */
export const BIG_SQUARE = 6
export const LONG_BAR = 2
const MOST_COUNTED = 3

/**
 * [shapes, cells + 1] float64 what a piece with that many anchors adds to the value of a board; `weights` are
 * the chances that the next piece is this one, in any unit.
 */
export function roomTable(shapes: readonly Shape[], weights: readonly number[], cells: number): Float64Array {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const table = new Float64Array(shapes.length * (cells + 1))
  for (const { index, text } of shapes) {
    const chance = (weights[index] ?? 0) / total
    for (let anchors = 0; anchors <= cells; anchors++) {
      const room = anchors === 0 ? NO_ROOM * chance : ROOM * chance * Math.log(1 + anchors)
      table[index * (cells + 1) + anchors] = room + bonusOf(text) * Math.min(anchors, MOST_COUNTED)
    }
  }
  return table
}

function bonusOf(text: string): number {
  if (text === '###/###/###') return BIG_SQUARE
  return text === '#####' || text === '#/#/#/#/#' ? LONG_BAR : 0
}
