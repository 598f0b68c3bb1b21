import type { Cell, Placement, Refusal } from '../../env/game.ts'
import type { TrayBoard } from './board.ts'
import { fills, type Shape } from './shapes.ts'
import type { TrayState } from './state.ts'

/** The refusal of any action in a finished game. */
export const EPISODE_OVER: Refusal = { reason: 'episode_over', cells: [], message: 'The game is over.' }

/** The board cells of a shape anchored at `row`, `col`, also those beyond the edge. */
export function cellsOf(shape: Shape, row: number, col: number): Cell[] {
  const cells: Cell[] = []
  for (let r = 0; r < shape.height; r++) {
    for (let c = 0; c < shape.width; c++) {
      if (fills(shape, r, c)) cells.push({ row: row + r, col: col + c })
    }
  }
  return cells
}

/** The first reason why the piece in a slot may not be placed at a position, or undefined when it may. */
export function explainPlacement(board: TrayBoard, state: TrayState, action: number): Refusal | undefined {
  if (state.over) return EPISODE_OVER
  const { slot, row, col } = splitAction(board, action)
  const shape = shapeInSlot(board, state, slot)
  if (shape === undefined) {
    return { reason: 'slot_empty', cells: [], message: `The piece of slot ${slot} has been placed already.` }
  }
  const what = `${shape.name} at row ${row}, column ${col}`
  if (!staysOnBoard(board, shape, row, col)) {
    return {
      reason: 'out_of_bounds',
      cells: [],
      message: `${what} would reach past the edge: it is ${shape.height} high and ${shape.width} wide.`,
    }
  }
  const filled = cellsOf(shape, row, col).filter((cell) =>
    board.has(state.words, 0, cell.row * board.size + cell.col),
  )
  if (filled.length === 0) return undefined
  const where = filled.map((cell) => `row ${cell.row} column ${cell.col}`).join(', ')
  return { reason: 'cell_occupied', cells: filled, message: `${what} needs cells that are filled: ${where}.` }
}

/** Where a placement would land, undefined for a spent slot or past the edge. */
export function placementOf(board: TrayBoard, state: TrayState, action: number): Placement | undefined {
  const { slot, row, col } = splitAction(board, action)
  const shape = shapeInSlot(board, state, slot)
  if (shape === undefined || !staysOnBoard(board, shape, row, col)) return undefined
  return { row, col, cells: cellsOf(shape, row, col) }
}

/** The slot and anchor of a placement's action number; slot 3 and above are other actions. */
export function splitAction(board: TrayBoard, action: number): { slot: number; row: number; col: number } {
  const cells = board.size * board.size
  const position = action % cells
  return {
    slot: Math.floor(action / cells),
    row: Math.floor(position / board.size),
    col: position % board.size,
  }
}

/** The shape in a slot, undefined when spent or when there is no such slot. */
export function shapeInSlot(board: TrayBoard, state: TrayState, slot: number): Shape | undefined {
  return slot > 2 ? undefined : board.shapes[state.words[board.trayAt + slot]! - 1]
}

function staysOnBoard(board: TrayBoard, shape: Shape, row: number, col: number): boolean {
  return row + shape.height <= board.size && col + shape.width <= board.size
}
