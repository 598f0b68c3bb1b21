import { BOARD_8 } from '../tray/board8.ts'
import { createTrayState, type TrayState } from '../tray/state.ts'

/** The state of a game of Block Puzzle 8x8. */
export interface BlockPuzzle8State extends TrayState {
  /** Placements in a row that cleared a line, up to the last one. */
  combo: number
}

/** A state that must be reset before use. */
export function createState(): BlockPuzzle8State {
  return { ...createTrayState(BOARD_8), combo: 0 }
}
