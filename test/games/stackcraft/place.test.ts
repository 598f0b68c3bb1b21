import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/env/game.ts'
import { ORIENTATIONS } from '../../../src/games/stackcraft/pieces.ts'
import { legalActions, place } from '../../../src/games/stackcraft/place.ts'
import { boardOf, CELLS, choose, dice, drawn, maskOf, observe, table } from './play.ts'

const EMPTY = '..........'

function position(drawing: readonly string[], piece: number, figures: { [name: string]: number } = {}) {
  const game = table()
  const state = game.afterstates!.fromPosition({ board: boardOf(drawing), piece, figures })
  if ('reason' in state) throw new Error(state.message)
  return { ...game, state }
}

/** Plays r{rotation}x{x} on a drawing by each of the three ways there are, and draws the rows from the first filled. */
function outcome(drawing: readonly string[], piece: number, name: string) {
  const game = position(drawing, piece)
  const legal = legalActions(boardOf(drawing), piece).find((candidate) => candidate.name === name)!
  const placed = place(boardOf(drawing), piece, legal)
  const after = new Uint8Array(200).fill(7)
  expect(game.afterstates!.after(game.state, legal.action, after)).toEqual({
    lines: placed.lines,
    reward: placed.reward,
  })
  expect(after).toEqual(placed.board)
  expect(game.rules.step(game.state, legal.action)).toBe(placed.reward)
  expect(observe(game).board).toEqual(placed.board)
  const rows = drawn(placed.board)
  return {
    lines: placed.lines,
    reward: placed.reward,
    rows: rows.slice(rows.findIndex((row) => row !== EMPTY)),
  }
}

describe('orientations', () => {
  const picture = (piece: number) =>
    ORIENTATIONS[piece]!.map(({ width, height, cells }) =>
      Array.from({ length: height }, (_, y) =>
        Array.from({ length: width }, (_, x) =>
          cells.some((c) => c[0] === y && c[1] === x) ? '#' : '.',
        ).join(''),
      ).join('/'),
    )

  it('are the clockwise turns without repeats', () => {
    expect([1, 2, 3, 4, 5, 6, 7].map(picture)).toEqual([
      ['####', '#/#/#/#'],
      ['##/##'],
      ['.#./###', '#./##/#.', '###/.#.', '.#/##/.#'],
      ['.##/##.', '#./##/.#'],
      ['##./.##', '.#/##/#.'],
      ['#../###', '##/#./#.', '###/..#', '.#/.#/##'],
      ['..#/###', '#./#./##', '###/#..', '##/.#/.#'],
    ])
  })
})

describe('clearing', () => {
  it('takes one full row and lowers what was above', () => {
    expect(outcome(['T.........', 'TT.IIIIIII', 'TSS.OOZZLL'], 7, 'r3x1')).toEqual({
      lines: 1,
      reward: 100,
      rows: ['.LL.......', 'T.L.......', 'TSS.OOZZLL'],
    })
  })

  it('takes full rows on both sides of one that stays', () => {
    const drawing = ['JJ........', 'JJJJJJJJJ.', 'SSSSSSSS..', 'ZZZZZZZZZ.']
    expect(outcome(drawing, 1, 'r1x9')).toEqual({
      lines: 2,
      reward: 300,
      rows: ['JJ.......I', 'SSSSSSSS.I'],
    })
  })

  it('pays for three and four rows', () => {
    const row = 'OOOOOOOOO.'
    expect(outcome(['T.T.......', row, row, row], 1, 'r1x9')).toEqual({
      lines: 3,
      reward: 500,
      rows: ['T.T......I'],
    })
    const four = outcome(['..L.......', row, row, row, row], 1, 'r1x9')
    expect(four).toEqual({ lines: 4, reward: 800, rows: ['..L.......'] })
  })

  it('keeps a floating block where it was relative to the rest', () => {
    expect(outcome(['...T......', EMPTY, 'OOOOOO..OO', 'O.........'], 2, 'r0x6')).toEqual({
      lines: 1,
      reward: 100,
      rows: ['...T......', EMPTY, 'O.....OO..'],
    })
  })

  it('comes before the next piece is judged', () => {
    const column = Array.from({ length: 18 }, () => 'ZZZZZZ....')
    const drawing = ['LLLLLLLL..', ...column]
    // Two rows are left above; the O fills row 1 and it clears, so that row 1 is open again.
    const game = position(drawing, 2, { next: 1 })
    expect(Array.from(maskOf(game).keys()).filter((a) => maskOf(game)[a])).toContain(8)
    game.rules.step(game.state, 8)
    expect(game.state.over).toBe(false)
  })
})

