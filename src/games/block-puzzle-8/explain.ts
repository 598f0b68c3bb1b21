import type { Refusal } from '../../env/game.ts'
import { BOARD_8 } from '../tray/board8.ts'
import { explainPlacement } from '../tray/explain.ts'
import type { BlockPuzzle8State } from './state.ts'

/** Why an action is not legal: `episode_over`, `slot_empty`, `out_of_bounds` or `cell_occupied`. */
export function explain(state: BlockPuzzle8State, action: number): Refusal | undefined {
  return explainPlacement(BOARD_8, state, action)
}
