import { describe, expect, test } from 'vitest'
import type { Json } from '../../../src/env/game.ts'
import { start, TRAY_GAMES } from './tray-games.ts'

describe.each(TRAY_GAMES)('$name', (game) => {
  const { native, numActions } = game.instance
  const { size } = game.board
  const state = start(game, '1')

  test('placements go to JSON and back, by the documented numbers', () => {
    for (let slot = 0; slot < 3; slot++) {
      for (let row = 0; row < size; row++) {
        for (let col = 0; col < size; col++) {
          const action = slot * size * size + row * size + col
          const json = { type: 'place', pieceIndex: slot, row, col }
          expect(native.toNative(action)).toEqual(json)
          expect(native.fromNative(json, state)).toBe(action)
          expect(native.name(action)).toBe(`p${slot}r${row}c${col}`)
        }
      }
    }
  })

  test('the order of keys does not matter', () => {
    expect(native.fromNative({ col: 4, row: 3, pieceIndex: 0, type: 'place' }, state)).toBe(3 * size + 4)
  })

  const place = { type: 'place', pieceIndex: 0, row: 3, col: 4 }
  const strange: Json[] = [
    null,
    'p0r3c4',
    7,
    true,
    [],
    [place],
    {},
    { ...place, type: 'PLACE' },
    { ...place, type: 'move' },
    { ...place, type: null },
    { type: 'place' },
    { type: 'place', pieceIndex: 0, row: 3 },
    { pieceIndex: 0, row: 3, col: 4 },
    { ...place, extra: 0 },
    { ...place, pieceIndex: 3 },
    { ...place, pieceIndex: -1 },
    { ...place, row: size },
    { ...place, col: size },
    { ...place, col: -1 },
    { ...place, row: 1.5 },
    { ...place, row: '3' },
    { ...place, row: true },
    { ...place, row: null },
    { ...place, col: [4] },
    { ...place, col: 1e300 },
    { type: 'new_set', row: 0 },
    { type: 'toString' },
    JSON.parse('{"__proto__":{"type":"new_set"}}'),
    JSON.parse('{"type":"place","pieceIndex":0,"row":3,"__proto__":{"col":4}}'),
  ]

  test.each(strange.map((json) => [JSON.stringify(json), json] as const))('%s is unknown', (_, json) => {
    const refusal = native.fromNative(json, state)
    expect(refusal).toMatchObject({ reason: 'unknown_action', cells: [] })
  })

  test('new_set and end_game are known where the game has them', () => {
    for (const [type, action] of [
      ['new_set', 300],
      ['end_game', 301],
    ] as const) {
      const parsed = native.fromNative({ type }, state)
      if (numActions === 302) {
        expect(parsed).toBe(action)
        expect(native.toNative(action)).toEqual({ type })
        expect(native.name(action)).toBe(type)
      } else expect(parsed).toMatchObject({ reason: 'unknown_action' })
    }
  })
})
