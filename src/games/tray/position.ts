import type { ArraySpec, Position, Refusal } from '../../env/game.ts'
import type { TrayBoard } from './board.ts'
import type { TrayState } from './state.ts'

function bad(message: string): Refusal {
  return { reason: 'bad_position', cells: [], message }
}

function isIntegerUpTo(value: number, high: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= high
}

/** What is wrong with a position, or undefined; `figures` are the specs of the figures it may give. */
export function checkPosition(
  board: TrayBoard,
  boardSpec: ArraySpec,
  figures: readonly ArraySpec[],
  position: Position,
): Refusal | undefined {
  const cells = board.size * board.size
  const high = boardSpec.high[0] ?? 1
  if (position.board.length !== cells) return bad(`board has ${position.board.length} cells, not ${cells}.`)
  const wrong = position.board.findIndex((value) => value > high)
  if (wrong >= 0) return bad(`board cell ${wrong} is ${position.board[wrong]}; cells are 0 to ${high}.`)
  if (position.piece !== undefined) return bad('this game has a tray and no piece.')
  const tray = position.tray ?? []
  if (tray.length !== 3 || !tray.every((piece) => isIntegerUpTo(piece, board.shapes.length))) {
    return bad(`tray must be three integers from 0 to ${board.shapes.length}.`)
  }
  for (const [name, value] of Object.entries(position.figures)) {
    const spec = figures.find((figure) => figure.name === name)
    if (spec === undefined) {
      return bad(`there is no such figure here; allowed: ${figures.map((figure) => figure.name).join(', ')}.`)
    }
    const most = spec.high[0] ?? 0
    if (!isIntegerUpTo(value, most)) return bad(`${name} is ${value}; it is an integer from 0 to ${most}.`)
  }
  return undefined
}

/**
 * Puts a checked board and tray into a fresh state and finds the legal anchors. A board with a full line is
 * refused: in play it would have been cleared.
 */
export function fillPosition(board: TrayBoard, state: TrayState, position: Position): Refusal | undefined {
  for (const [at, value] of position.board.entries()) {
    if (value !== 0) board.fill(state.words, at)
  }
  if (board.clear(state.words) !== 0) return bad('board has a full row or column.')
  state.words.set(position.tray ?? [], board.trayAt)
  const scan = new Int32Array(board.scanWords)
  board.scan(state.words, scan)
  state.fits = board.trayAnchors(scan, state.words) !== 0
  state.over = !state.fits
  state.score = position.figures.score ?? 0
  return undefined
}
