import { describe, expect, test } from 'vitest'
import { BIGGEST_FIRST, bandTable } from '../../../src/games/block-puzzle-10/deal.ts'
import { scorePlacement } from '../../../src/games/block-puzzle-10/rules.ts'
import { familyWeights, PLAIN_19, shapeCells } from '../tray/plain.ts'
import { legalActions, maskOf, observe, position, start, TEN, TEN_HOUSE } from '../tray/tray-games.ts'

const { rules, encoder } = TEN.instance
const NEW_SET = 300
const END_GAME = 301

const cells = [...Array(100).keys()]
const CROSS = cells.map((at) => (at !== 0 && (at < 10 || at % 10 === 0) ? '#' : '.')).join('')
const CHECKERS = cells.map((at) => ((Math.floor(at / 10) + at) % 2 === 0 ? '.' : '#')).join('')
const EMPTY = '.'.repeat(100)
/** The first row lacks its first cell, and one more cell is filled. */
const ONE_LEFT = cells.map((at) => ((at > 0 && at < 10) || at === 55 ? '#' : '.')).join('')

describe('scores', () => {
  test('the last cell of a row and a column, and an empty board: 1 + 30 + 300 and a new set', () => {
    const state = position(TEN, CROSS, [1, 1, 1], { new_sets: 1 })
    expect(rules.step(state, 0)).toBe(331)
    expect(observe(TEN, state)).toMatchObject({ combo: [1], idle: [0], new_sets: [2], score: [331] })
  })

  test.each([
    [1, 1, 10],
    [2, 1, 30],
    [3, 1, 60],
    [4, 1, 100],
    [5, 1, 150],
    [6, 1, 210],
    [1, 2, 20],
    [2, 3, 90],
    [1, 5, 50],
    [1, 6, 50],
    [6, 99, 1050],
  ])('%i lines at combo %i: %i', (lines, combo, score) => {
    expect(scorePlacement(10, lines, combo, false)).toBe(9 + score)
    expect(scorePlacement(10, lines, combo, true)).toBe(9 + score + 300)
  })

  test('two lines at once add one to the combo', () => {
    const state = position(TEN, CROSS, [1, 1, 1], { combo: 2, idle: 2 })
    expect(rules.step(state, 0)).toBe(1 + 30 * 3 + 300)
    expect(observe(TEN, state)).toMatchObject({ combo: [3], idle: [0] })
  })
})

describe('the combo', () => {
  test('is lost at the third placement without a clear', () => {
    const state = position(TEN, EMPTY, [1, 1, 1], { combo: 4 })
    const seen = [11, 133, 255].map((action) => {
      rules.step(state, action)
      const { combo, idle } = observe(TEN, state)
      return [combo?.[0], idle?.[0]]
    })
    expect(seen).toEqual([
      [4, 1],
      [4, 2],
      [0, 0],
    ])
  })

  test('survives two placements without a clear', () => {
    const state = position(TEN, ONE_LEFT, [1, 1, 1], { combo: 4 })
    rules.step(state, 11)
    rules.step(state, 133)
    expect(rules.step(state, 200)).toBe(1 + 10 * 5)
    expect(observe(TEN, state)).toMatchObject({ combo: [5], idle: [0] })
  })

  test('counts no idle placements while there is none', () => {
    const state = position(TEN, EMPTY, [1, 1, 1])
    for (const action of [11, 133, 255]) {
      rules.step(state, action)
      expect(observe(TEN, state)).toMatchObject({ combo: [0], idle: [0] })
    }
  })
})

describe('new sets', () => {
  test('one is there at the start and can be used with a fresh tray', () => {
    const state = start(TEN, '8')
    expect(observe(TEN, state).new_sets).toEqual([1])
    expect(maskOf(TEN, state)[NEW_SET]).toBe(1)
    expect(rules.step(state, NEW_SET)).toBe(0)
    expect(observe(TEN, state)).toMatchObject({ new_sets: [0], score: [0] })
    expect(observe(TEN, state).tray_piece).not.toContain(0)
    expect(rules.explain(state, NEW_SET)).toMatchObject({ reason: 'no_new_set_left' })
    expect([state.placements, state.sets]).toEqual([0, 2])
  })

  test('one leaves combo and idle alone and replaces what is left of the tray', () => {
    const state = position(TEN, ONE_LEFT, [1, 0, 0], { combo: 3, idle: 2, new_sets: 3, score: 40 })
    expect(rules.step(state, NEW_SET)).toBe(0)
    expect(observe(TEN, state)).toMatchObject({ combo: [3], idle: [2], new_sets: [2], score: [40] })
    expect(observe(TEN, state).tray_piece).not.toContain(0)
  })

  test('there are never more than three', () => {
    const state = position(TEN, CROSS, [1, 1, 1], { new_sets: 3 })
    expect(rules.step(state, 0)).toBe(331)
    expect(observe(TEN, state).new_sets).toEqual([3])
  })

  test('a Perfect Clear with the last piece that fits keeps the game going', () => {
    const state = position(TEN, CROSS, [1, 0, 0])
    rules.step(state, 0)
    expect(rules.isTerminal(state)).toBe(false)
    expect(legalActions(TEN, state)).toContain(NEW_SET)
  })
})

