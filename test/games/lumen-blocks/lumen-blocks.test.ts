import { expect, test } from 'vitest'
import { scorePlacement } from '../../../src/games/lumen-blocks/rules.ts'
import { LUMEN, observe, position, start } from '../tray/tray-games.ts'

const { rules, encoder } = LUMEN.instance

const CROSS = `
  .#######
  #.......
  #.......
  #.......
  #.......
  #.......
  #.......
  #.......`

const TWO_HOLES = `
  .######.
  ........
  ........
  ........
  ........
  ........
  ........
  ...##...`

test('the last cell of a row and a column, and an empty board: 1 + 40 + 100', () => {
  const state = position(LUMEN, CROSS, [1, 1, 1])
  expect(rules.step(state, 0)).toBe(141)
  expect(observe(LUMEN, state)).toMatchObject({ streak: [1], score: [141] })
  expect(state.lines).toBe(2)
})

test.each([
  [1, 1, 10],
  [1, 2, 15],
  [1, 3, 20],
  [1, 4, 25],
  [1, 5, 30],
  [1, 6, 30],
  [1, 1000, 30],
  [2, 1, 40],
  [3, 1, 90],
  [4, 1, 160],
  [5, 1, 250],
  [6, 1, 360],
  [3, 2, 135],
  [6, 5, 1080],
])('%i lines at streak %i score %i', (lines, streak, score) => {
  expect(scorePlacement(0, lines, streak, false)).toBe(1 + score)
  expect(scorePlacement(0, lines, streak, true)).toBe(1 + score + 100)
})

test('the streak grows with clears in a row and is lost without one, at no cost', () => {
  const state = position(LUMEN, TWO_HOLES, [1, 1, 1], { streak: 2, score: 50 })
  expect(rules.step(state, 9)).toBe(1)
  expect(observe(LUMEN, state)).toMatchObject({ streak: [0], score: [51] })
  expect(rules.step(state, 64)).toBe(1)
  expect(rules.step(state, 128 + 7)).toBe(11)
  expect(observe(LUMEN, state)).toMatchObject({ streak: [1], score: [63] })
})

test('the streak multiplies the lines of the placement that raises it', () => {
  const state = position(LUMEN, CROSS.replace('.......', '.#.....'), [1, 1, 1], { streak: 1 })
  // Two lines at streak 2: 40 x 1.5, and a cell stays, so no bonus.
  expect(rules.step(state, 0)).toBe(1 + 60)
})

test('hues are placed as shown in the tray, and cleared with their cells', () => {
  const state = start(LUMEN, '9')
  const before = observe(LUMEN, state)
  rules.step(state, 64 + 3 * 8 + 2)
  const after = observe(LUMEN, state)
  const hue = before.tray_hue?.[1] ?? 0
  expect(hue).toBeGreaterThan(0)
  expect(new Set(after.board)).toEqual(new Set([0, hue]))
  expect(after.tray_hue).toEqual([before.tray_hue?.[0], 0, before.tray_hue?.[2]])
  expect(after.board?.filter((value) => value === hue).length).toBe(
    before.tray?.slice(25, 50).filter(Boolean).length,
  )
})

test('the text shows board and shapes in hues', () => {
  const state = position(LUMEN, TWO_HOLES, [13, 0, 14], { streak: 3, score: 120 })
  expect(encoder.renderText(state)).toBe(
    [
      '.AAAAAA.',
      '........',
      '........',
      '........',
      '........',
      '........',
      '........',
      '...AA...',
      '',
      '0: block of 3 by 2   1:   2: small corner top left',
      'AA                   -    AA',
      'AA                        A.',
      'AA',
      '',
      'score 120  streak 3',
      '',
    ].join('\n'),
  )
})

test('the text marks a piece with no place', () => {
  const state = start(LUMEN, '4')
  expect(encoder.renderText(state)).not.toContain('(no place)')
  const crowded = position(
    LUMEN,
    `
    ..######
    ..######
    .#######
    ........
    .#######
    .#######
    .#######
    .#######`,
    [11, 5, 0],
  )
  expect(encoder.renderText(crowded)).toContain('0: square of 3 (no place)')
  expect(encoder.renderText(crowded)).toContain('1: bar of 3 down')
  expect(encoder.renderText(crowded)).not.toContain('bar of 3 down (no place)')
})
