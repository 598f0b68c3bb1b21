import { describe, expect, test } from 'vitest'
import { deal as dealEight } from '../../../src/games/block-puzzle-8/deal.ts'
import { createState as createEight } from '../../../src/games/block-puzzle-8/state.ts'
import { deal as dealTen } from '../../../src/games/block-puzzle-10/deal.ts'
import { createState as createTen } from '../../../src/games/block-puzzle-10/state.ts'
import { deal as dealLumen } from '../../../src/games/lumen-blocks/deal.ts'
import { createState as createLumen, TRAY_HUE_AT } from '../../../src/games/lumen-blocks/state.ts'
import type { TrayBoard } from '../../../src/games/tray/board.ts'
import { BOARD_8 } from '../../../src/games/tray/board8.ts'
import { BOARD_10 } from '../../../src/games/tray/board10.ts'
import { resetTrayState, type TrayState } from '../../../src/games/tray/state.ts'
import { seeded } from '../../../src/random/seeded.ts'
import { drawWeighted, familyWeights, PLAIN_37, shapeCells, sizeWeight } from './plain.ts'
import { EIGHT, FULL, LONG, LUMEN, start, TEN } from './tray-games.ts'

const DEALS = FULL ? 1_000_000 : 60_000
const CROWDED_BOARDS = FULL ? 100_000 : 5000

/** Four standard deviations above the mean of a chi-square variable (Wilson and Hilferty). */
function chiSquareLimit(freedom: number): number {
  const spread = 2 / (9 * freedom)
  return freedom * (1 - spread + 4 * Math.sqrt(spread)) ** 3
}

function expectFrequencies(counts: readonly number[], shares: readonly number[]): void {
  const total = counts.reduce((a, b) => a + b, 0)
  const all = shares.reduce((a, b) => a + b, 0)
  const chiSquare = counts.reduce((sum, count, i) => {
    const expected = (total * (shares[i] ?? 0)) / all
    return sum + (count - expected) ** 2 / expected
  }, 0)
  expect(chiSquare).toBeLessThan(chiSquareLimit(counts.length - 1))
}

/** Deals on an empty board and counts pieces by slot, with `extra` counting what a game adds. */
function dealMany<State extends TrayState>(
  board: TrayBoard,
  state: State,
  deal: (state: State, scan: Int32Array) => void,
  count: number,
  look: (tray: readonly [number, number, number]) => void = () => {},
): number[][] {
  const scan = new Int32Array(board.scanWords)
  const counts = [0, 1, 2].map(() => new Array<number>(board.shapes.length).fill(0))
  const score = state.score
  resetTrayState(state, '4242')
  state.score = score
  board.scan(state.words, scan)
  for (let i = 0; i < count; i++) {
    deal(state, scan)
    const [a = 0, b = 0, c = 0] = state.words.subarray(board.trayAt)
    for (const [slot, piece] of [a, b, c].entries()) counts[slot]![piece - 1]!++
    look([a - 1, b - 1, c - 1])
  }
  return counts
}

/** A random crowded board, without full lines. */
function* crowded(board: TrayBoard): Generator<Int32Array> {
  const random = seeded('crowded')
  for (let i = 0; i < CROWDED_BOARDS; i++) {
    const words = new Int32Array(board.words)
    const density = 0.6 + random() * 0.4
    for (let at = 0; at < board.size ** 2; at++) if (random() < density) board.fill(words, at)
    board.clear(words)
    yield words
  }
}

/** Deals one set on each crowded board, checks that a piece fits, and hands it to `look`. */
function dealCrowded<State extends TrayState>(
  board: TrayBoard,
  state: State,
  deal: (state: State, scan: Int32Array) => void,
  look: (pieces: number[], fitting: boolean[]) => void,
): void {
  const scan = new Int32Array(board.scanWords)
  const anchors = new Int32Array(board.words)
  for (const words of crowded(board)) {
    state.words.set(words)
    board.scan(words, scan)
    deal(state, scan)
    const pieces = [...state.words.subarray(board.trayAt, board.trayAt + 3)].map((piece) => piece - 1)
    const fitting = pieces.map((piece) => board.anchors(scan, piece, anchors, 0) !== 0)
    expect(fitting).toContain(true)
    const legal = [...state.words.subarray(board.anchorsAt, board.extraAt)].some((word) => word !== 0)
    expect(legal).toBe(true)
    look(pieces, fitting)
  }
}

