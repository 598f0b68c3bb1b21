import { boardLines, type Preview, previewOf } from './board-view.ts'
import type { Cursor } from './cursor.ts'
import { pieceLines } from './piece-view.ts'
import type { PlayedGame } from './played-game.ts'
import { type Line, line, padTo, wrap } from './style.ts'

const GAP = 3
/** The first line and two lines of message; the lines of keys come on top. */
const FRAME_LINES = 3

/** What stands around the game. */
export interface Surroundings {
  readonly best: number | undefined
  /** What happened last; in its place stands what the action under the cursor would do. */
  readonly message: string | undefined
  readonly canSave: boolean
}

/** The whole screen: at most `rows` lines of at most `columns` characters. */
export function screenLines(
  game: PlayedGame,
  cursor: Cursor,
  around: Surroundings,
  columns: number,
  rows: number,
): Line[] {
  const { instance } = game.made
  const { board, rest } = splitText(instance.encoder.renderText(game.state))
  const { action } = cursor
  const preview =
    action === undefined || game.isOver ? undefined : previewOf(instance, game.state, action, board)
  const left = boardLines(board, preview)
  const panelWidth = columns - (board[0]?.length ?? 0) * 2 - GAP
  const right = panelLines(game, cursor, rest, panelWidth)
  const boardWidth = (board[0]?.length ?? 0) * 2 + GAP
  const keys = pack(keyTexts(game, cursor, around.canSave), columns)
  const height = Math.min(rows - FRAME_LINES - keys.length, Math.max(left.length, right.length))
  const middle = Array.from({ length: height }, (_, row) =>
    padTo([...padTo(left[row] ?? [], boardWidth), ...(right[row] ?? [])], columns),
  )
  const says = around.message ?? describe(game, action, preview)
  const message = wrap(says, columns).slice(0, 2)
  return [
    padTo(line(titleOf(game, around), 'title'), columns),
    ...middle,
    ...[message[0] ?? '', message[1] ?? ''].map((text) =>
      padTo(line(text, meaningOf(around, preview)), columns),
    ),
    ...keys.map((text) => padTo(line(text, 'faded'), columns)),
  ]
}

/** The board is the leading lines of one length; what follows is told beside it. */
function splitText(text: string): { board: readonly string[]; rest: readonly string[] } {
  const lines = text.trimEnd().split('\n')
  let end = 0
  while (end < lines.length && lines[end]!.length === lines[0]!.length) end++
  return { board: lines.slice(0, end), rest: lines.slice(end) }
}

/** Where pieces are drawn from their grids, only the last paragraph of the text, the figures, is repeated. */
function panelLines(game: PlayedGame, cursor: Cursor, rest: readonly string[], width: number): Line[] {
  const figures = cursor.grids.length > 0 ? rest.slice(rest.lastIndexOf('') + 1) : rest
  const lines = figures.flatMap((text) => wrap(text, width).map((part) => line(part)))
  return cursor.grids.length > 0 ? [...lines, line(''), ...pieceLines(game, cursor)] : lines
}

function titleOf(game: PlayedGame, { best }: Surroundings): string {
  const figures = Object.entries(game.summary)
    .filter(([name]) => name !== 'terminal')
    .map(([name, value]) => `${name} ${value}`)
  const record = best === undefined ? [] : [`best ${best}`]
  return [game.made.game.title, ...figures, ...record].join('   ')
}

function describe(game: PlayedGame, action: number | undefined, preview: Preview | undefined): string {
  if (game.isOver) {
    const { score } = game.summary
    return `Game over with ${pointsText(Number(score))}. u takes the last action back, q leaves.`
  }
  if (action === undefined || preview === undefined) return ''
  const name = game.made.instance.native.name(action)
  const refusal = game.refusal(action)
  if (refusal !== undefined) return `${name}: ${refusal.message}`
  const clears = preview.lines > 0 ? `, clears ${preview.lines} line${preview.lines > 1 ? 's' : ''}` : ''
  return `${name}: ${pointsText(preview.reward)}${clears}`
}

function meaningOf({ message }: Surroundings, preview: Preview | undefined) {
  return message === undefined && preview?.legal === false ? 'warning' : 'plain'
}

/** Points in words. */
export function pointsText(points: number): string {
  return `${points} point${points === 1 ? '' : 's'}`
}

function keyTexts(game: PlayedGame, cursor: Cursor, canSave: boolean): string[] {
  const keys = cursor.grids.length > 0 ? ['arrows move', 'tab next', 'enter place'] : []
  for (const { key, label } of game.made.instance.keys ?? []) keys.push(`${key} ${label}`)
  return [...keys, 'u undo', ...(canSave ? ['s save'] : []), 'q quit']
}

/** Puts texts into lines of at most `width`, two spaces between them. */
function pack(texts: readonly string[], width: number): string[] {
  const lines: string[] = []
  for (const text of texts) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 2 + text.length <= width)
      lines[lines.length - 1] = `${last}  ${text}`
    else lines.push(text)
  }
  return lines
}
