import { describe, expect, test } from 'vitest'
import type { TrayState } from '../../../src/games/tray/state.ts'
import { seeded } from '../../../src/random/seeded.ts'
import type { Plain } from './plain.ts'
import { choose, FULL, LONG, maskOf, observe, start, TRAY_GAMES, type TrayGame } from './tray-games.ts'

const GAMES = FULL ? 10_000 : 150
const MOST_STEPS = 300

/** Everything visible, from the plain game. */
function plainView(plain: Plain): { [name: string]: number[] } {
  const tray = plain.tray.flatMap((piece) => {
    const rows = piece === null ? [] : (plain.shapes[piece] ?? '').split('/')
    return Array.from({ length: 25 }, (_, i) => (rows[Math.floor(i / 5)]?.[i % 5] === '#' ? 1 : 0))
  })
  const view: { [name: string]: number[] } = {
    board: plain.board.flat(),
    tray,
    tray_piece: plain.tray.map((piece) => (piece === null ? 0 : piece + 1)),
  }
  const score = [plain.score]
  if (plain.kind === 'lumen') return { ...view, tray_hue: plain.hues, streak: [plain.run], score }
  if (plain.kind === 'eight') return { ...view, combo: [plain.run], score }
  return { ...view, combo: [plain.run], idle: [plain.idle], new_sets: [plain.newSets], score }
}

function expectEqual(game: TrayGame, state: TrayState, plain: Plain): void {
  const view = observe(game, state)
  const expectedView = plainView(plain)
  // The deep comparison is slow over millions of states; equal texts are equal views.
  if (JSON.stringify(view) !== JSON.stringify(expectedView)) expect(view).toEqual(expectedView)
  const outcomes = new Int32Array(3)
  game.instance.outcomes.write(state, outcomes, 0)
  expect([...outcomes]).toEqual([plain.score, plain.lines, plain.placements])
  expect(game.instance.rules.isTerminal(state)).toBe(plain.over)
  const mask = maskOf(game, state)
  for (const [action, legal] of mask.entries()) {
    if (plain.legal(action) !== (legal === 1)) throw new Error(`action ${action}: the mask says ${legal}`)
  }
}

describe.each(TRAY_GAMES)('$name', (game) => {
  test(`agrees with the plain implementation over ${GAMES} games`, LONG, () => {
    const random = seeded('agreement')
    let ended = 0
    let cleared = 0
    for (let episode = 0; episode < GAMES; episode++) {
      const seed = String(BigInt(episode) ** 5n - 1_000_000n)
      const state = start(game, seed)
      const plain = game.plain(seed)
      expectEqual(game, state, plain)
      for (let steps = 0; steps < MOST_STEPS && !plain.over; steps++) {
        const action = choose(game, state, random, episode % 10 === 0)
        expect(game.instance.rules.step(state, action)).toBe(plain.play(action))
        expectEqual(game, state, plain)
      }
      if (plain.over) ended++
      cleared += plain.lines
    }
    expect(ended).toBeGreaterThan(GAMES / 2)
    expect(cleared).toBeGreaterThan(GAMES / 10)
  })
})