const isSmall = (piece: number) => shapeCells(PLAIN_37[piece] ?? '').length <= 3

describe('Lumen Blocks', LONG, () => {
  test('deals by the documented weights, with one small piece in every set', () => {
    const weights = PLAIN_37.map(sizeWeight)
    const total = weights.reduce((a, b) => a + b, 0)
    const big = weights.reduce((sum, weight, i) => sum + (isSmall(i) ? 0 : weight), 0) / total
    const small = PLAIN_37.filter((_, i) => isSmall(i)).length
    const hues = [0, 1, 2].map(() => new Array<number>(5).fill(0))
    const state = createLumen()
    const counts = dealMany(BOARD_8, state, dealLumen, DEALS, (tray) => {
      expect(tray.some(isSmall)).toBe(true)
      for (let slot = 0; slot < 3; slot++) hues[slot]![state.words[TRAY_HUE_AT + slot]! - 1]!++
    })
    expectFrequencies(counts[0] ?? [], weights)
    expectFrequencies(counts[1] ?? [], weights)
    // A third piece that is big stays only beside a small one; a set of three big ones gets a small third.
    const third = weights.map((weight, i) =>
      isSmall(i) ? weight / total + big ** 3 / small : (weight / total) * (1 - big ** 2),
    )
    expectFrequencies(counts[2] ?? [], third)
    for (const slot of hues) expectFrequencies(slot, [1, 1, 1, 1, 1])
  })

  test('deals a small piece that fits on any board', () => {
    dealCrowded(BOARD_8, createLumen(), dealLumen, (pieces, fitting) => {
      expect(pieces.some((piece, slot) => isSmall(piece) && fitting[slot])).toBe(true)
    })
  })
})

describe('Block Puzzle 8x8', LONG, () => {
  test('deals by the documented weights', () => {
    const weights = PLAIN_37.map(sizeWeight)
    const counts = dealMany(BOARD_8, createEight(), dealEight, DEALS)
    for (const slot of counts) expectFrequencies(slot, weights)
  })

  /** The pieces of draw `draw` of set `set`, by number from 1, drawn a second time. */
  function drawn(seed: string, set: number, draw: number): number[] {
    const random = seeded(`${seed}:${set}`)
    const weights = PLAIN_37.map(sizeWeight)
    let pieces: number[] = []
    for (let i = 0; i <= draw; i++) pieces = [0, 1, 2].map(() => 1 + drawWeighted(random, weights))
    return pieces
  }

  test('with no redraws left, the third piece becomes the single where nothing of the draw fits', () => {
    const state = createEight()
    const scan = new Int32Array(BOARD_8.scanWords)
    let repaired = 0
    for (let seed = 0; seed < 100; seed++) {
      resetTrayState(state, String(seed))
      for (let at = 0; at < 64; at++) if ((at * 5) % 8 !== Math.floor(at / 8)) BOARD_8.fill(state.words, at)
      BOARD_8.scan(state.words, scan)
      dealEight(state, scan, 0)
      const first = drawn(String(seed), 0, 0)
      const kept = first.includes(1)
      if (!kept) repaired++
      const tray = [...state.words.subarray(BOARD_8.trayAt, BOARD_8.trayAt + 3)]
      expect(tray).toEqual(kept ? first : [first[0], first[1], 1])
      const anchors = [...state.words.subarray(BOARD_8.anchorsAt, BOARD_8.extraAt)]
      expect(anchors.some((word) => word !== 0)).toBe(true)
    }
    expect(repaired).toBeGreaterThan(50)
  })

  test('redraws a thousand times before that: on a full board the draw that stays is the 1001st', () => {
    const state = createEight()
    const scan = new Int32Array(BOARD_8.scanWords)
    for (const seed of ['1', '2', '3']) {
      resetTrayState(state, seed)
      for (let at = 0; at < 64; at++) BOARD_8.fill(state.words, at)
      BOARD_8.scan(state.words, scan)
      dealEight(state, scan)
      const [a, b] = drawn(seed, 0, 1000)
      expect([...state.words.subarray(BOARD_8.trayAt, BOARD_8.trayAt + 3)]).toEqual([a, b, 1])
    }
  })

  test('deals a piece that fits on any board', () => {
    let none = 0
    dealCrowded(BOARD_8, createEight(), dealEight, (_, fitting) => {
      if (fitting.includes(false)) none++
    })
    expect(none).toBeGreaterThan(0)
  })
})

