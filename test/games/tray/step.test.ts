import { describe, expect, test } from 'vitest'
import { shapeCells } from './plain.ts'
import { legalActions, maskOf, observe, position, start, TRAY_GAMES, walk } from './tray-games.ts'

describe.each(TRAY_GAMES)('$name', (game) => {
  const { rules, packed, encoder, numActions } = game.instance
  const { size } = game.board
  const cells = size * size

  test('the mask after the third placement is that of the new set', () => {
    const state = start(game, '11')
    for (const slot of [0, 1, 2]) {
      const spent = [0, 1, 2].filter((other) => other < slot)
      const mask = maskOf(game, state)
      for (const other of spent) expect(mask.subarray(other * cells, (other + 1) * cells)).not.toContain(1)
      const action = legalActions(game, state).find((each) => Math.floor(each / cells) === slot)
      rules.step(state, action ?? -1)
    }
    const view = observe(game, state)
    expect(view.tray_piece).not.toContain(0)
    const mask = maskOf(game, state)
    for (let slot = 0; slot < 3; slot++) {
      const shape = shapeCells(game.board.shapes[(view.tray_piece?.[slot] ?? 0) - 1]?.text ?? '')
      for (let at = 0; at < cells; at++) {
        const fits = shape.every(([r, c]) => {
          const [row, col] = [Math.floor(at / size) + r, (at % size) + c]
          return row < size && col < size && view.board?.[row * size + col] === 0
        })
        expect(mask[slot * cells + at]).toBe(fits ? 1 : 0)
      }
    }
  })

  test('a clear that frees room for the last piece does not end the game', () => {
    // Full but for the diagonal, where only singles fit; clearing a row and column makes room for a bar of two.
    const holes = (row: number, col: number) => row === col
    const board = Array.from({ length: cells }, (_, at) =>
      holes(Math.floor(at / size), at % size) ? '.' : '#',
    ).join('')
    const state = position(game, board, [1, 2, 0])
    expect(legalActions(game, state).every((action) => action < cells)).toBe(true)
    rules.step(state, 0)
    expect(rules.isTerminal(state)).toBe(false)
    expect(legalActions(game, state).length).toBeGreaterThan(0)
  })

  test('a placement after which nothing fits ends the game', () => {
    const checkers = Array.from({ length: cells }, (_, at) =>
      (Math.floor(at / size) + at) % 2 === 0 ? '.' : '#',
    )
    const state = position(game, checkers.join(''), [1, 2, 3])
    rules.step(state, 0)
    expect(rules.isTerminal(state)).toBe(true)
    expect(legalActions(game, state)).toEqual([])
    expect(encoder.renderText(state)).toMatch(/^game over: .*; no place for bar of 2 across, bar of 2 down$/m)
  })

  test('equal seeds and actions give equal states, and other seeds other games', () => {
    const [a, b, c] = [start(game, '77'), start(game, '77'), start(game, '78')]
    let different = false
    for (let i = 0; i < 30 && !rules.isTerminal(a); i++) {
      different ||= observe(game, a).tray_piece?.join() !== observe(game, c).tray_piece?.join()
      const legal = legalActions(game, a)
      const action = legal[(i * 7919) % legal.length] ?? 0
      expect(rules.step(a, action)).toBe(rules.step(b, action))
      rules.prepareStep?.(b)
      if (!rules.isTerminal(c)) rules.step(c, legalActions(game, c)[0] ?? 0)
      expect(observe(game, a)).toEqual(observe(game, b))
    }
    expect(different).toBe(true)
    rules.reset(b, '1')
    rules.reset(b, '77')
    expect(b).toEqual(start(game, '77'))
  })

  test('the packed form is the dense form, packed', () => {
    if (packed === undefined) throw new Error('no packed form')
    const width = { bits: 1, nibbles: 4 }
    const sizes = encoder.spec.map((spec) => {
      const elements = spec.shape.reduce((a, b) => a * b, 1)
      return Math.ceil((elements * (spec.packing === 'none' ? 32 : width[spec.packing])) / 8)
    })
    walk(game, 150, (state) => {
      // Row 1 of 3, between guard rows, and read back bit by bit.
      const out = sizes.map((bytes) => new Uint8Array(bytes * 3).fill(0xa5))
      packed.encode(state, out, 1)
      const dense = observe(game, state)
      for (const [i, spec] of encoder.spec.entries()) {
        const bytes = sizes[i] ?? 0
        const all = out[i] ?? new Uint8Array()
        expect([...all.subarray(0, bytes), ...all.subarray(2 * bytes)].every((byte) => byte === 0xa5)).toBe(
          true,
        )
        const bits = spec.packing === 'none' ? 32 : width[spec.packing]
        const read = (dense[spec.name] ?? []).map((_, element) => {
          let value = 0
          for (let bit = 0; bit < bits; bit++) {
            const at = element * bits + bit
            value += (((all[bytes + (at >> 3)] ?? 0) >> (at & 7)) & 1) * 2 ** bit
          }
          return value
        })
        expect(read).toEqual(dense[spec.name])
      }
      const words = Math.ceil(numActions / 64) * 8
      const mask = new Uint8Array(words * 3).fill(0xa5)
      packed.writeMask(state, mask, 1)
      expect([...mask.subarray(0, words), ...mask.subarray(2 * words)].every((byte) => byte === 0xa5)).toBe(
        true,
      )
      const read = Array.from(
        { length: words * 8 },
        (_, bit) => ((mask[words + (bit >> 3)] ?? 0) >> (bit & 7)) & 1,
      )
      expect(read).toEqual([...maskOf(game, state), ...new Array<number>(words * 8 - numActions).fill(0)])
    })
  })

  test('dense rows are written in place, in arrays at any offset', () => {
    const state = start(game, '3')
    const mask = new Uint8Array(new ArrayBuffer(numActions + 40), 3, numActions + 20)
    rules.writeMask(state, mask, 5)
    expect([...mask.subarray(5, 5 + numActions)]).toEqual([...maskOf(game, state)])
    expect([...mask.subarray(0, 5), ...mask.subarray(5 + numActions)].some((byte) => byte !== 0)).toBe(false)
  })

  test('placements are where they land, also over filled cells', () => {
    const state = start(game, '21')
    const placement = game.instance.placement
    if (placement === undefined) throw new Error('no placement')
    for (let action = 0; action < numActions; action++) {
      const shape =
        game.board.shapes[(observe(game, state).tray_piece?.[Math.floor(action / cells)] ?? 0) - 1]
      const row = Math.floor((action % cells) / size)
      const col = (action % cells) % size
      const inside = shape !== undefined && row + shape.height <= size && col + shape.width <= size
      const expected = inside
        ? { row, col, cells: shapeCells(shape.text).map(([r, c]) => ({ row: row + r, col: col + c })) }
        : undefined
      expect(placement(state, action)).toEqual(expected)
    }
  })
})
