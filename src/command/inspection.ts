import type { Cell, GameInstance, Json, MaskGrid } from '../env/game.ts'

/** One action in a position: legal, or why not. */
export interface InspectedAction {
  readonly action: number
  readonly name: string
  readonly native: Json
  readonly legal: boolean
  /** The first reason that holds; empty when legal. */
  readonly reason: string
  readonly message: string
  /** The cells to blame. */
  readonly cells: readonly Cell[]
  /** For a legal placement: the cells it covers. */
  readonly covers: readonly Cell[]
}

/** Every action of a position, by number. */
export function inspectActions(instance: GameInstance<unknown>, state: unknown): InspectedAction[] {
  const mask = new Uint8Array(instance.numActions)
  instance.rules.writeMask(state, mask, 0)
  return Array.from(mask, (bit, action) => {
    const refusal = instance.rules.explain(state, action)
    return {
      action,
      name: instance.native.name(action),
      native: instance.native.toNative(action),
      legal: bit === 1,
      reason: refusal?.reason ?? '',
      message: refusal?.message ?? '',
      cells: refusal?.cells ?? [],
      covers: bit === 1 ? (instance.placement?.(state, action)?.cells ?? []) : [],
    }
  })
}

const LEGAL = 'o'

/**
 * The mask as a picture: a grid of letters for each piece or rotation, a list of the other actions, a legend.
 * A row's label is the number of its first action; a column's is what to add.
 */
export function maskPicture(
  actions: readonly InspectedAction[],
  layout: readonly MaskGrid[] | undefined,
): string {
  const letters = reasonLetters(actions)
  const symbol = ({ legal, reason }: InspectedAction) => (legal ? LEGAL : letters.get(reason)!)
  const grids = layout ?? []
  const blocks = grids.map((grid) => gridLines(grid, actions, symbol))
  const inGrids = (action: number) =>
    grids.some(({ first, rows, cols }) => action >= first && action < first + rows * cols)
  const others = actions.filter(({ action }) => !inGrids(action))
  if (others.length > 0) blocks.push(otherLines(others, symbol))
  blocks.push([
    `${LEGAL} legal (${actions.filter(({ legal }) => legal).length} of ${actions.length})`,
    ...Array.from(letters, ([reason, letter]) => `${letter} ${reason}`),
  ])
  return blocks.map((lines) => lines.join('\n')).join('\n\n')
}

/** A letter for each reason: one of its own where it can be had. */
function reasonLetters(actions: readonly InspectedAction[]): Map<string, string> {
  const letters = new Map<string, string>()
  const taken = new Set([LEGAL])
  for (const { legal, reason } of actions) {
    if (legal || letters.has(reason)) continue
    const letter = [...reason.replaceAll('_', ''), ...'abcdefghijklmnpqrstuvwxyz'].find((c) => !taken.has(c))
    taken.add(letter ?? '?')
    letters.set(reason, letter ?? '?')
  }
  return letters
}

function gridLines(
  { title, rows, cols, first }: MaskGrid,
  actions: readonly InspectedAction[],
  symbol: (action: InspectedAction) => string,
): string[] {
  const width = String(first + (rows - 1) * cols).length
  const header = Array.from({ length: cols }, (_, col) => String(col).padStart(2)).join('')
  const lines = [title, `${' '.repeat(width)} +${header}`]
  for (let row = 0; row < rows; row++) {
    const from = first + row * cols
    const cells = actions.slice(from, from + cols).map((action) => ` ${symbol(action)}`)
    lines.push(`${String(from).padStart(width)}  ${cells.join('')}`)
  }
  return lines
}

function otherLines(
  actions: readonly InspectedAction[],
  symbol: (action: InspectedAction) => string,
): string[] {
  const width = String(actions.at(-1)!.action).length
  const nameWidth = Math.max(...actions.map(({ name }) => name.length))
  return actions.map((inspected) => {
    const { action, name, message } = inspected
    return `${String(action).padStart(width)}  ${symbol(inspected)}  ${name.padEnd(nameWidth)}  ${message}`.trimEnd()
  })
}
