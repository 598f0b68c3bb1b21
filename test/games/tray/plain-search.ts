/** A plain second implementation of the search's value and of the enumeration of sequences. */
import { familyWeights, Plain, shapeCells, sizeWeight } from './plain.ts'

function neighbours(board: number[][], row: number, col: number): number {
  const cells = [board[row - 1]?.[col], board[row + 1]?.[col], board[row]?.[col - 1], board[row]?.[col + 1]]
  return cells.filter((cell) => cell === 0).length
}

/** The hand-made value of a board and new sets; `score` picks the weights of the deal. */
export function plainValue(game: Plain, score: number): number {
  const weights = game.kind === 'ten' ? familyWeights(score) : game.shapes.map(sizeWeight)
  const total = weights.reduce((a, b) => a + b, 0)
  let value = game.kind === 'ten' ? 100 * game.newSets : 0
  for (const [row, line] of game.board.entries()) {
    for (const [col, cell] of line.entries()) {
      if (cell !== 0) continue
      const empty = neighbours(game.board, row, col)
      value -= 0.6 * (4 - empty) + (empty === 0 ? 8 : empty === 1 ? 3 : 0)
    }
  }
  for (const [piece, shape] of game.shapes.entries()) {
    let anchors = 0
    for (const [row, line] of game.board.entries()) {
      for (const col of line.keys()) if (game.canPlace(piece, row, col)) anchors++
    }
    const chance = (weights[piece] ?? 0) / total
    value += anchors === 0 ? -200 * chance : 40 * chance * Math.log(1 + anchors)
    if (shape === '###/###/###') value += 6 * Math.min(anchors, 3)
    if (shapeCells(shape).length === 5 && (shape === '#####' || !shape.includes('##'))) {
      value += 2 * Math.min(anchors, 3)
    }
  }
  return value
}

/** A copy that shares nothing and never deals: a sequence ends before anything is drawn. */
export function copyOf(game: Plain): Plain {
  const data = Object.fromEntries(Object.entries(game).filter(([name]) => name !== 'deal'))
  const deal = () => undefined
  return Object.assign(Object.create(Plain.prototype), structuredClone(data), { deal }) as Plain
}

/** Where a sequence ends: cells filled or not, figures and score. */
export function keyOf(game: Plain): string {
  const cells = game.board.map((line) => line.map((cell) => (cell === 0 ? '.' : '#')).join('')).join('/')
  return `${cells} ${game.run} ${game.idle} ${game.newSets}`
}

/** Every end of at most `left` placements, by key, with the most points and the value; and whether any goes all the way. */
export interface Ends {
  readonly spent: Map<string, { points: number; value: number }>
  readonly bought: Map<string, { points: number; value: number }>
  /** Keys by level, to tell whether a beam would have to leave any out. */
  readonly sizes: Set<string>[]
}

/** Enumerates all sequences; each game in it stands before the deal that may follow. */
export function enumerate(game: Plain, left: number): Ends {
  const ends: Ends = {
    spent: new Map(),
    bought: new Map(),
    sizes: [new Set(), new Set(), new Set(), new Set()],
  }
  walk(game, left, game.score, ends, 0)
  return ends
}

function note(map: Ends['spent'], game: Plain, start: number, key: string): void {
  const points = game.score - start
  const known = map.get(key)
  if (known === undefined) map.set(key, { points, value: plainValue(game, start) })
  else known.points = Math.max(known.points, points)
}

function walk(game: Plain, left: number, start: number, ends: Ends, level: number): void {
  if (left === 0) {
    note(ends.spent, game, start, keyOf(game))
    return
  }
  if (game.newSets > 0) {
    const bought = copyOf(game)
    bought.newSets--
    note(ends.bought, bought, start, `${keyOf(bought)} ${[...game.tray].sort().join()}`)
  }
  for (const [slot, piece] of game.tray.entries()) {
    if (piece === null) continue
    for (let at = 0; at < game.size ** 2; at++) {
      if (!game.canPlace(piece, Math.floor(at / game.size), at % game.size)) continue
      const next = copyOf(game)
      next.play(slot * game.size ** 2 + at)
      ends.sizes[level + 1]!.add(`${keyOf(next)} ${[...next.tray].sort().join()}`)
      walk(next, left - 1, start, ends, level + 1)
    }
  }
}
