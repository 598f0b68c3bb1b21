import type { Refusal } from '../../env/game.ts'
import { BOARD_10 } from '../tray/board10.ts'
import { EPISODE_OVER, explainPlacement } from '../tray/explain.ts'
import type { BlockPuzzle10State } from './state.ts'

/** The action that buys a new set. */
export const NEW_SET = 300
/** The action that ends a game that is stuck. */
export const END_GAME = 301

/**
 * Why an action is not legal: `episode_over`, then for a placement `slot_empty`, `out_of_bounds` or
 * `cell_occupied`, and for the other two `no_new_set_left` or `not_stuck`.
 */
export function explain(state: BlockPuzzle10State, action: number): Refusal | undefined {
  if (action < NEW_SET) return explainPlacement(BOARD_10, state, action)
  if (state.over) return EPISODE_OVER
  if (state.newSets === 0) {
    return { reason: 'no_new_set_left', cells: [], message: 'There is no new set left.' }
  }
  if (action === END_GAME && state.fits) {
    return { reason: 'not_stuck', cells: [], message: 'The game can be ended only while no piece fits.' }
  }
  return undefined
}
