import type { AfterstateSearch } from '../../env/game.ts'
import { writeCells } from '../tray/afterstate.ts'
import { laterBoardValues } from '../tray/board-values.ts'
import { BOARD_10 } from '../tray/board10.ts'
import type { DrawTable } from '../tray/draw-table.ts'
import { createSearch } from '../tray/search.ts'
import type { Ranking } from '../tray/search-rank.ts'
import { SHAPES_10 } from '../tray/shapes.ts'
import { BAND_1, BAND_2, BAND_3, tableAt } from './deal.ts'
import { NEW_SET } from './explain.ts'
import { IDLE_LIMIT, MOST_NEW_SETS, scorePlacement } from './rules.ts'
import type { BlockPuzzle10State } from './state.ts'

/** What a new set left is worth beside the board. */
const NEW_SET_WORTH = 100

/** The learned value takes longer combos for this long. */
const MOST_COMBO = 6

const BANDS = [BAND_1, BAND_2, BAND_3]

function weightsOf(table: DrawTable): number[] {
  const weights = new Array<number>(SHAPES_10.length).fill(0)
  for (const piece of table) weights[piece]!++
  return weights
}

const RANKING: Ranking = {
  values: laterBoardValues(10, BANDS.map(weightsOf), [
    (MOST_COMBO + 1) * IDLE_LIMIT,
    (MOST_NEW_SETS + 1) * BANDS.length,
  ]),
  bandAt: (score) => BANDS.indexOf(tableAt(score)),
  learnedFigures: 2,
  writeFigures: (figures, at, score, out, to) => {
    out[to] = Math.min(figures[at]!, MOST_COMBO) * IDLE_LIMIT + figures[at + 1]!
    out[to + 1] = figures[at + 2]! * BANDS.length + BANDS.indexOf(tableAt(score))
  },
  newSet: { figure: 2, worth: NEW_SET_WORTH },
}

/** Looks ahead over the pieces in the tray; a new set may end a sequence. */
export function createBlockPuzzle10Search(allowNewSet: boolean): AfterstateSearch<BlockPuzzle10State> {
  return createSearch<BlockPuzzle10State>({
    board: BOARD_10,
    figures: ['combo', 'idle', 'new_sets'],
    readFigures: (state, out) => {
      out[0] = state.combo
      out[1] = state.idle
      out[2] = state.newSets
    },
    place: (figures, piece, lines, emptied) => countPlacement(figures, piece, lines, emptied, allowNewSet),
    ranking: RANKING,
    newSet: NEW_SET,
    writeCells: (_state, _sequence, words, out) => writeCells(BOARD_10, words, out),
  })
}

function countPlacement(
  figures: Int32Array,
  piece: number,
  lines: number,
  emptied: boolean,
  allowNewSet: boolean,
): number {
  if (lines > 0) {
    figures[0]!++
    figures[1] = 0
    if (emptied && allowNewSet) figures[2] = Math.min(MOST_NEW_SETS, figures[2]! + 1)
    return scorePlacement(piece, lines, figures[0]!, emptied)
  }
  if (figures[0]! > 0 && ++figures[1]! === IDLE_LIMIT) {
    figures[0] = 0
    figures[1] = 0
  }
  return scorePlacement(piece, 0, 0, false)
}
