/**
 * Stackcraft, rules version stackcraft-v1: a turn-based tetromino game in which a piece is dropped straight down
 * in one of its orientations. There is no gravity, hold, kick, tuck or spin.
 *
 * Rulings of this implementation:
 * - A placement is legal when its four cells at y = 0 are on the board and empty. Nothing else is asked: blocks
 *   beside or above the cells (under an overhang in the top rows) do not matter.
 * - The game is over when the piece to place has no legal placement, judged after the row clears.
 * - Under `cells: occupancy` filled cells are 1 on the board; the game is otherwise the same.
 */
import type { Rules } from '../../env/game.ts'
import { clearRows, fill, findLegal, landingRow } from './board.ts'
import type { Cells } from './config.ts'
import { askAhead, draw, prepareStream, startStream } from './deal.ts'
import { explain } from './explain.ts'
import { COLUMNS, NUM_ACTIONS, OPEN_MASK, ROTATIONS, ROWS, SHAPE_OF } from './pieces.ts'
import { createState, type StackcraftState } from './state.ts'

/** Points for the rows cleared by one placement, 0 to 4. */
export const POINTS: readonly number[] = [0, 100, 300, 500, 800]

/** The rules for one way of showing cells. */
export function createRules(cells: Cells): Rules<StackcraftState> {
  const occupancy = cells === 'occupancy'
  return {
    createState,
    reset,
    step: (state, action) => step(state, action, occupancy ? 1 : state.current),
    isTerminal: (state) => state.over,
    writeMask,
    explain,
    prepareStep: (state) => !state.over && askAhead(state.stream),
    // Asking for the first bag is cheap: it is made together with those of other streams.
    expectReset: (state, seed) => {
      prepareStream(state.prepared, seed)
    },
    prepareReset: (state, seed) => prepareStream(state.prepared, seed),
  }
}

function reset(state: StackcraftState, seed: string): void {
  if (state.prepared.seed === seed) {
    const { stream } = state
    state.stream = state.prepared
    state.prepared = stream
    stream.seed = ''
  } else {
    startStream(state.stream, seed)
  }
  state.cells.fill(0)
  state.nibbles.fill(0)
  state.rows.fill(0)
  state.tops.fill(ROWS)
  state.current = draw(state.stream)
  state.next = draw(state.stream)
  state.over = false
  state.score = 0
  state.lines = 0
  state.pieces = 0
  findLegal(state)
}

function step(state: StackcraftState, action: number, colour: number): number {
  const rotation = (action / COLUMNS) | 0
  const x = action - rotation * COLUMNS
  const shape = SHAPE_OF[state.current * ROTATIONS + rotation]!
  const y = landingRow(state, shape, x)
  fill(state, shape, x, y, colour)
  const cleared = clearRows(state, y)
  const points = POINTS[cleared]!
  state.score += points
  state.lines += cleared
  state.pieces++
  state.current = state.next
  state.next = draw(state.stream)
  findLegal(state)
  return points
}

/** [8] uint8 arrays of NUM_ACTIONS: the masks of OPEN_MASK as bytes. */
const OPEN_MASK_BYTES = Array.from({ length: 8 }, (_, piece) =>
  Uint8Array.from({ length: NUM_ACTIONS }, (_, a) => (OPEN_MASK[piece * 2 + (a >> 5)]! >> (a & 31)) & 1),
)

function writeMask(state: StackcraftState, out: Uint8Array, offset: number): void {
  const { current, legalLow, legalHigh } = state
  if (legalLow === OPEN_MASK[current * 2] && legalHigh === OPEN_MASK[current * 2 + 1]) {
    out.set(OPEN_MASK_BYTES[current]!, offset)
    return
  }
  for (let a = 0; a < 32; a++) out[offset + a] = (legalLow >> a) & 1
  for (let a = 32; a < NUM_ACTIONS; a++) out[offset + a] = (legalHigh >> (a - 32)) & 1
}
