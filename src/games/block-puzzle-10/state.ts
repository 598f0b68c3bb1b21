import { BOARD_10 } from '../tray/board10.ts'
import { createExpected } from '../tray/expected-sets.ts'
import { createWords, type TrayState } from '../tray/state.ts'

/** The state of a game of Block Puzzle 10x10. */
export interface BlockPuzzle10State extends TrayState {
  /** Clearing placements since the combo was last lost. */
  combo: number
  /** Placements without a clear since the last one with, 0 to 2; 0 while there is no combo. */
  idle: number
  /** New sets left, 0 to 3. */
  newSets: number
}

/** A state that must be reset before use. */
export function createState(): BlockPuzzle10State {
  // One literal with every field, never a spread: all states then share one hidden class, which steps rely on.
  return {
    words: createWords(BOARD_10, 0),
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
    idle: 0,
    newSets: 0,
  }
}
