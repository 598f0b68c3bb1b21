import type { Afterstates, ArraySpec, Position, Refusal } from '../../env/game.ts'
import { tryPlacement } from '../tray/afterstate.ts'
import { BOARD_8, TRAY_8 } from '../tray/board8.ts'
import { checkPosition, fillPosition } from '../tray/position.ts'
import { SPEC } from './encode.ts'
import { hueAt, paint, wipe } from './hues.ts'
import { scorePlacement } from './rules.ts'
import { SEARCH } from './search.ts'
import { createState, HUES_AT, type LumenState, TRAY_HUE_AT } from './state.ts'

const BOARD = SPEC[0] as ArraySpec
const FIGURES = SPEC.filter((spec) => spec.name === 'streak' || spec.name === 'score')

/** The boards that placements lead to; pieces of a given position count as hue 1. */
export function createAfterstates(): Afterstates<LumenState> {
  const words = new Int32Array(TRAY_HUE_AT)
  return {
    board: BOARD,
    after(state, action, out) {
      const result = tryPlacement(BOARD_8, state, action, words)
      if (result === undefined) return undefined
      for (let row = 0; row < 8; row++) words[HUES_AT + row] = state.words[HUES_AT + row]!
      paint(words, result.piece, action & 63, state.words[TRAY_HUE_AT + (action >> 6)]!)
      wipe(words, result.cleared)
      for (let position = 0; position < 64; position++) out[position] = hueAt(words, position)
      const streak = result.lines > 0 ? state.streak + 1 : 0
      const reward = scorePlacement(result.piece, result.lines, streak, result.emptied)
      return { lines: result.lines, reward }
    },
    fromPosition,
    search: SEARCH,
  }
}

function fromPosition(position: Position): LumenState | Refusal {
  const state = createState()
  const refusal = checkPosition(BOARD_8, BOARD, FIGURES, position) ?? fillPosition(BOARD_8, state, position)
  if (refusal !== undefined) return refusal
  for (const [at, hue] of position.board.entries()) state.words[HUES_AT + (at >> 3)]! |= hue << ((at & 7) * 4)
  for (let slot = 0; slot < 3; slot++)
    state.words[TRAY_HUE_AT + slot] = state.words[TRAY_8 + slot] === 0 ? 0 : 1
  state.streak = position.figures.streak ?? 0
  return state
}
