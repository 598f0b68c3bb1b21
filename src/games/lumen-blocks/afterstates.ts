import type { Afterstates, ArraySpec, Position, Refusal } from '../../env/game.ts'
import { tryPlacement } from '../tray/afterstate.ts'
import { BOARD_8, WORDS_8 } from '../tray/board8.ts'
import { checkPosition, fillPosition } from '../tray/position.ts'
import { SPEC } from './encode.ts'
import { hueAt, paint, wipe } from './hues.ts'
import { scorePlacement } from './rules.ts'
import { createState, type LumenState } from './state.ts'

const BOARD = SPEC[0] as ArraySpec
const FIGURES = SPEC.filter((spec) => spec.name === 'streak' || spec.name === 'score')

/** The boards that placements lead to; pieces of a given position count as hue 1. */
export function createAfterstates(): Afterstates<LumenState> {
  const words = new Int32Array(WORDS_8)
  const hues = new Int32Array(8)
  return {
    board: BOARD,
    after(state, action, out) {
      const result = tryPlacement(BOARD_8, state, action, words)
      if (result === undefined) return undefined
      hues.set(state.hues)
      paint(hues, result.piece, action & 63, state.trayHue[action >> 6]!)
      wipe(hues, result.cleared)
      for (let position = 0; position < 64; position++) out[position] = hueAt(hues, position)
      const streak = result.lines > 0 ? state.streak + 1 : 0
      const reward = scorePlacement(result.piece, result.lines, streak, result.emptied)
      return { lines: result.lines, reward }
    },
    fromPosition,
  }
}

function fromPosition(position: Position): LumenState | Refusal {
  const state = createState()
  const refusal = checkPosition(BOARD_8, BOARD, FIGURES, position) ?? fillPosition(BOARD_8, state, position)
  if (refusal !== undefined) return refusal
  for (const [at, hue] of position.board.entries()) state.hues[at >> 3]! |= hue << ((at & 7) * 4)
  for (let slot = 0; slot < 3; slot++) state.trayHue[slot] = state.tray[slot] === 0 ? 0 : 1
  state.streak = position.figures.streak ?? 0
  return state
}
