/** Shared by the tests of Stackcraft: a game made ready, boards as drawings, and a player. */
import type { ObservationArray } from '../../../src/env/game.ts'
import type { Cells } from '../../../src/games/stackcraft/config.ts'
import { stackcraft } from '../../../src/games/stackcraft/game.ts'

export const CELLS: readonly Cells[] = ['colours', 'occupancy']
export const FULL = process.env.BLOCKLOOM_FULL === '1'
export const LETTERS = '.IOTSZJL'

/** A game and one state of it, with the views that tests look at. */
export function table(cells: Cells = 'colours') {
  const game = stackcraft.create({ cells })
  return { ...game, state: game.rules.createState() }
}

export type Table = ReturnType<typeof table>

export function maskOf({ rules, state }: Pick<Table, 'rules' | 'state'>): Uint8Array {
  const mask = new Uint8Array(40)
  rules.writeMask(state, mask, 0)
  return mask
}

/** The dense observation of a state. */
export function observe({ encoder, state }: Pick<Table, 'encoder' | 'state'>) {
  const out: readonly [Uint8Array, Int32Array, Int32Array] = [
    new Uint8Array(200),
    new Int32Array(1),
    new Int32Array(1),
  ]
  encoder.encode(state, out as readonly ObservationArray[], 0)
  return { board: out[0], current: out[1][0]!, next: out[2][0]! }
}

/** A dense board as twenty strings. */
export function drawn(board: Uint8Array, letters = LETTERS): string[] {
  return Array.from({ length: 20 }, (_, y) =>
    Array.from(board.subarray(y * 10, y * 10 + 10), (cell) => letters[cell]).join(''),
  )
}

/** The dense board of a drawing whose last row is the board's last; rows above it are empty. */
export function boardOf(drawing: readonly string[]): Uint8Array {
  const board = new Uint8Array(200)
  const top = 20 - drawing.length
  for (const [y, row] of drawing.entries()) {
    for (const [x, letter] of [...row].entries()) board[(top + y) * 10 + x] = LETTERS.indexOf(letter)
  }
  return board
}

/** Repeatable whole numbers below n, from a 32-bit congruential generator. */
export function dice(seed: number): (n: number) => number {
  let word = Math.imul(seed + 1, 0x9e37_79b1)
  return (n) => {
    word = (Math.imul(word, 1_664_525) + 1_013_904_223) | 0
    return Math.floor(((word >>> 8) / 2 ** 24) * n)
  }
}

/** A legal action: any one, or (for longer games with clears) one of those that land lowest. */
export function choose(game: Table, roll: (n: number) => number, careful: boolean): number {
  const mask = maskOf(game)
  const legal = Array.from(mask.keys()).filter((action) => mask[action] === 1)
  if (!careful) return legal[roll(legal.length)]!
  const depth = legal.map((action) => game.placement!(game.state, action)!.row)
  const lowest = legal.filter((_, i) => depth[i] === Math.max(...depth))
  return lowest[roll(lowest.length)]!
}