describe('dropping', () => {
  it('goes straight down, past no block and under no overhang', () => {
    const landing = (drawing: string[], piece: number, name: string) =>
      legalActions(boardOf(drawing), piece).find((legal) => legal.name === name)?.row
    expect(landing(['..TTT.....', EMPTY, EMPTY, EMPTY], 2, 'r0x3')).toBe(14)
    expect(landing([], 1, 'r1x0')).toBe(16)
  })

  it('needs only its own cells free at the top, whatever hangs over them', () => {
    // T in rotation 0 (.#./###) has no cell at the corners of row 0.
    const full = ['S.S.......', ...Array.from({ length: 19 }, () => EMPTY)]
    const legal = legalActions(boardOf(full), 3)
    expect(legal.find(({ name }) => name === 'r0x0')?.row).toBe(18)
    const floor = ['S.S.......', EMPTY, EMPTY, '.Z........', ...Array.from({ length: 16 }, () => EMPTY)]
    expect(legalActions(boardOf(floor), 3).find(({ name }) => name === 'r0x0')?.row).toBe(1)
  })

  it('is no move when a cell at the top is filled, even with room below', () => {
    const game = position(['.....Z....', ...Array.from({ length: 19 }, () => EMPTY)], 2)
    expect(maskOf(game)[4]).toBe(0)
    expect(game.rules.explain(game.state, 4)).toEqual({
      reason: 'spawn_blocked',
      cells: [{ row: 0, col: 5 }],
      message: 'O cannot enter at r0x4: filled at row 0 column 5.',
    })
    expect(game.placement!(game.state, 4)).toBeUndefined()
    expect(game.afterstates!.after(game.state, 4, new Uint8Array(200))).toBeUndefined()
  })
})

describe('reasons', () => {
  it('come in order', () => {
    const game = position([], 2)
    expect(game.rules.explain(game.state, 10)?.reason).toBe('no_such_rotation')
    expect(game.rules.explain(game.state, 19)?.reason).toBe('no_such_rotation')
    expect(game.rules.explain(game.state, 9)).toMatchObject({ reason: 'out_of_bounds', cells: [] })
    expect(game.rules.explain(game.state, 8)).toBeUndefined()
    const full = position(
      Array.from({ length: 20 }, () => 'TTTTTTTTT.'),
      2,
    )
    expect(full.rules.isTerminal(full.state)).toBe(true)
    for (const action of [0, 9, 10])
      expect(full.rules.explain(full.state, action)?.reason).toBe('episode_over')
  })
})

describe('place', () => {
  it('checks bounds and occupation, and leaves its board alone', () => {
    const board = boardOf(['T.........'])
    const cells = (...at: [number, number][]) => ({
      row: 0,
      col: 0,
      cells: at.map(([row, col]) => ({ row, col })),
    })
    expect(() => place(board, 2, cells([19, 0]))).toThrow(/filled/)
    expect(() => place(board, 2, cells([20, 3]))).toThrow(/off the board/)
    expect(() => place(board, 2, cells([3, -1]))).toThrow(/off the board/)
    expect(() => place(board, 2, cells([3, 10]))).toThrow(/off the board/)
    // The way down is not asked for: this piece floats.
    expect(place(board, 2, cells([5, 0], [5, 1], [6, 0], [6, 1])).lines).toBe(0)
    expect(drawn(board).at(-1)).toBe('T.........')
  })
})

