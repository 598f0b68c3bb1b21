import type { Afterstates, ArraySpec, Position, Refusal } from '../../env/game.ts'
import { tryPlacement, writeCells } from '../tray/afterstate.ts'
import { BOARD_8, WORDS_8 } from '../tray/board8.ts'
import { checkPosition, fillPosition } from '../tray/position.ts'
import { SPEC } from './encode.ts'
import { scorePlacement } from './rules.ts'
import { SEARCH } from './search.ts'
import { type BlockPuzzle8State, createState } from './state.ts'

const BOARD = SPEC[0] as ArraySpec
const FIGURES = SPEC.filter((spec) => spec.name === 'combo' || spec.name === 'score')

/** The boards that placements lead to. */
export function createAfterstates(): Afterstates<BlockPuzzle8State> {
  const words = new Int32Array(WORDS_8)
  return {
    board: BOARD,
    after(state, action, out) {
      const result = tryPlacement(BOARD_8, state, action, words)
      if (result === undefined) return undefined
      writeCells(BOARD_8, words, out)
      const combo = result.lines > 0 ? state.combo + 1 : 0
      return { lines: result.lines, reward: scorePlacement(result.piece, result.lines, combo) }
    },
    fromPosition,
    search: SEARCH,
  }
}

function fromPosition(position: Position): BlockPuzzle8State | Refusal {
  const state = createState()
  const refusal = checkPosition(BOARD_8, BOARD, FIGURES, position) ?? fillPosition(BOARD_8, state, position)
  if (refusal !== undefined) return refusal
  state.combo = position.figures.combo ?? 0
  return state
}
