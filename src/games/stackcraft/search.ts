import { bestIndices } from '../../env/best-indices.ts'
import type { AfterstateSearch, SearchResults } from '../../env/game.ts'
import { findLegal, findTops, landingRow } from './board.ts'
import type { Cells } from './config.ts'
import {
  CELL_COL,
  CELL_ROW,
  COLUMNS,
  FULL_ROW,
  NUM_ACTIONS,
  ROTATIONS,
  ROWS,
  SHAPE_HEIGHT,
  SHAPE_OF,
} from './pieces.ts'
import { POINTS } from './rules.ts'
import { createState, type StackcraftState } from './state.ts'
import { boardValue, ERODED_CELL, LANDING, LINE } from './value.ts'

/** Placements of the current piece and of the next one, best first; no later piece is read. */

const DEPTH = 2
const FIGURES = 2
const MOST_ACTIONS = 34

/** The positions after one more placement; entries are `index * stride` of each array. */
interface Level {
  count: number
  keptCount: number
  /** [capacity, 20] uint16 rows. */
  rows: Uint16Array
  /** [capacity, 2] int32 the sums of landing heights and of eroded cells. */
  figures: Int32Array
  points: Int32Array
  lines: Int32Array
  actions: Int32Array
  parents: Int32Array
  values: Float64Array
  ranks: Float64Array
  kept: Int32Array
}

function createLevel(capacity: number): Level {
  return {
    count: 0,
    keptCount: 0,
    rows: new Uint16Array(capacity * ROWS),
    figures: new Int32Array(capacity * FIGURES),
    points: new Int32Array(capacity),
    lines: new Int32Array(capacity),
    actions: new Int32Array(capacity),
    parents: new Int32Array(capacity),
    values: new Float64Array(capacity),
    ranks: new Float64Array(capacity),
    kept: new Int32Array(capacity),
  }
}

/** A first placement has at most 34 successors, and so has each of those. */
const levels = [createLevel(1), createLevel(MOST_ACTIONS), createLevel(MOST_ACTIONS * MOST_ACTIONS)] as const
const scratch = createState()
const sequence = new Int32Array(DEPTH)

/** The search of the game, for one way of showing cells. */
export function createSearch(cells: Cells): AfterstateSearch<StackcraftState> {
  return {
    depth: DEPTH,
    figures: ['landing_height', 'eroded_cells'],
    run(state, beamWidth, depth, out, at, most = beamWidth) {
      if (state.over) return 0
      const target = Math.min(depth, state.next === 0 ? 1 : DEPTH)
      startLevel(levels[0], state)
      let level = 0
      while (level < target && expandLevel(level, level === 0 ? state.current : state.next, beamWidth))
        level++
      return write(state, cells, level, Math.min(most, levels[level]!.keptCount), out, at)
    },
  }
}

function startLevel(level: Level, state: StackcraftState): void {
  level.count = 1
  level.keptCount = 1
  level.kept[0] = 0
  level.points[0] = 0
  level.lines[0] = 0
  level.figures.fill(0)
  for (let row = 0; row < ROWS; row++) level.rows[row] = state.rows[row]!
}

/** Fills the level behind `index` with every placement of a piece and keeps the best; false when there is none. */
function expandLevel(index: number, piece: number, beamWidth: number): boolean {
  const from = levels[index]!
  const to = levels[index + 1]!
  to.count = 0
  for (let i = 0; i < from.keptCount; i++) {
    const entry = from.kept[i]!
    for (let row = 0; row < ROWS; row++) scratch.rows[row] = from.rows[entry * ROWS + row]!
    scratch.current = piece
    findTops(scratch)
    findLegal(scratch)
    for (let action = 0; action < NUM_ACTIONS; action++) {
      const legal = action < 32 ? scratch.legalLow >> action : scratch.legalHigh >> (action - 32)
      if ((legal & 1) === 1) addPlacement(from, entry, piece, action, to)
    }
  }
  to.keptCount = bestIndices(to.ranks, to.count, beamWidth, to.kept)
  return to.count > 0
}

