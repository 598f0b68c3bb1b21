import type { Afterstates, ArraySpec, Position, Refusal } from '../../env/game.ts'
import { tryPlacement, writeCells } from '../tray/afterstate.ts'
import { BOARD_10, WORDS_10 } from '../tray/board10.ts'
import { checkPosition, fillPosition } from '../tray/position.ts'
import { SPEC } from './encode.ts'
import { scorePlacement } from './rules.ts'
import { createBlockPuzzle10Search } from './search.ts'
import { type BlockPuzzle10State, createState } from './state.ts'

const BOARD = SPEC[0] as ArraySpec
const FIGURES = SPEC.slice(3)

/** The boards that placements lead to. */
export function createAfterstates(allowNewSet: boolean): Afterstates<BlockPuzzle10State> {
  const words = new Int32Array(WORDS_10)
  return {
    board: BOARD,
    after(state, action, out) {
      const result = tryPlacement(BOARD_10, state, action, words)
      if (result === undefined) return undefined
      writeCells(BOARD_10, words, out)
      const combo = result.lines > 0 ? state.combo + 1 : 0
      return {
        lines: result.lines,
        reward: scorePlacement(result.piece, result.lines, combo, result.emptied),
      }
    },
    fromPosition: (position) => fromPosition(position, allowNewSet),
    search: createBlockPuzzle10Search(allowNewSet),
  }
}

function fromPosition(position: Position, allowNewSet: boolean): BlockPuzzle10State | Refusal {
  const { combo = 0, idle = 0, new_sets: newSets = 0 } = position.figures
  const state = createState()
  const refusal =
    checkPosition(BOARD_10, BOARD, FIGURES, position) ??
    checkFigures(combo, idle, newSets, allowNewSet) ??
    fillPosition(BOARD_10, state, position)
  if (refusal !== undefined) return refusal
  state.combo = combo
  state.idle = idle
  state.newSets = newSets
  state.over = !state.fits && newSets === 0
  return state
}

function checkFigures(
  combo: number,
  idle: number,
  newSets: number,
  allowNewSet: boolean,
): Refusal | undefined {
  if (idle > 0 && combo === 0) {
    return { reason: 'bad_position', cells: [], message: 'idle is above 0 only while there is a combo.' }
  }
  if (newSets > 0 && !allowNewSet) {
    return { reason: 'bad_position', cells: [], message: 'new_sets is 0 when new sets are not allowed.' }
  }
  return undefined
}