describe('the end', () => {
  test('is not reached by a stuck game that has a new set left', () => {
    const state = position(TEN, CHECKERS, [2, 3, 0], { new_sets: 1 })
    expect(rules.isTerminal(state)).toBe(false)
    expect(legalActions(TEN, state)).toEqual([NEW_SET, END_GAME])
    expect(encoder.renderText(state)).toContain('0: bar of 2 across (no place)   1: bar of 2 down (no place)')
    const ended = structuredClone(state)
    expect(rules.step(ended, END_GAME)).toBe(0)
    expect(rules.isTerminal(ended)).toBe(true)
    expect(legalActions(TEN, ended)).toEqual([])
    for (const action of [0, NEW_SET, END_GAME]) {
      expect(rules.explain(ended, action)).toMatchObject({ reason: 'episode_over' })
    }
    expect(encoder.renderText(ended)).toContain(
      'game over: ended by choice; no place for bar of 2 across, bar of 2 down\n',
    )
    rules.step(state, NEW_SET)
    expect(rules.isTerminal(state)).toBe(false)
    expect(legalActions(TEN, state).every((action) => action < NEW_SET)).toBe(true)
  })

  test('comes when nothing fits and no new set is left', () => {
    const state = position(TEN, CHECKERS, [1, 2, 0])
    rules.step(state, 0)
    expect(rules.isTerminal(state)).toBe(true)
    expect(encoder.renderText(state)).toContain(
      'game over: nothing fits and no new set is left; no place for bar of 2',
    )
  })

  test('cannot be chosen while something fits', () => {
    const state = start(TEN, '8')
    expect(rules.explain(state, END_GAME)).toMatchObject({ reason: 'not_stuck' })
    rules.step(state, NEW_SET)
    expect(rules.explain(state, END_GAME)).toMatchObject({ reason: 'no_new_set_left' })
  })
})

describe('without new sets', () => {
  test('there are none at the start, none are earned, and 300 and 301 are never legal', () => {
    const state = start(TEN_HOUSE, '8')
    expect(observe(TEN_HOUSE, state).new_sets).toEqual([0])
    expect(maskOf(TEN_HOUSE, state).subarray(NEW_SET)).toEqual(Uint8Array.of(0, 0))
    const cleared = position(TEN_HOUSE, CROSS, [1, 1, 1])
    expect(TEN_HOUSE.instance.rules.step(cleared, 0)).toBe(331)
    expect(observe(TEN_HOUSE, cleared).new_sets).toEqual([0])
    const stuck = position(TEN_HOUSE, CHECKERS, [1, 2, 0])
    TEN_HOUSE.instance.rules.step(stuck, 0)
    expect(TEN_HOUSE.instance.rules.isTerminal(stuck)).toBe(true)
  })

  test('a position with one is refused', () => {
    const given = { board: new Uint8Array(100), tray: [1, 1, 1], figures: { new_sets: 1 } }
    expect(TEN_HOUSE.instance.afterstates?.fromPosition(given)).toMatchObject({ reason: 'bad_position' })
    const idle = { board: new Uint8Array(100), tray: [1, 1, 1], figures: { idle: 1 } }
    expect(TEN.instance.afterstates?.fromPosition(idle)).toMatchObject({ reason: 'bad_position' })
  })
})

test('families that do not divide into whole shares are no table', () => {
  expect(() => bandTable([3, 4, 4, 2, 1, 4, 0.5, 4, 0.3])).toThrow('does not divide')
  for (const score of [0, 300, 1500]) expect(familyWeights(score).every(Number.isInteger)).toBe(true)
})

test('the biggest piece is tried first, and among equals the first in the catalogue', () => {
  const left = PLAIN_19.map((shape) => shapeCells(shape).length)
  const order = left.map(() => {
    const biggest = left.indexOf(Math.max(...left))
    left[biggest] = 0
    return biggest
  })
  expect([...BIGGEST_FIRST]).toEqual(order)
})