function addPlacement(from: Level, entry: number, piece: number, action: number, to: Level): void {
  const rotation = Math.floor(action / COLUMNS)
  const x = action - rotation * COLUMNS
  const shape = SHAPE_OF[piece * ROTATIONS + rotation]!
  const y = landingRow(scratch, shape, x)
  const index = to.count++
  const at = index * ROWS
  for (let row = 0; row < ROWS; row++) to.rows[at + row] = scratch.rows[row]!
  for (let i = shape * 4; i < shape * 4 + 4; i++) to.rows[at + y + CELL_ROW[i]!]! |= 1 << (x + CELL_COL[i]!)
  let own = 0
  for (let i = shape * 4; i < shape * 4 + 4; i++) if (to.rows[at + y + CELL_ROW[i]!] === FULL_ROW) own++
  const lines = own === 0 ? 0 : removeFullRows(to.rows, at)
  to.figures[index * FIGURES] = from.figures[entry * FIGURES]! + 2 * (ROWS - y) - SHAPE_HEIGHT[shape]!
  to.figures[index * FIGURES + 1] = from.figures[entry * FIGURES + 1]! + own * lines
  to.points[index] = from.points[entry]! + POINTS[lines]!
  to.lines[index] = from.lines[entry]! + lines
  to.actions[index] = action
  to.parents[index] = entry
  to.values[index] =
    boardValue(to.rows, at) +
    LANDING * to.figures[index * FIGURES]! +
    ERODED_CELL * to.figures[index * FIGURES + 1]! +
    LINE * to.lines[index]!
  to.ranks[index] = to.values[index]! + to.points[index]!
}

/** Takes the full rows out of the 20 from `at` on and returns how many there were. */
function removeFullRows(rows: Uint16Array, at: number): number {
  let target = ROWS - 1
  for (let row = ROWS - 1; row >= 0; row--) {
    if (rows[at + row] !== FULL_ROW) rows[at + target--] = rows[at + row]!
  }
  const lines = target + 1
  for (; target >= 0; target--) rows[at + target] = 0
  return lines
}

/** Writes what a level kept, best first; boards are played again in colour. */
function write(
  state: StackcraftState,
  cells: Cells,
  level: number,
  count: number,
  out: SearchResults,
  at: number,
): number {
  const pool = levels[level]!
  const size = ROWS * COLUMNS
  for (let i = 0; i < count; i++) {
    const entry = pool.kept[i]!
    const row = at + i
    sequence.fill(-1)
    for (let step = level, index = entry; step > 0; step--) {
      sequence[step - 1] = levels[step]!.actions[index]!
      index = levels[step]!.parents[index]!
    }
    out.sequences.set(sequence, row * DEPTH)
    writeCells(state, cells, out.boards.subarray(row * size, (row + 1) * size))
    for (let f = 0; f < FIGURES; f++) out.figures[row * FIGURES + f] = pool.figures[entry * FIGURES + f]!
    out.lines[row] = pool.lines[entry]!
    out.rewards[row] = pool.points[entry]!
    out.values[row] = pool.values[entry]!
  }
  return count
}

function writeCells(state: StackcraftState, cells: Cells, out: Uint8Array): void {
  out.set(state.cells)
  for (let row = 0; row < ROWS; row++) scratch.rows[row] = state.rows[row]!
  for (let step = 0; step < DEPTH && sequence[step]! >= 0; step++) {
    const piece = step === 0 ? state.current : state.next
    const rotation = Math.floor(sequence[step]! / COLUMNS)
    const x = sequence[step]! - rotation * COLUMNS
    const shape = SHAPE_OF[piece * ROTATIONS + rotation]!
    findTops(scratch)
    const y = landingRow(scratch, shape, x)
    for (let i = shape * 4; i < shape * 4 + 4; i++) {
      scratch.rows[y + CELL_ROW[i]!]! |= 1 << (x + CELL_COL[i]!)
      out[(y + CELL_ROW[i]!) * COLUMNS + x + CELL_COL[i]!] = cells === 'occupancy' ? 1 : piece
    }
    for (let row = 0; row < ROWS; row++) {
      if (scratch.rows[row] !== FULL_ROW) continue
      scratch.rows.copyWithin(1, 0, row)
      scratch.rows[0] = 0
      out.copyWithin(COLUMNS, 0, row * COLUMNS)
      out.fill(0, 0, COLUMNS)
    }
  }
}
