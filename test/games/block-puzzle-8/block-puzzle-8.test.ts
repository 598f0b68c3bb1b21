import { expect, test } from 'vitest'
import { scorePlacement } from '../../../src/games/block-puzzle-8/rules.ts'
import { EIGHT, observe, position } from '../tray/tray-games.ts'

const { rules, encoder } = EIGHT.instance

const THREE_ROWS = `
  .#######
  .#######
  .#######
  ........
  ........
  ........
  ........
  ...##...`

test('the last cell of a row and a column: 1 + 30, and nothing for the empty board', () => {
  const cross = Array.from({ length: 64 }, (_, at) => (at !== 0 && (at < 8 || at % 8 === 0) ? '#' : '.'))
  const state = position(EIGHT, cross.join(''), [1, 1, 1])
  expect(rules.step(state, 0)).toBe(31)
  expect(observe(EIGHT, state)).toMatchObject({ combo: [1], score: [31] })
  expect(observe(EIGHT, state).board).not.toContain(1)
})

test.each([
  [1, 1, 10],
  [2, 1, 30],
  [3, 1, 60],
  [4, 1, 100],
  [5, 1, 150],
  [6, 1, 210],
  [1, 2, 30],
  [1, 3, 50],
  [2, 4, 90],
  [0, 0, 0],
])('%i lines as clear %i in a row score %i', (lines, combo, score) => {
  expect(scorePlacement(8, lines, combo)).toBe(5 + score)
})

test('three clears in a row score 10, 30 and 50, and a miss ends the run', () => {
  const state = position(EIGHT, THREE_ROWS, [1, 1, 1])
  expect(rules.step(state, 0)).toBe(1 + 10)
  expect(rules.step(state, 64 + 8)).toBe(1 + 30)
  expect(rules.step(state, 128 + 16)).toBe(1 + 50)
  expect(observe(EIGHT, state)).toMatchObject({ combo: [3], score: [93] })
  const missed = position(EIGHT, THREE_ROWS, [1, 1, 1], { combo: 3 })
  expect(rules.step(missed, 32)).toBe(1)
  expect(observe(EIGHT, missed).combo).toEqual([0])
  expect(rules.step(missed, 64)).toBe(11)
})

test('six lines at once', () => {
  const board = Array.from({ length: 64 }, (_, at) => {
    const [row, col] = [Math.floor(at / 8), at % 8]
    return row < 3 !== col < 3 ? '#' : '.'
  })
  const state = position(EIGHT, board.join(''), [11, 1, 1])
  expect(rules.step(state, 0)).toBe(9 + 210)
  expect(state.lines).toBe(6)
})

test('the text form', () => {
  const state = position(EIGHT, THREE_ROWS, [9, 36, 1], { combo: 2, score: 7 })
  expect(encoder.renderText(state)).toBe(
    [
      ...['.#######', '.#######', '.#######', '........', '........', '........', '........', '...##...'],
      '',
      '0: bar of 5 down   1: Z across   2: single',
      '#                  ##.           #',
      '#                  .##',
      '#',
      '#',
      '#',
      '',
      'score 7  combo 2',
      '',
    ].join('\n'),
  )
})
