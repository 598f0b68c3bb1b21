import { describe, expect, test } from 'vitest'
import { maskOf, observe, position, TRAY_GAMES } from './tray-games.ts'

/*
 * Every cell in turn, so also those on both sides of a word's end, whether words are counted by 32 cells
 * (31/32, 63/64, 95/96) or by three rows of ten (29/30, 59/60, 89/90).
 */
describe.each(TRAY_GAMES)('$name', (game) => {
  const { size } = game.board
  const cells = [...Array(size * size).keys()]
  const board = (filled: (row: number, col: number) => boolean) =>
    cells.map((at) => (filled(Math.floor(at / size), at % size) ? '#' : '.')).join('')
  // The third slot keeps its piece, so that nothing is dealt.
  const tray = [1, 1, 1]

  test.each(cells)('cell %i is filled, refused when filled, and cleared with its row and column', (at) => {
    const [row, col] = [Math.floor(at / size), at % size]
    const { rules } = game.instance

    const empty = position(
      game,
      board(() => false),
      tray,
    )
    rules.step(empty, at)
    expect(observe(game, empty).board).toEqual(cells.map((cell) => (cell === at ? 1 : 0)))
    expect(maskOf(game, empty)[size * size + at]).toBe(0)
    expect(rules.explain(empty, size * size + at)).toMatchObject({
      reason: 'cell_occupied',
      cells: [{ row, col }],
    })
    expect(maskOf(game, empty).filter((legal) => legal === 1).length).toBe(
      2 * (size * size - 1) + others(empty),
    )

    const inRow = position(
      game,
      board((r, c) => r === row && c !== col),
      tray,
    )
    rules.step(inRow, at)
    expect(observe(game, inRow).board).toEqual(cells.map(() => 0))
    expect(inRow.lines).toBe(1)

    const crossing = position(
      game,
      board((r, c) => (r === row) !== (c === col)),
      tray,
    )
    rules.step(crossing, at)
    expect(observe(game, crossing).board).toEqual(cells.map(() => 0))
    expect(crossing.lines).toBe(2)

    const allBut = position(
      game,
      board((r, c) => (r + c) % size !== (row + col) % size),
      tray,
    )
    rules.step(allBut, at)
    expect(observe(game, allBut).board).toEqual(
      cells.map((cell) => {
        const [r, c] = [Math.floor(cell / size), cell % size]
        return r !== row && c !== col && (r + c) % size !== (row + col) % size ? 1 : 0
      }),
    )
  })

  /** A given position has no new set unless it says so; a Perfect Clear may have brought one. */
  function others(state: object): number {
    return 'newSets' in state && Number(state.newSets) > 0 ? 1 : 0
  }
})
