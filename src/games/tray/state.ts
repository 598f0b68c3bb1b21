import type { TrayBoard } from './board.ts'
import { createSetStream, type SetStream, startSets } from './set-stream.ts'

/** What the states of the three tray games share; plain data, changed in place. */
export interface TrayState {
  /** The generators of the episode's sets. */
  readonly stream: SetStream
  /** Sets dealt so far. */
  sets: number
  /** [2 or 4] int32 a bit a cell, in the layout of the game's board. */
  readonly board: Int32Array
  /** [3] int32 1 + catalogue index, 0 when spent. */
  readonly tray: Int32Array
  /** [3, 2 or 4] int32 the legal anchors of each slot; zeros when spent. */
  readonly anchors: Int32Array
  score: number
  lines: number
  placements: number
  /** Whether any piece in the tray fits. */
  fits: boolean
  over: boolean
}

/** The shared part of a new state. */
export function createTrayState(board: TrayBoard): TrayState {
  return {
    stream: createSetStream(),
    sets: 0,
    board: new Int32Array(board.words),
    tray: new Int32Array(3),
    anchors: new Int32Array(3 * board.words),
    score: 0,
    lines: 0,
    placements: 0,
    fits: false,
    over: false,
  }
}

/** Empties the board and the figures and starts the sets of a seed; the first set is still to be dealt. */
export function resetTrayState(state: TrayState, seed: string): void {
  startSets(state.stream, seed)
  state.sets = 0
  state.board.fill(0)
  state.tray.fill(0)
  state.anchors.fill(0)
  state.score = 0
  state.lines = 0
  state.placements = 0
  state.fits = false
  state.over = false
}

/** Whether all three pieces have been placed. */
export function isTraySpent(tray: Int32Array): boolean {
  return (tray[0]! | tray[1]! | tray[2]!) === 0
}
