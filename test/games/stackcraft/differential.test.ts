import { describe, expect, it, vi } from 'vitest'
import { legalActions, place } from '../../../src/games/stackcraft/place.ts'
import {
  type PlainState,
  plainMoves,
  plainOrientations,
  plainPlace,
  plainReason,
  plainStart,
  plainStep,
} from './plain-game.ts'
import { CELLS, choose, dice, drawn, FULL, LETTERS, maskOf, observe, type Table, table } from './play.ts'

// The full figures take minutes.
if (FULL) vi.setConfig({ testTimeout: 1_200_000 })

const GAMES = FULL ? 2000 : 100

function seedOf(game: number, roll: (n: number) => number): string {
  const digits = Array.from({ length: 1 + roll(64) }, () => roll(10)).join('')
  return game % 2 === 0 ? String(game) : BigInt(`${game % 3 === 0 ? '-' : ''}${digits}`).toString()
}

/** Everything that a step shows, on both sides. */
function expectSame(game: Table, plain: PlainState, letters: string): void {
  const { board, current, next } = observe(game)
  const plainBoard = letters === LETTERS ? plain.board : plain.board.map((row) => row.replace(/[A-Z]/g, '#'))
  const { score, lines, pieces, over } = game.state
  expect(drawn(board, letters)).toEqual(plainBoard)
  expect([LETTERS[current], LETTERS[next], score, lines, pieces]).toEqual([
    plain.current,
    plain.next,
    plain.score,
    plain.lines,
    plain.pieces,
  ])
  const moves = plainMoves(plain.board, plain.current)
  const legal = Array.from(maskOf(game).keys()).filter((action) => maskOf(game)[action] === 1)
  expect(legal.map((action) => game.native.name(action))).toEqual(moves.map((move) => move.name))
  expect(over).toBe(moves.length === 0)
  expect(legal.map((action) => game.placement!(game.state, action)!.row)).toEqual(
    moves.map((m) => m.landingY),
  )
}

function expectSameReasons(game: Table, plain: PlainState): void {
  for (let action = 0; action < 40; action++) {
    const expected = plainReason(plain, Math.floor(action / 10), action % 10)
    const refusal = game.rules.explain(game.state, action)
    expect(refusal?.reason).toBe(expected?.reason)
    expect(refusal?.cells ?? []).toEqual((expected?.cells ?? []).map(({ x, y }) => ({ row: y, col: x })))
    expect(maskOf(game)[action]).toBe(refusal ? 0 : 1)
  }
}

describe('against the plain implementation', () => {
  for (const cells of CELLS) {
    it(`plays the same games (${cells})`, () => {
      const letters = cells === 'colours' ? LETTERS : '.#'
      const roll = dice(cells.length)
      const game = table(cells)
      let cleared = 0
      for (let n = 0; n < GAMES; n++) {
        let plain = plainStart(seedOf(n, roll))
        game.rules.reset(game.state, plain.seed)
        expectSame(game, plain, letters)
        while (!game.state.over) {
          const action = choose(game, roll, n % 3 === 0)
          const reward = game.rules.step(game.state, action)
          const before = plain
          plain = plainStep(plain, game.native.name(action))
          expect(reward).toBe(plain.score - before.score)
          expectSame(game, plain, letters)
          if (roll(8) === 0 || game.state.over) expectSameReasons(game, plain)
        }
        cleared += plain.lines
      }
      expect(cleared).toBeGreaterThan(GAMES / 3)
    })
  }

  it('lands and places the same on boards that no game reaches', () => {
    const roll = dice(99)
    for (let n = 0; n < (FULL ? 10_000 : 1000); n++) {
      const board = randomBoard(roll)
      const piece = 1 + roll(7)
      const letter = LETTERS[piece]!
      const picture = drawn(board)
      const moves = plainMoves(picture, letter)
      const legal = legalActions(board, piece)
      const cells = (list: (typeof legal)[number]) => list.cells.map(({ row, col }) => ({ x: col, y: row }))
      expect(legal.map(({ name, row }) => [name, row])).toEqual(
        moves.map((move) => [move.name, move.landingY]),
      )
      expect(legal.map(cells)).toEqual(moves.map((move) => move.cells))
      for (const [i, action] of legal.entries()) {
        const expected = plainPlace(picture, letter, moves[i]!)
        const placed = place(board, piece, action)
        expect(drawn(placed.board)).toEqual(expected.board)
        expect(placed.lines).toBe(expected.lines)
        expect(placed.reward).toBe([0, 100, 300, 500, 800][expected.lines])
      }
      expect(drawn(board)).toEqual(picture)
    }
  })
})

/** Any filling, in the top rows too, thick or thin, without full rows. */
function randomBoard(roll: (n: number) => number): Uint8Array {
  const top = roll(16)
  const thick = 1 + roll(10)
  const board = new Uint8Array(200)
  for (let y = top; y < 20; y++) {
    for (let x = 0; x < 10; x++) board[y * 10 + x] = roll(10) < thick ? 1 + roll(7) : 0
    if (!board.subarray(y * 10, y * 10 + 10).includes(0)) board[y * 10 + roll(10)] = 0
  }
  return board
}

describe('the plain implementation itself', () => {
  it('has the orientations of the rules', () => {
    const counts = [...'IOTSZJL'].map((letter) => plainOrientations(letter).length)
    expect(counts).toEqual([2, 1, 4, 2, 2, 4, 4])
  })
})
