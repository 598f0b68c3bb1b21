import { BOARD_8 } from '../tray/board8.ts'
import { createExpected } from '../tray/expected-sets.ts'
import { createWords, type TrayState } from '../tray/state.ts'

/** The state of a game of Block Puzzle 8x8. */
export interface BlockPuzzle8State extends TrayState {
  /** Placements in a row that cleared a line, up to the last one. */
  combo: number
}

/** A state that must be reset before use. */
export function createState(): BlockPuzzle8State {
  // One literal with every field, never a spread: all states then share one hidden class, which steps rely on.
  return {
    words: createWords(BOARD_8, 0),
    seed: '',
    head: 0.5,
    first: -1,
    sets: 0,
    score: 0,
    lines: 0,
    placements: 0,
    fits: false,
    over: false,
    expected: createExpected(),
    combo: 0,
  }
}
