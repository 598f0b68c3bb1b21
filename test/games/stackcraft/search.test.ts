import { describe, expect, it } from 'vitest'
import type { SearchResults } from '../../../src/env/game.ts'
import { FEATURES, writeFeatures } from '../../../src/games/stackcraft/features.ts'
import { stackcraft } from '../../../src/games/stackcraft/game.ts'
import { legalActions, place } from '../../../src/games/stackcraft/place.ts'
import type { StackcraftState } from '../../../src/games/stackcraft/state.ts'
import { seeded } from '../../../src/random/seeded.ts'

const FULL = process.env.BLOCKLOOM_FULL === '1'
const STATES = FULL ? 1000 : 40
const instance = stackcraft.create({ cells: 'colours' })

interface Found {
  readonly actions: readonly number[]
  readonly board: string
  readonly lines: number
  readonly reward: number
  readonly figures: readonly number[]
  readonly value: number
}

function searchIn(state: StackcraftState, width: number, depth = 2, made = instance): Found[] {
  const out: SearchResults = {
    sequences: new Int32Array(width * 2),
    boards: new Uint8Array(width * 200),
    lines: new Int32Array(width),
    rewards: new Float32Array(width),
    figures: new Int32Array(width * 2),
    values: new Float32Array(width),
    learned: new Float32Array(width),
  }
  const count = made.afterstates!.search!.run(state, width, depth, out, 0)
  return Array.from({ length: count }, (_, i) => ({
    actions: [...out.sequences.subarray(i * 2, i * 2 + 2)].filter((action) => action >= 0),
    board: out.boards.subarray(i * 200, (i + 1) * 200).join(''),
    lines: out.lines[i]!,
    reward: out.rewards[i]!,
    figures: [...out.figures.subarray(i * 2, i * 2 + 2)],
    value: out.values[i]!,
  }))
}

/** States of random play, where boards grow tall, and what is in sight of them. */
function visit(count: number, see: (state: StackcraftState) => void): void {
  const random = seeded('stackcraft search')
  const state = instance.rules.createState()
  const mask = new Uint8Array(instance.numActions)
  let episode = 0
  instance.rules.reset(state, '1')
  for (let seen = 0; seen < count; seen++) {
    if (instance.rules.isTerminal(state)) instance.rules.reset(state, String(++episode))
    see(state)
    instance.rules.writeMask(state, mask, 0)
    const legal = [...mask.keys()].filter((action) => mask[action] === 1)
    // Low placements half of the time, so that lines are cleared as well.
    const low = searchIn(state, 1, 1)[0]!.actions[0]!
    instance.rules.step(state, random() < 0.6 ? low : legal[Math.floor(random() * legal.length)]!)
  }
}

