import { BOARD_8 } from '../tray/board8.ts'
import { createTrayState, type TrayState } from '../tray/state.ts'

/** The state of a game of Lumen Blocks. */
export interface LumenState extends TrayState {
  /** [8] int32 the hues of a row's cells, four bits each, column 0 lowest; 0 when empty. */
  readonly hues: Int32Array
  /** [3] int32 the hue of each slot's piece, 1..5, 0 when spent. */
  readonly trayHue: Int32Array
  /** Placements in a row that cleared a line, up to the last one. */
  streak: number
}

/** A state that must be reset before use. */
export function createState(): LumenState {
  return { ...createTrayState(BOARD_8), hues: new Int32Array(8), trayHue: new Int32Array(3), streak: 0 }
}
