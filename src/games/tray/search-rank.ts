import { bestIndices } from '../../env/best-indices.ts'
import type { LearnedValue } from '../../env/game.ts'
import { type BoardValues, VALUED_TOGETHER } from './board-values.ts'
import { BOARD_STRIDE, MOST_FIGURES, type SearchPool } from './search-pool.ts'

/** How a search ranks positions: by points, and by the values of board and figures. */
export interface Ranking {
  values(): BoardValues
  /** The band of the next deal's weights, by the score. */
  bandAt(score: number): number
  /** Writes the figures of the learned value at `to`, from those of a position and the score it has. */
  writeFigures(figures: Int32Array, at: number, score: number, out: Int32Array, to: number): void
  /** How many figures that writes. */
  readonly learnedFigures: number
  /** The figure that counts new sets left, and what one is worth. */
  readonly newSet?: { readonly figure: number; readonly worth: number }
}

/** What a search ranks by from a state on. */
export interface RankedBy {
  /** The state's score. */
  readonly score: number
  readonly learned: LearnedValue | undefined
}

/** Values every entry of a level and keeps the best. */
export function rankLevel(ranking: Ranking, pool: SearchPool, by: RankedBy, most: number): void {
  for (let first = 0; first < pool.count; first += VALUED_TOGETHER) {
    valueEntries(ranking, pool, by, first, Math.min(VALUED_TOGETHER, pool.count - first))
  }
  pool.keptCount = bestIndices(pool.ranks, pool.count, most, pool.kept)
}

function valueEntries(ranking: Ranking, pool: SearchPool, by: RankedBy, first: number, count: number): void {
  const { newSet, learnedFigures } = ranking
  const values = ranking.values()
  const { score, learned } = by
  for (let i = 0; i < count; i++) {
    const entry = first + i
    values.load(i, pool.boards, entry * BOARD_STRIDE)
    if (learned === undefined) continue
    const reached = score + pool.points[entry]!
    ranking.writeFigures(pool.figures, entry * MOST_FIGURES, reached, values.figures, i * learnedFigures)
  }
  values.run(count, ranking.bandAt(score), learned?.weights)
  for (let i = 0; i < count; i++) {
    const entry = first + i
    let hand = values.hand[i]!
    if (newSet !== undefined) hand += newSet.worth * pool.figures[entry * MOST_FIGURES + newSet.figure]!
    pool.values[entry] = hand
    pool.learned[entry] = learned === undefined ? 0 : values.learned[i]!
    pool.ranks[entry] = rankOf(by, pool.points[entry]!, hand, pool.learned[entry]!)
  }
}

/** What a search orders by. */
export function rankOf({ learned }: RankedBy, points: number, hand: number, value: number): number {
  if (learned === undefined) return points + hand
  return points + learned.handFactor * hand + learned.learnedFactor * value
}

/** The learned value of an entry's board when a new set has been bought there; 0 without a learned value. */
export function learnedWhenBought(ranking: Ranking, pool: SearchPool, entry: number, by: RankedBy): number {
  const { newSet } = ranking
  if (by.learned === undefined || newSet === undefined) return 0
  const values = ranking.values()
  const count = entry * MOST_FIGURES + newSet.figure
  pool.figures[count]!--
  values.load(0, pool.boards, entry * BOARD_STRIDE)
  ranking.writeFigures(pool.figures, entry * MOST_FIGURES, by.score + pool.points[entry]!, values.figures, 0)
  pool.figures[count]!++
  values.run(1, ranking.bandAt(by.score), by.learned.weights)
  return values.learned[0]!
}
