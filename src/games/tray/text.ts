import type { TrayBoard } from './board.ts'
import { shapeInSlot } from './explain.ts'
import { fills } from './shapes.ts'
import type { TrayState } from './state.ts'

/** What a game adds to the text. */
export interface TrayLetters {
  /** The letter of a filled board cell. */
  cell(position: number): string
  /** The letter of the cells of the piece in a slot. */
  slot(slot: number): string
  /** The last line of figures, such as `score 12  streak 1`. */
  readonly figures: string
  /** How the game came to its end, when it has. */
  readonly ending: string
}

/** The board, the three shapes side by side, the figures, and at the end the pieces that found no place. */
export function renderTray(board: TrayBoard, state: TrayState, letters: TrayLetters): string {
  const lines: string[] = []
  for (let row = 0; row < board.size; row++) {
    let line = ''
    for (let col = 0; col < board.size; col++) {
      const position = row * board.size + col
      line += board.has(state.words, 0, position) ? letters.cell(position) : '.'
    }
    lines.push(line)
  }
  lines.push(
    '',
    ...sideBySide([0, 1, 2].map((slot) => slotLines(board, state, letters, slot))),
    '',
    letters.figures,
  )
  if (state.over) lines.push(`game over: ${letters.ending}; ${namesWithoutPlace(board, state)}`)
  return `${lines.join('\n')}\n`
}

/** The names of the pieces in the tray that fit nowhere, such as `no place for square of 3, T pointing up`. */
export function namesWithoutPlace(board: TrayBoard, state: TrayState): string {
  const names: string[] = []
  for (let slot = 0; slot < 3; slot++) {
    const shape = shapeInSlot(board, state, slot)
    if (shape !== undefined && !slotFits(board, state, slot)) names.push(shape.name)
  }
  return `no place for ${names.join(', ')}`
}

function slotFits(board: TrayBoard, state: TrayState, slot: number): boolean {
  const at = board.anchorsAt + slot * board.words
  return state.words.subarray(at, at + board.words).some((word) => word !== 0)
}

/** One slot's heading and shape; a piece with no place is marked in its heading. */
function slotLines(board: TrayBoard, state: TrayState, letters: TrayLetters, slot: number): string[] {
  const shape = shapeInSlot(board, state, slot)
  if (shape === undefined) return [`${slot}:`, '-']
  const lines = [`${slot}: ${shape.name}${slotFits(board, state, slot) ? '' : ' (no place)'}`]
  for (let row = 0; row < shape.height; row++) {
    let line = ''
    for (let col = 0; col < shape.width; col++) line += fills(shape, row, col) ? letters.slot(slot) : '.'
    lines.push(line)
  }
  return lines
}

function sideBySide(columns: readonly (readonly string[])[]): string[] {
  const widths = columns.map((lines) => Math.max(...lines.map((line) => line.length)))
  const height = Math.max(...columns.map((lines) => lines.length))
  return Array.from({ length: height }, (_, row) =>
    columns
      .map((lines, i) => (lines[row] ?? '').padEnd(widths[i] ?? 0))
      .join('   ')
      .trimEnd(),
  )
}
