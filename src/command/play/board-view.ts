import type { Cell, GameInstance } from '../../env/game.ts'
import { elementsOf } from '../../env/tensor-spec.ts'
import { type Line, type Meaning, span } from './style.ts'

/** What an action would do on the board, for drawing. */
export interface Preview {
  /** The cells that the piece would cover. */
  readonly covers: readonly Cell[]
  readonly legal: boolean
  /** The cells that stand in the way. */
  readonly blocked: readonly Cell[]
  /** The lines that would be cleared, and the reward. */
  readonly lines: number
  readonly reward: number
  /** The rows and columns that would be cleared. */
  readonly fullRows: ReadonlySet<number>
  readonly fullCols: ReadonlySet<number>
}

/** Where an action of a state leads. */
export function previewOf(
  instance: GameInstance<unknown>,
  state: unknown,
  action: number,
  board: readonly string[],
): Preview {
  const refusal = instance.rules.explain(state, action)
  const covers = instance.placement?.(state, action)?.cells ?? []
  const legal = refusal === undefined
  const after = legal ? afterOf(instance, state, action) : undefined
  const { rows, cols } = fullLines(board, covers, after?.lines ?? 0)
  return {
    covers,
    legal,
    blocked: refusal?.cells ?? [],
    lines: after?.lines ?? 0,
    reward: after?.reward ?? 0,
    fullRows: rows,
    fullCols: cols,
  }
}

function afterOf({ afterstates }: GameInstance<unknown>, state: unknown, action: number) {
  return afterstates?.after(state, action, new Uint8Array(elementsOf(afterstates.board)))
}

/**
 * The lines that are full with the piece in place. A game clears rows, or rows and columns: the number of lines
 * tells which.
 */
function fullLines(board: readonly string[], covers: readonly Cell[], lines: number) {
  const isCovered = (row: number, col: number) => covers.some((cell) => cell.row === row && cell.col === col)
  const isFull = (row: number, col: number) => board[row]?.[col] !== '.' || isCovered(row, col)
  const allRows = Array.from(board.keys())
  const allCols = Array.from(board[0] ?? '', (_, col) => col)
  const rows = allRows.filter((row) => allCols.every((col) => isFull(row, col)))
  const cols = allCols.filter((col) => allRows.every((row) => isFull(row, col)))
  if (lines === 0) return { rows: new Set<number>(), cols: new Set<number>() }
  return { rows: new Set(rows), cols: new Set(rows.length + cols.length === lines ? cols : []) }
}

/** The board's lines, two columns a cell; every mark also is a character, so that it needs no colour. */
export function boardLines(board: readonly string[], preview: Preview | undefined): Line[] {
  return board.map((text, row) =>
    Array.from(text, (letter, col) => {
      const [mark, meaning] = cellMark(letter, row, col, preview)
      return span(mark, meaning)
    }),
  )
}

function cellMark(
  letter: string,
  row: number,
  col: number,
  preview: Preview | undefined,
): readonly [string, Meaning] {
  const isAt = (cells: readonly Cell[]) => cells.some((cell) => cell.row === row && cell.col === col)
  if (preview !== undefined) {
    if (isAt(preview.blocked)) return ['xx', 'blocked']
    const clearing = preview.fullRows.has(row) || preview.fullCols.has(col)
    if (isAt(preview.covers)) {
      if (!preview.legal) return ['<>', 'blocked']
      return ['[]', clearing ? 'clearing' : 'ghost']
    }
    if (clearing) return [`=${letter}`, 'clearing']
  }
  return [` ${letter}`, letter === '.' ? 'faded' : 'filled']
}
