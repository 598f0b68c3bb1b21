import { BOARD_8, EXTRA_8 } from '../tray/board8.ts'
import { createExpected } from '../tray/expected-sets.ts'
import { createWords, type TrayState } from '../tray/state.ts'

/** Where the hues of the board are in a state's words: 8 words, a row a word, four bits a cell, column 0 lowest. */
export const HUES_AT = EXTRA_8
/** Where the hues of the tray are: 3 words, 1..5, 0 when spent. */
export const TRAY_HUE_AT = HUES_AT + 8
const EXTRA_WORDS = 11

/** The state of a game of Lumen Blocks. */
export interface LumenState extends TrayState {
  /** Placements in a row that cleared a line, up to the last one. */
  streak: number
}

/** A state that must be reset before use. */
export function createState(): LumenState {
  // One literal with every field, never a spread: all states then share one hidden class, which steps rely on.
  return {
    words: createWords(BOARD_8, EXTRA_WORDS),
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
    streak: 0,
  }
}
