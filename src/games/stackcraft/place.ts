/** Placements on boards that stand alone, for heuristics and search: no state, seed or later piece is read. */
import type { Afterstates, ArraySpec, Placement, Position, Refusal } from '../../env/game.ts'
import { findLegal, findTops } from './board.ts'
import type { Cells } from './config.ts'
import { actionName, placement } from './explain.ts'
import { COLUMNS, NUM_ACTIONS, ROWS } from './pieces.ts'
import { POINTS } from './rules.ts'
import { createSearch } from './search.ts'
import { createState, type StackcraftState } from './state.ts'

/** A legal action with the place where it lands. */
export interface LegalAction extends Placement {
  readonly action: number
  readonly name: string
}

/** What a placement leads to. */
export interface Placed {
  /** [20 * 10] uint8 the board after placing and clearing. */
  readonly board: Uint8Array
  readonly lines: number
  readonly reward: number
}

/** The legal actions of a piece (1..7) on a dense board of 200 cells, by rotation, then column. */
export function legalActions(board: Uint8Array, piece: number): LegalAction[] {
  const state = stateOf(board, piece)
  const legal: LegalAction[] = []
  for (let action = 0; action < NUM_ACTIONS; action++) {
    const landing = placement(state, action)
    if (landing) legal.push({ action, name: actionName(action), ...landing })
  }
  return legal
}

/**
 * The board after a placement that `legalActions` gave for this board and piece; the board itself is left alone.
 * Checks that its cells are on the board and empty (a RangeError otherwise), not the way down to them.
 */
export function place(board: Uint8Array, piece: number, action: Placement): Placed {
  for (const { row, col } of action.cells) {
    const inside = row >= 0 && row < ROWS && col >= 0 && col < COLUMNS
    if (!inside) throw new RangeError(`row ${row} column ${col} is off the board`)
    if (board[row * COLUMNS + col] !== 0) throw new RangeError(`row ${row} column ${col} is filled`)
  }
  const after = Uint8Array.from(board)
  return { board: after, ...placeInto(after, piece, action) }
}

/** The afterstates of the game, boards in the form of `board`. */
export function createAfterstates(board: ArraySpec, cells: Cells): Afterstates<StackcraftState> {
  return {
    board,
    after(state, action, out) {
      const landing = placement(state, action)
      if (!landing) return undefined
      out.set(state.cells)
      return placeInto(out, cells === 'occupancy' ? 1 : state.current, landing)
    },
    fromPosition: (position) =>
      badPosition(position, board.high[0]!) ??
      stateOf(position.board, position.piece!, position.figures.next),
    search: createSearch(cells),
  }
}

/** Fills the cells, then takes out every full row; the order of the others stays. */
function placeInto(
  board: Uint8Array,
  colour: number,
  { cells }: Placement,
): { lines: number; reward: number } {
  for (const { row, col } of cells) board[row * COLUMNS + col] = colour
  let lines = 0
  for (let row = 0; row < ROWS; row++) {
    if (board.subarray(row * COLUMNS, (row + 1) * COLUMNS).includes(0)) continue
    board.copyWithin(COLUMNS, 0, row * COLUMNS)
    board.fill(0, 0, COLUMNS)
    lines++
  }
  return { lines, reward: POINTS[lines] ?? POINTS[4]! }
}

function badPosition({ board, piece, tray, figures }: Position, highest: number): Refusal | undefined {
  const bad = (message: string, cell?: number): Refusal => ({
    reason: 'bad_position',
    cells: cell === undefined ? [] : [{ row: Math.floor(cell / COLUMNS), col: cell % COLUMNS }],
    message,
  })
  if (board.length !== ROWS * COLUMNS) return bad(`The board has ${board.length} cells; expected 200.`)
  const wrong = board.findIndex((cell) => cell > highest)
  if (wrong >= 0)
    return bad(`Cell ${wrong} of the board is ${board[wrong]}; allowed: 0 to ${highest}.`, wrong)
  for (let row = 0; row < ROWS; row++) {
    if (!board.subarray(row * COLUMNS, (row + 1) * COLUMNS).includes(0)) {
      return bad(
        `Row ${row} of the board is full; full rows are cleared before a piece is placed.`,
        row * COLUMNS,
      )
    }
  }
  if (piece === undefined) return bad('The piece is missing.')
  if (!Number.isInteger(piece) || piece < 1 || piece > 7)
    return bad(`The piece is ${piece}; allowed: 1 to 7.`)
  if (tray !== undefined && tray.length > 0) return bad('This game has no tray.')
  for (const [name, value] of Object.entries(figures)) {
    if (name !== 'next')
      return bad(`This game has no figure ${JSON.stringify(name.slice(0, 64))}; allowed: next.`)
    if (!Number.isInteger(value) || value < 0 || value > 7) return bad(`next is ${value}; allowed: 0 to 7.`)
  }
  return undefined
}

/** A state with this board and piece; it has no stream to draw from. */
function stateOf(board: Uint8Array, piece: number, next = 0): StackcraftState {
  const state = createState()
  state.cells.set(board)
  state.current = piece
  state.next = next
  for (let cell = 0; cell < board.length; cell++) {
    const row = Math.floor(cell / COLUMNS)
    const col = cell % COLUMNS
    if (board[cell] !== 0) state.rows[row]! |= 1 << col
    state.nibbles[cell >> 1]! |= board[cell]! << ((cell & 1) * 4)
  }
  findTops(state)
  findLegal(state)
  return state
}
