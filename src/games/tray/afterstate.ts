import type { TrayBoard } from './board.ts'
import { countLines, type LineSet } from './board.ts'
import type { TrayState } from './state.ts'

/** What a placement does to the board alone. */
export interface PlacementResult {
  /** The catalogue index of the piece. */
  readonly piece: number
  readonly cleared: LineSet
  /** How many lines that is. */
  readonly lines: number
  /** Whether the board is empty after it. */
  readonly emptied: boolean
}

/** Plays a legal placement on a copy of the board, `after`; undefined for any other action. */
export function tryPlacement(
  board: TrayBoard,
  state: TrayState,
  action: number,
  after: Int32Array,
): PlacementResult | undefined {
  const cells = board.size * board.size
  const slot = Math.floor(action / cells)
  const position = action % cells
  if (slot > 2 || !board.has(state.words, board.anchorsAt + slot * board.words, position)) return undefined
  const piece = state.words[board.trayAt + slot]! - 1
  for (let word = 0; word < board.words; word++) after[word] = state.words[word]!
  board.place(after, piece, position)
  const cleared = board.clear(after)
  return { piece, cleared, lines: countLines(cleared), emptied: board.isEmpty(after) }
}

/** Writes a board as bytes of 0 and 1. */
export function writeCells(board: TrayBoard, words: Int32Array, out: Uint8Array): void {
  for (let position = 0; position < board.size * board.size; position++) {
    out[position] = board.has(words, 0, position) ? 1 : 0
  }
}
