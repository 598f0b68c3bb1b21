/**
 * A second implementation of the three tray games, written from the rules' texts alone: boards are lists of
 * lists, nothing is precomputed, nothing is shared with the code it checks but the seeded generator.
 */
import { below, type SeededRandom, seeded } from '../../../src/random/seeded.ts'

export type PlainGame = 'lumen' | 'eight' | 'ten'

const BARS = ['##', '#/#', '###', '#/#/#', '####', '#/#/#/#', '#####', '#/#/#/#/#']
const SMALL_CORNERS = ['##/#.', '##/.#', '#./##', '.#/##']
const BIG_CORNERS = ['###/#../#..', '###/..#/..#', '#../#../###', '..#/..#/###']
const L_AND_J = ['#./#./##', '###/#..', '##/.#/.#', '..#/###', '.#/.#/##', '#../###', '##/#./#.', '###/..#']
const T_S_Z = ['###/.#.', '.#/##/.#', '.#./###', '#./##/#.', '.##/##.', '#./##/.#', '##./.##', '.#/##/#.']

export const PLAIN_37 = [
  ...['#', ...BARS, '##/##', '###/###/###', '###/###', '##/##/##'],
  ...[...SMALL_CORNERS, ...BIG_CORNERS, ...L_AND_J, ...T_S_Z],
]
export const PLAIN_19 = ['#', ...BARS, '##/##', '###/###/###', ...SMALL_CORNERS, ...BIG_CORNERS]

const knownCells = new Map<string, [number, number][]>()

/** [row, col] of each cell of a shape. */
export function shapeCells(shape: string): [number, number][] {
  const known = knownCells.get(shape)
  if (known !== undefined) return known
  const cells: [number, number][] = []
  knownCells.set(shape, cells)
  for (const [r, line] of shape.split('/').entries()) {
    for (const [c, mark] of [...line].entries()) if (mark === '#') cells.push([r, c])
  }
  return cells
}

export function sizeWeight(shape: string): number {
  const n = shapeCells(shape).length
  return n <= 3 ? 4 : n === 4 ? 3 : n <= 6 ? 2 : 1
}

/** The weight of each of the 19 pieces in a band, in eighths. */
export function familyWeights(score: number): number[] {
  const band =
    score < 300
      ? [3, 4, 4, 2, 1, 4, 0.5, 4, 1]
      : score < 1500
        ? [2, 3, 3, 3, 2, 3, 1.5, 3, 2.5]
        : [1, 2, 3, 3, 3, 3, 2, 2, 3.5]
  return PLAIN_19.map((shape, i) => {
    const cells = shapeCells(shape).length
    if (i === 0) return (band[0] ?? 0) * 8
    if (i <= 8) return ((band[cells - 1] ?? 0) * 8) / 2
    if (i === 9) return (band[5] ?? 0) * 8
    if (i === 10) return (band[6] ?? 0) * 8
    return ((i <= 14 ? (band[7] ?? 0) : (band[8] ?? 0)) * 8) / 4
  })
}

export function drawWeighted(random: SeededRandom, weights: number[]): number {
  let left = below(
    random,
    weights.reduce((a, b) => a + b, 0),
  )
  for (const [i, weight] of weights.entries()) {
    if (left < weight) return i
    left -= weight
  }
  throw new Error('unreachable')
}

export class Plain {
  readonly kind: PlainGame
  readonly size: number
  readonly shapes: string[]
  readonly seed: string
  readonly buying: boolean
  /** 0 empty, else the hue, or 1. */
  board: number[][]
  /** Catalogue index, or null when spent. */
  tray: (number | null)[] = [null, null, null]
  hues = [0, 0, 0]
  sets = 0
  score = 0
  lines = 0
  placements = 0
  /** Lumen's streak and the others' combo. */
  run = 0
  idle = 0
  newSets: number
  over = false

  constructor(kind: PlainGame, seed: string, buying = true) {
    this.kind = kind
    this.seed = seed
    this.buying = buying
    this.size = kind === 'ten' ? 10 : 8
    this.shapes = kind === 'ten' ? PLAIN_19 : PLAIN_37
    this.newSets = kind === 'ten' && buying ? 1 : 0
    this.board = Array.from({ length: this.size }, () => new Array<number>(this.size).fill(0))
    this.deal()
  }

  canPlace(piece: number, row: number, col: number): boolean {
    return shapeCells(this.shapes[piece] ?? '').every(([r, c]) => this.board[row + r]?.[col + c] === 0)
  }

  fits(piece: number | null): boolean {
    if (piece === null) return false
    for (let row = 0; row < this.size; row++) {
      for (let col = 0; col < this.size; col++) if (this.canPlace(piece, row, col)) return true
    }
    return false
  }

  anyFits(): boolean {
    return this.tray.some((piece) => this.fits(piece))
  }

  legal(action: number): boolean {
    if (this.over) return false
    const cells = this.size * this.size
    if (action === 3 * cells) return this.newSets > 0
    if (action === 3 * cells + 1) return this.newSets > 0 && !this.anyFits()
    const piece = this.tray[Math.floor(action / cells)]
    const at = action % cells
    return (
      piece !== null &&
      piece !== undefined &&
      this.canPlace(piece, Math.floor(at / this.size), at % this.size)
    )
  }

