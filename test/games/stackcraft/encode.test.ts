import { describe, expect, it } from 'vitest'
import { CELLS, choose, dice, LETTERS, maskOf, observe, table } from './play.ts'

/** Packs elements of a few bits each, low bits first. */
function packed(elements: ArrayLike<number>, bits: number): number[] {
  const bytes = new Array<number>(Math.ceil((elements.length * bits) / 8)).fill(0)
  for (let i = 0; i < elements.length; i++) {
    for (let bit = 0; bit < bits; bit++) {
      const at = i * bits + bit
      bytes[at >> 3]! |= ((elements[i]! >> bit) & 1) << (at & 7)
    }
  }
  return bytes
}

describe('the observation', () => {
  it('is specified as board, current and next', () => {
    const spec = table('colours').encoder.spec
    expect(
      spec.map(({ name, kind, dtype, shape, low, high, nvec, packing }) => ({
        name,
        kind,
        dtype,
        shape,
        low,
        high,
        nvec,
        packing,
      })),
    ).toEqual([
      {
        name: 'board',
        kind: 'box',
        dtype: 'uint8',
        shape: [20, 10],
        low: [0],
        high: [7],
        packing: 'nibbles',
      },
      ...['current', 'next'].map((name) => ({
        name,
        kind: 'discrete',
        dtype: 'int32',
        shape: [],
        low: [0],
        high: [7],
        nvec: [8],
        packing: 'none',
      })),
    ])
    const board = table('occupancy').encoder.spec[0]!
    expect([board.high, board.packing]).toEqual([[1], 'bits'])
  })

  for (const cells of CELLS) {
    it(`packs as its dense form does, in its own row only (${cells})`, () => {
      const bits = cells === 'colours' ? 4 : 1
      const game = table(cells)
      const roll = dice(3)
      for (let n = 0; n < 30; n++) {
        game.rules.reset(game.state, String(n))
        do {
          const size = (200 * bits) / 8
          const out = [new Uint8Array(3 * size), new Uint8Array(12), new Uint8Array(12)].map((a) =>
            a.fill(0xaa),
          )
          const mask = new Uint8Array(24).fill(0xaa)
          game.packed!.encode(game.state, out, 1)
          game.packed!.writeMask(game.state, mask, 1)
          const { board, current, next } = observe(game)
          const expected = [packed(board, bits), packed([current], 32), packed([next], 32)]
          for (const [i, bytes] of expected.entries()) {
            const around = new Array<number>(bytes.length).fill(0xaa)
            expect(Array.from(out[i]!)).toEqual([...around, ...bytes, ...around])
          }
          const around = new Array<number>(8).fill(0xaa)
          expect(Array.from(mask)).toEqual([...around, ...packed(maskOf(game), 1), 0, 0, 0, ...around])
          if (!game.state.over) game.rules.step(game.state, choose(game, roll, n % 2 === 0))
        } while (!game.state.over)
      }
    })

    it(`writes its own row of a batch only (${cells})`, () => {
      const game = table(cells)
      game.rules.reset(game.state, '5')
      for (let n = 0; n < 6; n++) game.rules.step(game.state, maskOf(game).indexOf(1))
      const out = [new Uint8Array(600).fill(9), new Int32Array(3).fill(9), new Int32Array(3).fill(9)] as const
      const mask = new Uint8Array(120).fill(9)
      game.encoder.encode(game.state, out, 1)
      game.rules.writeMask(game.state, mask, 40)
      const { board, current, next } = observe(game)
      const nines = (n: number) => new Array<number>(n).fill(9)
      expect(Array.from(out[0])).toEqual([...nines(200), ...board, ...nines(200)])
      expect(Array.from(out[1])).toEqual([9, current, 9])
      expect(Array.from(out[2])).toEqual([9, next, 9])
      expect(Array.from(mask)).toEqual([...nines(40), ...maskOf(game), ...nines(40)])
    })

    it(`reads a state without a trace (${cells})`, () => {
      const game = table(cells)
      const roll = dice(8)
      for (let n = 0; n < 10; n++) {
        game.rules.reset(game.state, String(-n))
        while (!game.state.over) {
          const before = structuredClone(game.state)
          observe(game)
          game.encoder.renderText(game.state)
          game.packed!.encode(game.state, [new Uint8Array(100), new Uint8Array(4), new Uint8Array(4)], 0)
          game.packed!.writeMask(game.state, new Uint8Array(8), 0)
          game.outcomes.write(game.state, new Int32Array(3), 0)
          for (let action = 0; action < 40; action++) {
            game.rules.explain(game.state, action)
            game.placement!(game.state, action)
            game.afterstates!.after(game.state, action, new Uint8Array(200))
          }
          expect(game.state).toEqual(before)
          game.rules.step(game.state, choose(game, roll, false))
        }
      }
    })
  }
})

describe('the text', () => {
  it('draws the board and names the pieces', () => {
    const game = table()
    game.rules.reset(game.state, '0')
    for (const name of ['r1x8', 'r0x4', 'r1x3']) {
      game.rules.step(game.state, game.native.fromNative(name, game.state) as number)
    }
    expect(game.encoder.renderText(game.state).split('\n')).toEqual([
      ...new Array<string>(17).fill('..........'),
      '...JJ...T.',
      '...JOO..TT',
      '...JOO..T.',
      'current I',
      'next Z',
      'lines 0',
      'score 0',
    ])
  })

  it('draws only what is filled under occupancy', () => {
    const game = table('occupancy')
    game.rules.reset(game.state, '0')
    game.rules.step(game.state, 18)
    const text = game.encoder.renderText(game.state).split('\n')
    expect(text.slice(17, 22)).toEqual(['........#.', '........##', '........#.', 'current O', 'next J'])
  })

  it('says why the game is over', () => {
    const game = table()
    game.rules.reset(game.state, '4')
    while (!game.state.over) game.rules.step(game.state, maskOf(game).indexOf(1))
    const text = game.encoder.renderText(game.state).split('\n')
    expect(text.at(-1)).toBe(`game over: no placement for ${LETTERS[game.state.current]}`)
    expect(maskOf(game).every((bit) => bit === 0)).toBe(true)
    expect(game.rules.explain(game.state, 0)?.reason).toBe('episode_over')
  })

  it('gives away neither the seed nor the place in the bag', () => {
    const roll = dice(1)
    const game = table()
    const seed = '7316429850731642985'
    game.rules.reset(game.state, seed)
    while (!game.state.over) {
      const text = game.encoder.renderText(game.state)
      expect(text).not.toContain(seed)
      // The words that may stand beside the board; none of them counts pieces.
      const words = text
        .split('\n')
        .slice(20)
        .map((line) => line.split(' ')[0])
      expect(words).toEqual(['current', 'next', 'lines', 'score'])
      game.rules.step(game.state, choose(game, roll, true))
    }
  })
})
