import { describe, expect, test } from 'vitest'
import type { TrayState } from '../../../src/games/tray/state.ts'
import { FULL, LONG, maskOf, observe, TRAY_GAMES, type TrayGame, walk } from './tray-games.ts'

const STATES = FULL ? 20_000 : 400

/** The first reason against an action, from the observation alone, or undefined. */
function reasonFromView(
  game: TrayGame,
  view: { [name: string]: number[] },
  over: boolean,
  action: number,
): string | undefined {
  const { size } = game.board
  const cells = size * size
  if (over) return 'episode_over'
  if (action >= 3 * cells) {
    if (view.new_sets?.[0] === 0) return 'no_new_set_left'
    if (action === 3 * cells) return undefined
    const stuck = [...Array(3 * cells).keys()].every((other) => reasonFromView(game, view, false, other))
    return stuck ? undefined : 'not_stuck'
  }
  const slot = Math.floor(action / cells)
  const shape = view.tray?.slice(slot * 25, slot * 25 + 25) ?? []
  if (!shape.includes(1)) return 'slot_empty'
  let occupied = false
  for (const [i, mark] of shape.entries()) {
    if (mark === 0) continue
    const row = Math.floor((action % cells) / size) + Math.floor(i / 5)
    const col = ((action % cells) % size) + (i % 5)
    if (row >= size || col >= size) return 'out_of_bounds'
    occupied ||= view.board?.[row * size + col] !== 0
  }
  return occupied ? 'cell_occupied' : undefined
}

/** Tries an action on a copy: whether it is accepted, and if so whether it did what it should. */
function tryOnCopy(game: TrayGame, state: TrayState, action: number): boolean {
  const { rules } = game.instance
  const copy = structuredClone(state)
  if (rules.explain(copy, action) !== undefined) return false
  const reward = rules.step(copy, action)
  expect(copy.score).toBe(state.score + reward)
  const placing = action < 3 * game.board.size ** 2
  expect(copy.placements).toBe(state.placements + (placing ? 1 : 0))
  if (placing) expect(reward).toBeGreaterThan(0)
  return true
}

describe.each(TRAY_GAMES)('$name', (game) => {
  test(`the mask is what is accepted, at ${STATES} states`, LONG, () => {
    let checked = 0
    const seen = new Set<string>()
    walk(game, STATES, (state) => {
      const mask = maskOf(game, state)
      const before = structuredClone(state)
      const view = observe(game, state)
      const over = game.instance.rules.isTerminal(state)
      for (let action = 0; action < game.instance.numActions; action++) {
        const reason = reasonFromView(game, view, over, action)
        const refusal = game.instance.rules.explain(state, action)
        if (mask[action] !== (reason === undefined ? 1 : 0))
          throw new Error(`${action}: mask ${mask[action]}, ${reason}`)
        if (refusal?.reason !== reason) throw new Error(`${action}: ${refusal?.reason} is not ${reason}`)
        if (reason === undefined) expect(tryOnCopy(game, state, action)).toBe(true)
        seen.add(reason ?? 'legal')
        for (const { row, col } of refusal?.cells ?? []) {
          if (view.board?.[row * game.board.size + col] === 0) throw new Error(`${row},${col} is not filled`)
        }
        if (reason === 'cell_occupied' && refusal?.cells.length === 0) throw new Error('no cell to blame')
      }
      expect(state).toEqual(before)
      checked++
    })
    expect(checked).toBe(STATES)
    expect(seen).toContain('episode_over')
    expect(seen).toContain('cell_occupied')
    expect(seen).toContain('slot_empty')
    expect(seen).toContain('out_of_bounds')
    if (game.instance.numActions === 302) expect(seen).toContain('no_new_set_left')
  })
})