  play(action: number): number {
    const before = this.score
    const cells = this.size * this.size
    if (action === 3 * cells) {
      this.newSets--
      this.deal()
    } else if (action === 3 * cells + 1) this.over = true
    else
      this.placePiece(
        Math.floor(action / cells),
        Math.floor((action % cells) / this.size),
        action % this.size,
      )
    return this.score - before
  }

  private placePiece(slot: number, row: number, col: number): void {
    // With ten columns the column is the last digit, with eight the remainder by eight; both are action % size
    // because a slot's actions are a multiple of the size.
    const cells = shapeCells(this.shapes[this.tray[slot] ?? 0] ?? '')
    for (const [r, c] of cells) this.set(row + r, col + c, this.kind === 'lumen' ? (this.hues[slot] ?? 0) : 1)
    this.tray[slot] = null
    this.hues[slot] = 0
    this.placements++
    const cleared = this.clearLines()
    this.lines += cleared
    const empty = this.board.every((line) => line.every((value) => value === 0))
    this.score += cells.length + this.lineScore(cleared, empty)
    if (this.tray.every((piece) => piece === null)) this.deal()
    this.over = !this.anyFits() && this.newSets === 0
  }

  private set(row: number, col: number, value: number): void {
    const line = this.board[row]
    if (line === undefined || line[col] === undefined) throw new Error('off the board')
    line[col] = value
  }

  private clearLines(): number {
    const all = [...Array(this.size).keys()]
    const rows = all.filter((r) => all.every((c) => this.board[r]?.[c] !== 0))
    const cols = all.filter((c) => all.every((r) => this.board[r]?.[c] !== 0))
    for (const r of rows) for (const c of all) this.set(r, c, 0)
    for (const c of cols) for (const r of all) this.set(r, c, 0)
    return rows.length + cols.length
  }

  private lineScore(cleared: number, empty: boolean): number {
    if (this.kind === 'lumen') {
      this.run = cleared > 0 ? this.run + 1 : 0
      const multiplier = [1, 1, 1.5, 2, 2.5, 3][Math.min(this.run, 5)] ?? 3
      return Math.floor(10 * cleared ** 2 * multiplier) + (empty ? 100 : 0)
    }
    if (this.kind === 'eight') {
      this.run = cleared > 0 ? this.run + 1 : 0
      return (10 * cleared * (cleared + 1)) / 2 + (cleared > 0 ? 20 * (this.run - 1) : 0)
    }
    if (cleared > 0) {
      this.run++
      this.idle = 0
    } else if (this.run > 0 && ++this.idle === 3) {
      this.run = 0
      this.idle = 0
    }
    if (empty && this.buying) this.newSets = Math.min(3, this.newSets + 1)
    return ((10 * cleared * (cleared + 1)) / 2) * Math.min(this.run, 5) + (empty ? 300 : 0)
  }

  /** Deals the next set onto the board as it is. */
  deal(): void {
    const random = seeded(`${this.seed}:${this.sets++}`)
    if (this.kind === 'ten') this.dealTen(random)
    else if (this.kind === 'eight') this.dealEight(random)
    else this.dealLumen(random)
  }

  private drawThree(random: SeededRandom, weights: number[]): void {
    this.tray = [0, 0, 0].map(() => drawWeighted(random, weights))
  }

  private dealEight(random: SeededRandom): void {
    for (let tries = 0; tries <= 1000; tries++) {
      this.drawThree(random, this.shapes.map(sizeWeight))
      if (this.anyFits()) return
    }
    this.tray[2] = 0
  }

  private dealTen(random: SeededRandom): void {
    for (let tries = 0; tries <= 10; tries++) {
      do this.drawThree(random, familyWeights(this.score))
      while (new Set(this.tray).size === 1)
      if (this.anyFits()) return
    }
    const size = (piece: number) => shapeCells(this.shapes[piece] ?? '').length
    const fitting = this.shapes.map((_, i) => i).filter((i) => this.fits(i))
    const biggest = Math.max(...fitting.map(size))
    this.tray[2] = fitting.find((i) => size(i) === biggest) ?? 0
  }

  private dealLumen(random: SeededRandom): void {
    const small = this.shapes.map((_, i) => i).filter((i) => shapeCells(this.shapes[i] ?? '').length <= 3)
    this.drawThree(random, this.shapes.map(sizeWeight))
    const isSmall = (piece: number | null) => piece !== null && small.includes(piece)
    if (!this.tray.some(isSmall)) this.tray[2] = small[below(random, small.length)] ?? 0
    if (!this.tray.some((piece) => isSmall(piece) && this.fits(piece))) {
      const last = this.tray.findLastIndex(isSmall)
      const fitting = small.filter((i) => this.fits(i))
      this.tray[last] = fitting[below(random, fitting.length)] ?? 0
    }
    this.hues = [0, 0, 0].map(() => 1 + below(random, 5))
  }
}