describe('search in Stackcraft', () => {
  it(`finds every pair of placements when the beam is wide, in ${STATES} states`, () => {
    visit(STATES, (state) => {
      const found = searchIn(state, 1200)
      const pairs = new Map<string, { board: string; reward: number; lines: number }>()
      for (const first of legalActions(state.cells, state.current)) {
        const after = place(state.cells, state.current, first)
        for (const second of legalActions(after.board, state.next)) {
          const end = place(after.board, state.next, second)
          pairs.set(`${first.action},${second.action}`, {
            board: end.board.join(''),
            reward: after.reward + end.reward,
            lines: after.lines + end.lines,
          })
        }
      }
      if (pairs.size === 0) return
      expect(new Set(found.map(({ actions }) => actions.join()))).toEqual(new Set(pairs.keys()))
      for (const { actions, board, reward, lines } of found) {
        expect({ board, reward, lines }).toEqual(pairs.get(actions.join()))
      }
    })
  })

  it('gives at most as many as the beam is wide, best first, and single placements at depth 1', () => {
    visit(STATES, (state) => {
      const all = searchIn(state, 1200)
      const few = searchIn(state, 34)
      expect(few.length).toBe(Math.min(34, all.length))
      // The first level is cut nowhere at this width, so these are the best of all.
      expect(few).toEqual(all.slice(0, few.length))
      const single = searchIn(state, 1000, 1)
      expect(single.map(({ actions }) => actions.join()).sort()).toEqual(
        legalActions(state.cells, state.current)
          .map(({ action }) => String(action))
          .sort(),
      )
      for (let i = 1; i < all.length; i++) {
        expect(all[i]!.reward + all[i]!.value).toBeLessThanOrEqual(all[i - 1]!.reward + all[i - 1]!.value + 1)
      }
    })
  })

  it('reads nothing but the board and the two pieces', () => {
    visit(STATES, (state) => {
      const given = instance.afterstates!.fromPosition({
        board: state.cells,
        piece: state.current,
        figures: { next: state.next },
      })
      expect(searchIn(given as StackcraftState, 20)).toEqual(searchIn(state, 20))
    })
  })

  it('shows filled cells as 1 where the game does', () => {
    const plain = stackcraft.create({ cells: 'occupancy' })
    visit(STATES, (state) => {
      const board = state.cells.map((cell) => Math.min(cell, 1))
      const figures = { next: state.next }
      const given = plain.afterstates!.fromPosition({ board, piece: state.current, figures })
      const found = searchIn(given as StackcraftState, 9, 2, plain as typeof instance)
      const wanted = searchIn(state, 9).map((one) => ({ ...one, board: one.board.replaceAll(/[1-7]/g, '1') }))
      expect(found).toEqual(wanted)
    })
  })

  it('counts landing heights and eroded cells', () => {
    const board = new Uint8Array(200).fill(3, 192, 200)
    board.fill(3, 182, 190)
    const state = instance.afterstates!.fromPosition({ board, piece: 2, figures: {} }) as StackcraftState
    const fits = searchIn(state, 40).find(({ actions }) => actions[0] === 0)!
    // The square fills the two columns at the left: its middle is one row above the floor, all four cells go.
    expect(fits).toMatchObject({ lines: 2, reward: 300, figures: [2, 8] })
  })
})

describe('features', () => {
  const of = (drawing: string) => {
    const lines = drawing.trim().split(/\s+/)
    const rows = new Uint16Array(20)
    for (const [i, line] of lines.entries()) {
      rows[20 - lines.length + i] = [...line].reduce((bits, mark, x) => bits | (mark === '#' ? 1 << x : 0), 0)
    }
    const out = new Int32Array(FEATURES.length)
    writeFeatures(rows, 0, out)
    return Object.fromEntries(FEATURES.map((name, i) => [name, out[i]]))
  }

  it('of an empty board are 0', () => {
    expect(Object.values(of('..........')).every((value) => value === 0)).toBe(true)
  })

  it('of a drawn board are as counted by hand', () => {
    expect(
      of(`
      ..#.......
      .###......
      .#########
      .####.####
      `),
    ).toEqual({
      // Rows: 4, 4, 2 and 4 changes, walls filled.
      row_transitions: 14,
      // Top to bottom: 2 rows, then 6, then 1, then 1 and the floor's 2.
      column_transitions: 11,
      holes: 1,
      // The left column is a well in three rows: 1 + 2 + 3.
      wells: 6,
      // One filled cell above the hole.
      hole_depth: 1,
      rows_with_holes: 1,
      height: 4,
      ready_rows: 1,
      aggregate_height: 22,
      // Heights 0 3 4 3 2 2 2 2 2 2.
      bumpiness: 3 + 1 + 1 + 1,
      over_ten: 0,
      deepest_well: 3,
    })
  })

  it('of a tall stack grow with the square of its height above ten', () => {
    expect(of(Array.from({ length: 13 }, () => '#.........').join('\n'))).toMatchObject({
      height: 13,
      over_ten: 9,
    })
  })
})
