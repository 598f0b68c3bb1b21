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
import { paint, wipe } from './hues.ts'
import { createState, type LumenState, TRAY_HUE_AT } from './state.ts'

/*
 * Lumen Blocks as published at gameboard.gg, with the rulings listed in README.md. A step, in order: place,
 * score the cells, clear every full row and column at once, score the lines with the streak, add the bonus
 * for an empty board, deal if the tray is spent, and end the game if no piece left in the tray fits.
 */

/** Actions: `pieceIndex * 64 + row * 8 + col`. */
export const NUM_ACTIONS = 192

const SWEEP_BONUS = 100
const CELLS = cellCounts(SHAPES_8)
const scan = new Int32Array(SCAN_WORDS_8)

/**
 * The score of a placement. `streak` already counts it; the multiplier is 1, 1.5, 2, 2.5 and 3 for streaks of
 * 1 to 5 and more, that is (streak + 1) / 2, so ten times the squared lines times it is always whole.
 */
export function scorePlacement(piece: number, lines: number, streak: number, emptied: boolean): number {
  const lineScore = 5 * lines * lines * (Math.min(streak, 5) + 1)
  return CELLS[piece]! + lineScore + (emptied ? SWEEP_BONUS : 0)
}

function reset(state: LumenState, seed: string): void {
  resetTrayState(state, seed)
  state.streak = 0
  scan8(state.words, scan)
  deal(state, scan)
}

function step(state: LumenState, action: number): number {
  const words = state.words
  const slot = action >> 6
  const position = action & 63
  const piece = words[TRAY_8 + slot]! - 1
  place8(words, piece, position)
  paint(words, piece, position, words[TRAY_HUE_AT + slot]!)
  words[TRAY_8 + slot] = 0
  words[TRAY_HUE_AT + slot] = 0
  const cleared = clear8(words)
  let reward = CELLS[piece]!
  if (cleared === 0) state.streak = 0
  else {
    const lines = countLines(cleared)
    wipe(words, cleared)
    state.streak++
    state.lines += lines
    reward = scorePlacement(piece, lines, state.streak, (words[0]! | words[1]!) === 0)
  }
  state.score += reward
  state.placements++
  scan8(words, scan)
  if ((words[TRAY_8]! | words[TRAY_8 + 1]! | words[TRAY_8 + 2]!) === 0) deal(state, scan)
  else state.fits = trayAnchors8(scan, words) !== 0
  state.over = !state.fits
  return reward
}

/** The rules of Lumen Blocks. */
export function createRules(): Rules<LumenState> {
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
