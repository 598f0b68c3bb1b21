import type { Cell, Placement, Refusal } from '../../env/game.ts'
import { landingRow } from './board.ts'
import { CELL_COL, CELL_ROW, COLUMNS, PIECE_LETTERS, ROTATIONS, SHAPE_OF, SHAPE_WIDTH } from './pieces.ts'
import type { StackcraftState } from './state.ts'

/** The name of an action, which is also its native form: `r{rotation}x{x}`. */
export function actionName(action: number): string {
  return `r${Math.floor(action / COLUMNS)}x${action % COLUMNS}`
}

/** The first reason that an action is not legal, or undefined when it is. */
export function explain(state: StackcraftState, action: number): Refusal | undefined {
  const letter = PIECE_LETTERS[state.current]!
  if (state.over) return refusal('episode_over', `The game is over: no placement for ${letter}.`)
  const rotation = Math.floor(action / COLUMNS)
  const x = action % COLUMNS
  const shape = SHAPE_OF[state.current * ROTATIONS + rotation]!
  if (shape < 0) {
    return refusal(
      'no_such_rotation',
      `${letter} has no rotation ${rotation}; ${rotationsOf(state.current)}.`,
    )
  }
  const last = COLUMNS - SHAPE_WIDTH[shape]!
  if (x > last) {
    const message = `${letter} in rotation ${rotation} fits columns 0 to ${last}; x ${x} puts it over the right edge.`
    return refusal('out_of_bounds', message)
  }
  const blocked = cellsAt(shape, 0, x).filter(({ row, col }) => (state.rows[row]! >> col) & 1)
  if (blocked.length === 0) return undefined
  const where = blocked.map(({ row, col }) => `row ${row} column ${col}`).join(', ')
  return refusal(
    'spawn_blocked',
    `${letter} cannot enter at ${actionName(action)}: filled at ${where}.`,
    blocked,
  )
}

/** Where an action would land, or undefined when it is not legal. */
export function placement(state: StackcraftState, action: number): Placement | undefined {
  const word = action < 32 ? state.legalLow : state.legalHigh
  if (((word >> (action & 31)) & 1) === 0) return undefined
  const col = action % COLUMNS
  const shape = SHAPE_OF[state.current * ROTATIONS + Math.floor(action / COLUMNS)]!
  const row = landingRow(state, shape, col)
  return { row, col, cells: cellsAt(shape, row, col) }
}

function cellsAt(shape: number, row: number, col: number): Cell[] {
  return [0, 1, 2, 3].map((i) => ({
    row: row + CELL_ROW[shape * 4 + i]!,
    col: col + CELL_COL[shape * 4 + i]!,
  }))
}

function rotationsOf(piece: number): string {
  const count = [0, 1, 2, 3].filter((rotation) => SHAPE_OF[piece * ROTATIONS + rotation]! >= 0).length
  return count === 1 ? 'it has rotation 0 only' : `it has rotations 0 to ${count - 1}`
}

function refusal(reason: string, message: string, cells: readonly Cell[] = []): Refusal {
  return { reason, cells, message }
}
