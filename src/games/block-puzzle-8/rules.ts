import type { Rules } from '../../env/game.ts'
import { RowView } from '../tray/bit-writers.ts'
import { countLines } from '../tray/board.ts'
import { clear8, place8, SCAN_WORDS_8, scan8, TRAY_8, trayAnchors8 } from '../tray/board8.ts'
import { expectSets, makeExpected } from '../tray/expected-sets.ts'
import { writeMask8 } from '../tray/mask-writers.ts'
import { prepareSet } from '../tray/set-stream.ts'
import { cellCounts, SHAPES_8 } from '../tray/shapes.ts'
import { resetTrayState } from '../tray/state.ts'
import { deal } from './deal.ts'
import { explain } from './explain.ts'
import { type BlockPuzzle8State, createState } from './state.ts'

/*
 * Block Puzzle on eight by eight, by the rules and rulings listed in README.md. A step, in order: place,
 * score the cells, clear every full row and column at once, score the lines and the combo, deal if the tray is
 * spent, and end the game if no piece left in the tray fits.
 */

/** Actions: `pieceIndex * 64 + row * 8 + col`. */
export const NUM_ACTIONS = 192

const CELLS = cellCounts(SHAPES_8)
const scan = new Int32Array(SCAN_WORDS_8)

/** The score of a placement; `combo` already counts it and is 0 when it clears nothing. */
export function scorePlacement(piece: number, lines: number, combo: number): number {
  const comboBonus = combo > 0 ? 20 * (combo - 1) : 0
  return CELLS[piece]! + 5 * lines * (lines + 1) + comboBonus
}

function reset(state: BlockPuzzle8State, seed: string): void {
  resetTrayState(state, seed)
  state.combo = 0
  scan8(state.words, scan)
  deal(state, scan)
}

function step(state: BlockPuzzle8State, action: number): number {
  const words = state.words
  const slot = action >> 6
  const piece = words[TRAY_8 + slot]! - 1
  place8(words, piece, action & 63)
  words[TRAY_8 + slot] = 0
  const cleared = clear8(words)
  let reward = CELLS[piece]!
  if (cleared === 0) state.combo = 0
  else {
    const lines = countLines(cleared)
    state.combo++
    state.lines += lines
    reward = scorePlacement(piece, lines, state.combo)
  }
  state.score += reward
  state.placements++
  scan8(words, scan)
  if ((words[TRAY_8]! | words[TRAY_8 + 1]! | words[TRAY_8 + 2]!) === 0) deal(state, scan)
  else state.fits = trayAnchors8(scan, words) !== 0
  state.over = !state.fits
  return reward
}

/** The rules of Block Puzzle 8x8. */
export function createRules(): Rules<BlockPuzzle8State> {
  const view = new RowView()
  return {
    createState,
    reset,
    step,
    isTerminal: (state) => state.over,
    writeMask: (state, out, offset) => writeMask8(view.of(out), offset, state.words),
    explain,
    prepareStep: (state) => prepareSet(state, state.sets),
    expectReset: (state, seed) => expectSets(state.expected, seed),
    prepareReset: (state, seed) => makeExpected(state.expected, seed),
  }
}
