import type { TrayBoard } from './board.ts'
import { type ExpectedSets, takeExpected } from './expected-sets.ts'
import { READY_WORDS, type SetStream, startSets } from './set-stream.ts'

/**
 * What the states of the three tray games share; plain data, changed in place. Everything that a step touches
 * lies in one array, because a batch of a thousand states must stay in the processor's nearer caches.
 */
export interface TrayState extends SetStream {
  /**
   * [words] int32, in this order: the board (2 or 4 words, a bit a cell), the tray (3, 1 + catalogue index or 0
   * when spent), the legal anchors of each slot (3 times as many as the board), what a game adds, and the
   * generators that are ready.
   */
  readonly words: Int32Array
  /** Sets dealt so far. */
  sets: number
  score: number
  lines: number
  placements: number
  /** Whether any piece in the tray fits. */
  fits: boolean
  over: boolean
  /** The first sets of the next episode. */
  readonly expected: ExpectedSets
}

/** The words of a new state, with `extra` of the game's own behind the anchors. */
export function createWords(board: TrayBoard, extra: number): Int32Array {
  return new Int32Array(board.extraAt + extra + READY_WORDS)
}

/** Empties the board and the figures and starts the sets of a seed; the first set is still to be dealt. */
export function resetTrayState(state: TrayState, seed: string): void {
  const words = state.words
  for (let i = 0; i < words.length; i++) words[i] = 0
  if (!takeExpected(state, state.expected, seed)) startSets(state, seed)
  state.sets = 0
  state.score = 0
  state.lines = 0
  state.placements = 0
  state.fits = false
  state.over = false
}
