import type { Rules } from '../../env/game.ts'
import { RowView } from '../tray/bit-writers.ts'
import { countLines } from '../tray/board.ts'
import { clear10, place10, SCAN_WORDS_10, scan10, TRAY_10, trayAnchors10 } from '../tray/board10.ts'
import { expectSets, makeExpected } from '../tray/expected-sets.ts'
import { writeMask10 } from '../tray/mask-writers.ts'
import { prepareSet } from '../tray/set-stream.ts'
import { cellCounts, SHAPES_10 } from '../tray/shapes.ts'
import { resetTrayState } from '../tray/state.ts'
import { deal } from './deal.ts'
import { END_GAME, explain, NEW_SET } from './explain.ts'
import { type BlockPuzzle10State, createState } from './state.ts'

/*
 * Block Puzzle on ten by ten, by the rules and rulings listed in README.md. A placement, in order: place, score
 * the cells, clear every full row and column at once, raise or lose the combo, score the lines, add the bonus
 * and the new set of a Perfect Clear, deal if the tray is spent, and end the game if no piece left in the tray
 * fits and no new set is left.
 */

/** Actions: `pieceIndex * 100 + row * 10 + col`, then `new_set` and `end_game`. */
export const NUM_ACTIONS = 302

const PERFECT_CLEAR = 300
/** New sets that a player can have, and placements without a clear that lose the combo. */
export const MOST_NEW_SETS = 3
export const IDLE_LIMIT = 3
const MOST_MULTIPLIER = 5
const CELLS = cellCounts(SHAPES_10)
const scan = new Int32Array(SCAN_WORDS_10)

/** The score of a placement; `combo` already counts it. */
export function scorePlacement(piece: number, lines: number, combo: number, emptied: boolean): number {
  const lineScore = 5 * lines * (lines + 1) * Math.min(combo, MOST_MULTIPLIER)
  return CELLS[piece]! + lineScore + (emptied ? PERFECT_CLEAR : 0)
}

/** Bits 0 and 1: whether `new_set` and `end_game` are legal. */
export function otherActions(state: BlockPuzzle10State): number {
  if (state.over || state.newSets === 0) return 0
  return state.fits ? 1 : 3
}

function missCombo(state: BlockPuzzle10State): void {
  if (state.combo === 0) return
  state.idle++
  if (state.idle === IDLE_LIMIT) {
    state.combo = 0
    state.idle = 0
  }
}

function place(state: BlockPuzzle10State, action: number, allowNewSet: boolean): number {
  const words = state.words
  const slot = action < 100 ? 0 : action < 200 ? 1 : 2
  const piece = words[TRAY_10 + slot]! - 1
  place10(words, piece, action - slot * 100)
  words[TRAY_10 + slot] = 0
  const cleared = clear10(words)
  let reward = CELLS[piece]!
  if (cleared === 0) missCombo(state)
  else {
    const lines = countLines(cleared)
    const emptied = (words[0]! | words[1]! | words[2]! | words[3]!) === 0
    state.combo++
    state.idle = 0
    state.lines += lines
    if (emptied && allowNewSet && state.newSets < MOST_NEW_SETS) state.newSets++
    reward = scorePlacement(piece, lines, state.combo, emptied)
  }
  state.score += reward
  state.placements++
  scan10(words, scan)
  if ((words[TRAY_10]! | words[TRAY_10 + 1]! | words[TRAY_10 + 2]!) === 0) deal(state, scan)
  else state.fits = trayAnchors10(scan, words) !== 0
  state.over = !state.fits && state.newSets === 0
  return reward
}

function buyNewSet(state: BlockPuzzle10State): void {
  state.newSets--
  scan10(state.words, scan)
  deal(state, scan)
}

/** The rules of Block Puzzle 10x10, with new sets or without. */
export function createRules(allowNewSet: boolean): Rules<BlockPuzzle10State> {
  const view = new RowView()
  return {
    createState,
    reset(state, seed) {
      resetTrayState(state, seed)
      state.combo = 0
      state.idle = 0
      state.newSets = allowNewSet ? 1 : 0
      scan10(state.words, scan)
      deal(state, scan)
    },
    step(state, action) {
      if (action < NEW_SET) return place(state, action, allowNewSet)
      if (action === END_GAME) state.over = true
      else buyNewSet(state)
      return 0
    },
    isTerminal: (state) => state.over,
    writeMask: (state, out, offset) => writeMask10(view.of(out), offset, state.words, otherActions(state)),
    explain,
    prepareStep: (state) => prepareSet(state, state.sets),
    expectReset: (state, seed) => expectSets(state.expected, seed),
    prepareReset: (state, seed) => makeExpected(state.expected, seed),
  }
}
