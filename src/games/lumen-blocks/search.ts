import type { AfterstateSearch } from '../../env/game.ts'
import { laterBoardValues } from '../tray/board-values.ts'
import { BOARD_8, TRAY_8 } from '../tray/board8.ts'
import { weightBySize } from '../tray/draw-table.ts'
import { createSearch } from '../tray/search.ts'
import { SHAPES_8 } from '../tray/shapes.ts'
import { hueAt, paint, wipe } from './hues.ts'
import { scorePlacement } from './rules.ts'
import { type LumenState, TRAY_HUE_AT } from './state.ts'

/** The learned value takes longer streaks for this long. */
const MOST_STREAK = 7
const coloured = new Int32Array(TRAY_HUE_AT)

/** Looks ahead over the pieces in the tray. */
export const SEARCH: AfterstateSearch<LumenState> = createSearch<LumenState>({
  board: BOARD_8,
  figures: ['streak'],
  readFigures: (state, out) => {
    out[0] = state.streak
  },
  place: (figures, piece, lines, emptied) => {
    figures[0] = lines > 0 ? figures[0]! + 1 : 0
    return scorePlacement(piece, lines, figures[0], emptied)
  },
  ranking: {
    values: laterBoardValues(8, [SHAPES_8.map(weightBySize)], [MOST_STREAK + 1]),
    bandAt: () => 0,
    learnedFigures: 1,
    writeFigures: (figures, at, _score, out, to) => {
      out[to] = Math.min(figures[at]!, MOST_STREAK)
    },
  },
  writeCells: writeHues,
})

/** Plays the sequence again in colour; the board's words alone hold none. */
function writeHues(state: LumenState, sequence: Int32Array, _words: Int32Array, out: Uint8Array): void {
  for (let word = 0; word < TRAY_HUE_AT; word++) coloured[word] = state.words[word]!
  for (const action of sequence) {
    if (action < 0) break
    const slot = action >> 6
    const piece = state.words[TRAY_8 + slot]! - 1
    BOARD_8.place(coloured, piece, action & 63)
    paint(coloured, piece, action & 63, state.words[TRAY_HUE_AT + slot]!)
    wipe(coloured, BOARD_8.clear(coloured))
  }
  for (let position = 0; position < 64; position++) out[position] = hueAt(coloured, position)
}