describe('afterstates', () => {
  for (const cells of CELLS) {
    it(`are the boards that steps lead to (${cells})`, () => {
      const game = table(cells)
      const roll = dice(21)
      for (let n = 0; n < 4; n++) {
        game.rules.reset(game.state, String(n))
        while (!game.state.over) {
          const mask = maskOf(game)
          for (let action = 0; action < 40; action++) {
            const after = new Uint8Array(200)
            const result = game.afterstates!.after(game.state, action, after)
            expect(result !== undefined).toBe(mask[action] === 1)
            if (!result) continue
            const next = structuredClone(game.state)
            expect(game.rules.step(next, action)).toBe(result.reward)
            expect(next.lines - game.state.lines).toBe(result.lines)
            expect(observe({ ...game, state: next }).board).toEqual(after)
          }
          game.rules.step(game.state, choose(game, roll, n % 2 === 0))
        }
      }
    })
  }
})

describe('a position given by a caller', () => {
  const ask = (given: object, cells: (typeof CELLS)[number] = 'colours') =>
    table(cells).afterstates!.fromPosition({ board: new Uint8Array(200), piece: 1, figures: {}, ...given })

  it('is what it says', () => {
    const board = boardOf(['T........L', 'TT.IIIIIII'])
    const game = position(['T........L', 'TT.IIIIIII'], 7, { next: 3 })
    expect(observe(game)).toEqual({ board, current: 7, next: 3 })
    const packed = [new Uint8Array(100), new Uint8Array(4), new Uint8Array(4)]
    game.packed!.encode(game.state, packed, 0)
    expect(packed[0]!.slice(90)).toEqual(Uint8Array.of(3, 0, 0, 0, 0x70, 0x33, 0x10, 0x11, 0x11, 0x11))
    expect(game.rules.isTerminal(game.state)).toBe(false)
  })

  it.each([
    ['a short board', { board: new Uint8Array(199) }],
    ['a cell above 7', { board: new Uint8Array(200).fill(8, 57, 58) }],
    ['a full row', { board: new Uint8Array(200).fill(1, 190) }],
    ['no piece', { piece: undefined }],
    ['piece 0', { piece: 0 }],
    ['piece 8', { piece: 8 }],
    ['piece 1.5', { piece: 1.5 }],
    ['a tray', { tray: [1, 2, 3] }],
    ['an unknown figure', { figures: { streak: 1 } }],
    ['next 8', { figures: { next: 8 } }],
  ])('is refused with %s', (_, given) => {
    const answer = ask(given)
    expect(answer).toMatchObject({ reason: 'bad_position' })
  })

  it('has cells of 0 and 1 under occupancy', () => {
    expect(ask({ board: new Uint8Array(200).fill(1, 3, 5) }, 'occupancy')).toHaveProperty('rows')
    expect(ask({ board: new Uint8Array(200).fill(2, 3, 4) }, 'occupancy')).toMatchObject({
      reason: 'bad_position',
      cells: [{ row: 0, col: 3 }],
    })
  })
})

describe('native actions', () => {
  const { native, state } = table()

  it('are the names', () => {
    for (let action = 0; action < 40; action++) {
      const name = `r${Math.floor(action / 10)}x${action % 10}`
      expect([native.name(action), native.toNative(action)]).toEqual([name, name])
      expect(native.fromNative(name, state)).toBe(action)
    }
  })

  const others: Json[] = [
    'r4x0',
    'r5x3',
    'r0x10',
    'R1x4',
    'r1x4 ',
    ' r1x4',
    'r1x4\n',
    'r-1x4',
    'r01x4',
    '14',
    '',
  ]
  others.push('r1x', 'r１x4', 14, null, true, ['r1x4'], { name: 'r1x4' })

  it.each(others.map((json) => ({ json })))('are nothing else: $json', ({ json }) => {
    expect(native.fromNative(json, state)).toMatchObject({ reason: 'unknown_action', cells: [] })
  })
})
