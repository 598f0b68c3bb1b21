import type { AfterstateSearch } from '../../env/game.ts'
import { writeCells } from '../tray/afterstate.ts'
import { BOARD_8 } from '../tray/board8.ts'
import { weightBySize } from '../tray/draw-table.ts'
import { createSearch } from '../tray/search.ts'
import { SHAPES_8 } from '../tray/shapes.ts'
import { createValue8 } from '../tray/value8.ts'
import { scorePlacement } from './rules.ts'
import type { BlockPuzzle8State } from './state.ts'

const VALUE = createValue8(SHAPES_8.map(weightBySize))

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
  valueAt: () => VALUE,
  writeCells: (_state, _sequence, words, out) => writeCells(BOARD_8, words, out),
})
