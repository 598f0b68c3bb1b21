import { describe, expect, test } from 'vitest'
import { FULL, LONG, legalActions, observe, position, start, TRAY_GAMES, walk } from './tray-games.ts'

const STATES = FULL ? 10_000 : 200

describe.each(TRAY_GAMES)('$name', LONG, (game) => {
  const { instance } = game
  const cells = game.board.size ** 2
  const afterstates = instance.afterstates
  if (afterstates === undefined) throw new Error('no afterstates')

  test('are what stepping gives, and leave the state alone', () => {
    const out = new Uint8Array(cells)
    walk(game, STATES, (state) => {
      const before = structuredClone(state)
      for (const action of legalActions(game, state)) {
        const after = afterstates.after(state, action, out)
        const copy = structuredClone(state)
        const reward = instance.rules.step(copy, action)
        if (action >= 3 * cells) expect(after).toBeUndefined()
        else {
          expect(after).toEqual({ lines: copy.lines - state.lines, reward })
          expect([...out]).toEqual(observe(game, copy).board)
        }
      }
      expect(state).toEqual(before)
    })
  })

  test('exist for legal placements only', () => {
    const state = start(game, '5')
    const out = new Uint8Array(cells).fill(9)
    const legal = legalActions(game, state)
    for (let action = 0; action < instance.numActions; action++) {
      const given = afterstates.after(state, action, out.slice()) !== undefined
      expect(given).toBe(legal.includes(action) && action < 3 * cells)
    }
  })

  test('of a given position are those of the game that stands there', () => {
    const out = new Uint8Array(cells)
    const given = new Uint8Array(cells)
    walk(game, STATES / 4, (state) => {
      const view = observe(game, state)
      const figures = Object.fromEntries(
        Object.entries(view).flatMap(([name, values]) =>
          values.length === 1 ? [[name, values[0] ?? 0]] : [],
        ),
      )
      const tray = view.tray_piece ?? []
      const built = afterstates.fromPosition({ board: Uint8Array.from(view.board ?? []), tray, figures })
      if ('reason' in built) throw new Error(built.message)
      const shown = observe(game, built)
      // A position says nothing of the tray's hues; they count as the first.
      expect({ ...shown, tray_hue: 0 }).toEqual({ ...view, tray_hue: 0 })
      for (const action of legalActions(game, state)) {
        expect(afterstates.after(built, action, given)).toEqual(afterstates.after(state, action, out))
        expect(given.map((v) => Math.min(v, 1))).toEqual(out.map((v) => Math.min(v, 1)))
      }
    })
  })

  test('of a position that cannot be are refused', () => {
    const board = new Uint8Array(cells)
    const tray = [1, 0, 2]
    const full = board.map((_, at) => (at < game.board.size ? 1 : 0))
    const high = (afterstates.board.high[0] ?? 1) + 1
    const bad = [
      { board: board.slice(1), tray, figures: {} },
      { board: full, tray, figures: {} },
      { board: board.map((_, at) => (at === 3 ? high : 0)), tray, figures: {} },
      { board, figures: {} },
      { board, tray: [1, 2], figures: {} },
      { board, tray: [1, 2, 3, 4], figures: {} },
      { board, tray: [1, 2, game.board.shapes.length + 1], figures: {} },
      { board, tray: [1, -1, 2], figures: {} },
      { board, tray: [1, 1.5, 2], figures: {} },
      { board, tray, piece: 1, figures: {} },
      { board, tray, figures: { score: -1 } },
      { board, tray, figures: { score: 0.5 } },
      { board, tray, figures: { score: 2 ** 31 } },
      { board, tray, figures: { level: 1 } },
      { board, tray, figures: { tray_piece: 1 } },
    ]
    for (const each of bad) expect(afterstates.fromPosition(each)).toMatchObject({ reason: 'bad_position' })
    expect(afterstates.fromPosition({ board, tray, figures: { score: 2 ** 31 - 1 } })).not.toHaveProperty(
      'reason',
    )
  })

  test('a position where nothing fits is over', () => {
    const checkers = Array.from({ length: cells }, (_, at) =>
      (Math.floor(at / game.board.size) + at) % 2 ? '#' : '.',
    )
    const state = position(game, checkers.join(''), [2, 3, 0])
    expect(instance.rules.isTerminal(state)).toBe(true)
    expect(legalActions(game, state)).toEqual([])
  })
})
