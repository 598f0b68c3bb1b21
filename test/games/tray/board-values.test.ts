import { describe, expect, it } from 'vitest'
import { createBoardValues, VALUED_TOGETHER } from '../../../src/games/tray/board-values.ts'
import { SHAPES_8, SHAPES_10 } from '../../../src/games/tray/shapes.ts'
import { valueLayout } from '../../../src/games/tray/value-layout.ts'
import { familyWeights, PLAIN_37, sizeWeight } from './plain.ts'
import { plainValue } from './plain-search.ts'
import { EIGHT, TEN } from './tray-games.ts'

/** Boards from empty to full, by a small generator of its own. */
function boards(size: number, count: number): number[][][] {
  let seed = 12_345
  const next = (): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return seed / 2 ** 32
  }
  return Array.from({ length: count }, (_, i) =>
    Array.from({ length: size }, () =>
      Array.from({ length: size }, () => (next() < i / (count - 1) ? 1 : 0)),
    ),
  )
}

/** The square's eight symmetries: where the cell at a row and column comes from. */
const SYMMETRIES: readonly ((row: number, col: number, last: number) => readonly [number, number])[] = [
  (r, c) => [r, c],
  (r, c, last) => [r, last - c],
  (r, c, last) => [last - r, c],
  (r, c, last) => [last - r, last - c],
  (r, c) => [c, r],
  (r, c, last) => [c, last - r],
  (r, c, last) => [last - c, r],
  (r, c, last) => [last - c, last - r],
]

/** The learned value as its description says: cell by cell, table by table. */
function plainLearned(
  size: 8 | 10,
  values: readonly number[],
  weights: Float32Array,
  board: number[][],
  figures: readonly number[],
): number {
  const layout = valueLayout(size, values)
  const filled = board.flat().reduce((sum, cell) => sum + cell, 0)
  let sum = 0
  for (const [i, { height, width, row, col }] of layout.patterns.entries()) {
    for (const symmetry of SYMMETRIES) {
      let entry = 0
      for (let r = 0; r < height; r++) {
        for (let c = 0; c < width; c++) {
          const [fromRow, fromCol] = symmetry(row + r, col + c, size - 1)
          entry += board[fromRow]![fromCol]! * 2 ** (r * width + c)
        }
      }
      sum += weights[layout.patternStarts[i]! + entry]!
    }
  }
  const game = (size === 8 ? EIGHT : TEN).plain('0')
  game.board = board
  for (const piece of layout.shapes.keys()) {
    let anchors = 0
    for (let r = 0; r < size; r++) {
      for (let c = 0; c < size; c++) if (game.canPlace(piece, r, c)) anchors++
    }
    sum += weights[layout.pieceStart + piece * (size * size + 1) + anchors]!
  }
  for (const [i, start] of layout.figureStarts.entries()) {
    sum += weights[start + figures[i]! * (size * size + 1) + filled]!
  }
  return sum
}

describe.each([
  { size: 8, kind: EIGHT, bands: [PLAIN_37.map(sizeWeight)], values: [8] },
  { size: 10, kind: TEN, bands: [0, 300, 1500].map(familyWeights), values: [21, 12] },
] as const)('values of boards $size wide', ({ size, kind, bands, values }) => {
  const shapes = size === 8 ? SHAPES_8 : SHAPES_10
  const given = boards(size, VALUED_TOGETHER)
  const made = createBoardValues(size, bands, values)
  const words = new Int32Array(4)
  const load = (): void => {
    for (const [i, board] of given.entries()) {
      words.fill(0)
      for (const [position, cell] of board.flat().entries()) if (cell === 1) kind.board.fill(words, position)
      made.load(i, words, 0)
    }
  }

  it('are the plain hand-made ones, in every band', () => {
    expect(bands.every((weights) => weights.length === shapes.length)).toBe(true)
    for (const [band, score] of (size === 8 ? [0] : [0, 300, 1500]).entries()) {
      load()
      made.run(given.length, band)
      for (const [i, board] of given.entries()) {
        const plain = kind.plain('0')
        plain.board = board
        plain.newSets = 0
        expect(made.hand[i]).toBeCloseTo(plainValue(plain, score), 6)
      }
    }
  })

  it('are the plain learned ones, for other weights too', () => {
    for (const turn of [1, 2]) {
      const weights = Float32Array.from(
        { length: made.weightCount },
        (_, i) => ((i * 7919 * turn) % 1009) - 504,
      )
      const figures = given.map((_, i) => values.map((count) => (i * 5) % count))
      made.figures.set(figures.flat())
      load()
      made.run(given.length, 0, weights)
      const hand = made.hand.slice()
      for (const [i, board] of given.entries()) {
        const wanted = plainLearned(size, values, weights, board, figures[i]!)
        expect(Math.abs(made.learned[i]! - wanted)).toBeLessThan(0.01)
      }
      made.run(given.length, 0)
      expect(made.hand).toEqual(hand)
    }
  })

  it('are of as many boards as asked for', () => {
    load()
    made.hand.fill(-1)
    made.run(3, 0)
    expect([...made.hand.subarray(0, 5)].map((value) => value === -1)).toEqual([
      false,
      false,
      false,
      true,
      true,
    ])
  })
})