describe('Block Puzzle 10x10', LONG, () => {
  test.each([0, 299, 300, 1499, 1500, 1_000_000])('deals by the weights of its band at score %i', (score) => {
    const weights = familyWeights(score)
    const total = weights.reduce((a, b) => a + b, 0)
    const state = createTen()
    state.score = score
    const counts = dealMany(BOARD_10, state, dealTen, DEALS / (FULL ? 1 : 3), (tray) => {
      expect(new Set(tray).size).toBeGreaterThan(1)
    })
    // Three the same are drawn again, which takes the cube of a piece's share from each slot.
    const shares = weights.map((weight) => weight / total - (weight / total) ** 3)
    for (const slot of counts) expectFrequencies(slot, shares)
  })

  test('deals a piece that fits on any board, and never three the same', () => {
    dealCrowded(BOARD_10, createTen(), dealTen, (pieces) => {
      expect(new Set(pieces).size).toBeGreaterThan(1)
    })
  })
})

describe('a board with single holes', () => {
  test.each([
    ['Lumen Blocks', BOARD_8, createLumen(), dealLumen],
    ['Block Puzzle 8x8', BOARD_8, createEight(), dealEight],
    ['Block Puzzle 10x10', BOARD_10, createTen(), dealTen],
  ] as const)('gets a single in %s', (_, board, state, deal) => {
    const scan = new Int32Array(board.scanWords)
    for (let hole = 0; hole < board.size; hole++) {
      resetTrayState(state, String(hole))
      for (let at = 0; at < board.size ** 2; at++) {
        const empty = at % board.size === (hole + 3 * Math.floor(at / board.size)) % board.size
        if (!empty) board.fill(state.words, at)
      }
      board.scan(state.words, scan)
      for (let i = 0; i < 200; i++) {
        ;(deal as (state: TrayState, scan: Int32Array) => void)(state, scan)
        expect([...state.words.subarray(board.trayAt, board.trayAt + 3)]).toContain(1)
      }
    }
  })
})

describe('a set dealt on a crowded board', LONG, () => {
  test.each([
    ['Lumen Blocks', LUMEN, dealLumen],
    ['Block Puzzle 8x8', EIGHT, dealEight],
    ['Block Puzzle 10x10', TEN, dealTen],
  ] as const)('is the plain implementation’s, redraw by redraw, in %s', (_, game, deal) => {
    const { board } = game
    const random = seeded('very crowded')
    const scan = new Int32Array(board.scanWords)
    const state = start(game, '99')
    const plain = game.plain('99')
    for (let i = 0; i < (FULL ? 50_000 : 3000); i++) {
      // A hole in every row and column, so that no line is full, and few others.
      const density = 0.85 + random() * 0.15
      state.words.fill(0, 0, board.words)
      for (let at = 0; at < board.size ** 2; at++) {
        const hole = at % board.size === (i + 3 * Math.floor(at / board.size)) % board.size
        if (!hole && random() < density) board.fill(state.words, at)
      }
      state.score = plain.score = (i * 37) % 2000
      for (const row of plain.board.keys()) {
        for (let col = 0; col < board.size; col++) {
          plain.board[row]![col] = board.has(state.words, 0, row * board.size + col) ? 1 : 0
        }
      }
      board.scan(state.words, scan)
      ;(deal as (state: TrayState, scan: Int32Array) => void)(state, scan)
      plain.deal()
      const tray = [...state.words.subarray(board.trayAt, board.trayAt + 3)]
      expect(tray).toEqual(plain.tray.map((piece) => (piece ?? -1) + 1))
    }
  })
})
