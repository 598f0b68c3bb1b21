import { describe, expect, it } from 'vitest'
import { WIDE_BEAM } from '../../../src/games/tray/search.ts'
import type { TrayState } from '../../../src/games/tray/state.ts'
import type { Plain } from './plain.ts'
import { type Ends, enumerate, keyOf } from './plain-search.ts'
import { type Found, searchIn } from './search-results.ts'
import {
  drawn,
  EIGHT,
  FULL,
  LONG,
  legalActions,
  observe,
  position,
  start,
  TRAY_GAMES,
  type TrayGame,
  walk,
} from './tray-games.ts'

const STATES = FULL ? 2000 : 60
const DENSE = FULL ? 300 : 10
const WIDEST = 1000

/** What the plain implementation makes of a state in sight. */
function plainOf(game: TrayGame, state: TrayState): Plain {
  const plain = game.plain('0')
  const seen = observe(game, state)
  const size = game.board.size
  plain.board = Array.from({ length: size }, (_, row) => seen.board!.slice(row * size, (row + 1) * size))
  plain.tray = seen.tray_piece!.map((piece) => (piece === 0 ? null : piece - 1))
  plain.hues = seen.tray_hue ?? [0, 0, 0]
  plain.run = (seen.streak ?? seen.combo)![0]!
  plain.idle = seen.idle?.[0] ?? 0
  plain.newSets = seen.new_sets?.[0] ?? 0
  plain.score = seen.score![0]!
  return plain
}

function pieces(plain: Plain): number {
  return plain.tray.filter((piece) => piece !== null).length
}

/** The states of a walk whose sequences are few enough to be listed one by one. */
function denseStates(game: TrayGame, count: number): TrayState[] {
  const states: TrayState[] = []
  for (let round = 0; states.length < count; round++) {
    walk(game, 3000, (state) => {
      const legal = legalActions(game, state).length
      if (!state.over && legal <= 14 + (round % 3) && states.length < count)
        states.push(structuredClone(state))
    })
  }
  return states
}

/** Where a found sequence ends, in the form of the plain implementation's keys. */
function keyOfFound(game: TrayGame, plain: Plain, found: Found): string {
  const size = game.board.size
  const end = game.plain('0')
  end.board = Array.from({ length: size }, (_, row) => found.board.slice(row * size, (row + 1) * size))
  const figures = found.figures
  end.run = figures[0]!
  end.idle = game.kind === 'ten' ? figures[1]! : 0
  end.newSets = game.kind === 'ten' ? figures[2]! : 0
  if (!found.actions.includes(game.board.size ** 2 * 3)) return keyOf(end)
  const left = [...plain.tray]
  for (const action of found.actions) if (action < size ** 2 * 3) left[Math.floor(action / size ** 2)] = null
  return `${keyOf(end)} ${[...left].sort().join()}`
}

function expectSame(game: TrayGame, state: TrayState, ends: Ends): void {
  const plain = plainOf(game, state)
  const found = searchIn(game, state, WIDEST)
  const wanted = new Map([...ends.spent, ...ends.bought])
  expect(new Set(found.map((one) => keyOfFound(game, plain, one)))).toEqual(new Set(wanted.keys()))
  expect(found.length).toBe(wanted.size)
  for (const one of found) {
    const end = wanted.get(keyOfFound(game, plain, one))!
    expect(one.reward).toBe(end.points)
    expect(one.value).toBeCloseTo(end.value, 3)
  }
}

