import type { AfterstateSearch } from '../../env/game.ts'
import { writeCells } from '../tray/afterstate.ts'
import { BOARD_10 } from '../tray/board10.ts'
import type { DrawTable } from '../tray/draw-table.ts'
import { createSearch } from '../tray/search.ts'
import { SHAPES_10 } from '../tray/shapes.ts'
import type { BoardValue } from '../tray/value.ts'
import { createValue10 } from '../tray/value10.ts'
import { tableAt } from './deal.ts'
import { NEW_SET } from './explain.ts'
import { IDLE_LIMIT, MOST_NEW_SETS, scorePlacement } from './rules.ts'
import type { BlockPuzzle10State } from './state.ts'

/** What a new set left is worth beside the board. */
const NEW_SET_WORTH = 100

/** The value in each score band, made when it is first needed. */
const values = new Map<DrawTable, BoardValue>()

function valueAt({ score }: BlockPuzzle10State): BoardValue {
  const table = tableAt(score)
  const known = values.get(table)
  if (known !== undefined) return known
  const weights = new Array<number>(SHAPES_10.length).fill(0)
  for (const piece of table) weights[piece]!++
  const value = createValue10(weights)
  values.set(table, value)
  return value
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
    valueAt,
    newSet: { action: NEW_SET, figure: 2, worth: NEW_SET_WORTH },
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
