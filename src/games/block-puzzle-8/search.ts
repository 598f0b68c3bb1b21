import type { AfterstateSearch } from '../../env/game.ts'
import { writeCells } from '../tray/afterstate.ts'
import { laterBoardValues } from '../tray/board-values.ts'
import { BOARD_8 } from '../tray/board8.ts'
import { weightBySize } from '../tray/draw-table.ts'
import { createSearch } from '../tray/search.ts'
import { SHAPES_8 } from '../tray/shapes.ts'
import { scorePlacement } from './rules.ts'
import type { BlockPuzzle8State } from './state.ts'

/** The learned value takes longer combos for this long. */
const MOST_COMBO = 7

/** Looks ahead over the pieces in the tray. */
export const SEARCH: AfterstateSearch<BlockPuzzle8State> = createSearch<BlockPuzzle8State>({
  board: BOARD_8,
  figures: ['combo'],
  readFigures: (state, out) => {
    out[0] = state.combo
  },
  place: (figures, piece, lines) => {
    figures[0] = lines > 0 ? figures[0]! + 1 : 0
    return scorePlacement(piece, lines, figures[0])
  },
  ranking: {
    values: laterBoardValues(8, [SHAPES_8.map(weightBySize)], [MOST_COMBO + 1]),
    bandAt: () => 0,
    learnedFigures: 1,
    writeFigures: (figures, at, _score, out, to) => {
      out[to] = Math.min(figures[at]!, MOST_COMBO)
    },
  },
  writeCells: (_state, _sequence, words, out) => writeCells(BOARD_8, words, out),
})
