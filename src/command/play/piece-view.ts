import type { Cell, GameInstance, MaskGrid } from '../../env/game.ts'
import type { Cursor } from './cursor.ts'
import type { PlayedGame } from './played-game.ts'
import { type Line, line, type Span, span } from './style.ts'

/** The list of grids, each with its number of places or why it has none, and the shapes of their pieces. */
export function pieceLines(game: PlayedGame, cursor: Cursor): Line[] {
  const { instance } = game.made
  const list = cursor.grids.map((grid, i) => {
    const places = cursor.legalIn(i).length
    const mark = i === cursor.grid && !game.isOver ? '>' : ' '
    const text = `${mark}${i + 1} ${grid.title}: ${places > 0 ? count(places, 'place') : whyNone(game, grid)}`
    return line(text, i === cursor.grid ? 'title' : places > 0 ? 'plain' : 'faded')
  })
  const columns = cursor.grids.map((grid, i) => {
    const faded = cursor.legalIn(i).length === 0
    return shapeColumn(String(i + 1), shapeOf(instance, game.state, grid), faded)
  })
  const height = Math.max(0, ...columns.map(({ spans }) => spans.length))
  const shapes = Array.from({ length: height }, (_, row) =>
    columns.flatMap(({ spans, width }) => [spans[row] ?? span(' '.repeat(width)), span('  ')]),
  )
  return [...list, line(''), ...shapes]
}

/** "no place" for a piece that is there and fits nowhere, else the reason that all its actions share. */
function whyNone(game: PlayedGame, { first, rows, cols }: MaskGrid): string {
  const reasons = new Set<string>()
  for (let action = first; action < first + rows * cols; action++) {
    reasons.add(game.refusal(action)?.reason ?? '')
  }
  const [only] = reasons
  const isThere = game.made.instance.placement?.(game.state, first) !== undefined
  if (reasons.size !== 1 || isThere) return 'no place'
  return only === 'episode_over' ? '-' : (only ?? '').replaceAll('_', ' ')
}

/** The cells of the piece that a grid places, from the first action that has a placement. */
function shapeOf(
  instance: GameInstance<unknown>,
  state: unknown,
  { first, rows, cols }: MaskGrid,
): readonly Cell[] {
  for (let action = first; action < first + rows * cols; action++) {
    const cells = instance.placement?.(state, action)?.cells
    if (cells !== undefined) return cells
  }
  return []
}

function shapeColumn(
  title: string,
  cells: readonly Cell[],
  faded: boolean,
): { spans: Span[]; width: number } {
  const top = Math.min(...cells.map(({ row }) => row))
  const left = Math.min(...cells.map(({ col }) => col))
  const height = cells.length === 0 ? 0 : Math.max(...cells.map(({ row }) => row)) - top + 1
  const width = cells.length === 0 ? 1 : Math.max(...cells.map(({ col }) => col)) - left + 1
  const meaning = faded ? 'faded' : 'plain'
  const filled = faded ? '::' : '##'
  const spans = Array.from({ length: height }, (_, row) => {
    const marks = Array.from({ length: width }, (_, col) =>
      cells.some((cell) => cell.row - top === row && cell.col - left === col) ? filled : '  ',
    )
    return span(marks.join(''), meaning)
  })
  return { spans: [span(title.padEnd(width * 2), meaning), ...spans], width: width * 2 }
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