describe.each(TRAY_GAMES)('search in $name', (game) => {
  it(`finds what listing every sequence finds, on ${DENSE} dense boards`, LONG, () => {
    let compared = 0
    for (const state of denseStates(game, DENSE)) {
      const plain = plainOf(game, state)
      const ends = enumerate(plain, pieces(plain))
      const beamCutsNothing = ends.sizes.every((keys) => keys.size <= WIDEST)
      if (!beamCutsNothing || ends.spent.size + ends.bought.size === 0) continue
      if (ends.spent.size + ends.bought.size > WIDEST) continue
      expectSame(game, state, ends)
      compared++
    }
    expect(compared).toBeGreaterThan(DENSE / 4)
  })

  it(`tells what stepping gives, best first, at most as many as the beam is wide, in ${STATES} states`, () => {
    let sequences = 0
    walk(game, STATES, (state) => {
      const found = searchIn(game, state, 5)
      expect(found.length).toBeLessThanOrEqual(5)
      expect(found.length === 0).toBe(state.over)
      for (const [i, one] of found.entries()) {
        sequences++
        const before = found[i - 1]
        if (before) expect(one.reward + one.value).toBeLessThanOrEqual(before.reward + before.value + 1e-3)
        expectStepped(game, state, one)
      }
    })
    expect(sequences).toBeGreaterThan(STATES)
  })

  it('reads nothing but what a player sees', () => {
    walk(game, STATES, (state) => {
      if (state.over) return
      const seen = observe(game, state)
      const figures = Object.fromEntries(
        game.instance.afterstates!.search!.figures.map((name) => [name, seen[name]![0]!]),
      )
      const board = Uint8Array.from(seen.board!)
      const given = game.instance.afterstates!.fromPosition({ board, tray: seen.tray_piece!, figures })
      const blind = structuredClone(state)
      blind.seed = `${state.seed}9`
      blind.sets += 7
      const found = searchIn(game, state, 7)
      expect(searchIn(game, blind, 7)).toEqual(found)
      // A position has no colours for its tray, so only the pattern of its boards is the same.
      const pattern = (one: Found) => ({ ...one, board: one.board.map((cell) => Math.min(cell, 1)) })
      expect(searchIn(game, given as TrayState, 7).map(pattern)).toEqual(found.map(pattern))
    })
  })

  it('gives single placements at depth 1', () => {
    walk(game, STATES, (state) => {
      const found = searchIn(game, state, WIDEST, 1)
      const size = game.board.size ** 2
      const tray = observe(game, state).tray_piece!
      const first = (slot: number) => tray.indexOf(tray[slot]!) === slot
      const placing = legalActions(game, state).filter((a) => a < size * 3 && first(Math.floor(a / size)))
      const bought = legalActions(game, state).includes(size * 3) ? [size * 3] : []
      expect(found.every((one) => one.actions.length === 1)).toBe(true)
      const ends = new Set(placing.map((a) => endOf(game, state, a)))
      expect(found.length).toBe(ends.size + bought.length)
    })
  })
})

/** Where a placement leads, as text, with the pieces that are left. */
function endOf(game: TrayGame, state: TrayState, action: number): string {
  const out = new Uint8Array(game.board.size ** 2)
  game.instance.afterstates!.after(state, action, out)
  const tray = [...observe(game, state).tray_piece!]
  tray[Math.floor(action / game.board.size ** 2)] = 0
  return `${out.map((cell) => Math.min(cell, 1)).join('')} ${tray.sort().join()}`
}

/** Plays a sequence in a copy; the last placement may deal, which leaves the board alone. */
function expectStepped(game: TrayGame, state: TrayState, found: Found): void {
  const copy = structuredClone(state)
  let reward = 0
  for (const action of found.actions) {
    expect(legalActions(game, copy)).toContain(action)
    reward += game.instance.rules.step(copy, action)
  }
  const seen = observe(game, copy)
  expect(found.reward).toBe(reward)
  expect(found.lines).toBe(copy.lines - state.lines)
  expect(found.board).toEqual(seen.board)
  const names = game.instance.afterstates!.search!.figures
  expect(found.figures).toEqual(names.map((name) => seen[name]![0]))
}

describe('search', () => {
  // The only way to spend this tray starts with the worst-looking placement.
  it(`tries again ${WIDE_BEAM} wide when a narrow beam spends no tray`, () => {
    let retried = 0
    for (let seed = 0; retried < 1 && seed < 400; seed++) {
      const state = start(EIGHT, String(seed))
      for (let set = 0; set < 60 && !state.over; set++) {
        const narrow = searchIn(EIGHT, state, 1)
        const greedy = searchIn(EIGHT, state, 1, 1)[0]!.actions[0]!
        if (narrow[0]!.actions.length === 3 && narrow[0]!.actions[0] !== greedy) {
          retried++
          expect(searchIn(EIGHT, state, WIDE_BEAM)[0]!.actions).toEqual(narrow[0]!.actions)
        }
        for (const action of narrow[0]!.actions) EIGHT.instance.rules.step(state, action)
      }
    }
    expect(retried).toBe(1)
  })

  it('gives the longest sequences when nothing spends the tray', () => {
    // The single clears a row and a column, and a square of three does not fit into the cross that they leave.
    const board = `
      .#######
      #.######
      ##.#####
      ###.####
      ####.###
      #####.##
      ######.#
      #######.`
    expect(drawn(board).filter((cell) => cell === 0).length).toBe(8)
    const state = position(EIGHT, board, [11, 1, 11])
    const found = searchIn(EIGHT, state, 10)
    expect(found.map((one) => one.actions.length)).toEqual([1, 1, 1, 1, 1, 1, 1, 1])
    expect(found.map((one) => one.lines)).toEqual([2, 2, 2, 2, 2, 2, 2, 2])
  })
})
