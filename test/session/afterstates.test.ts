import { describe, expect, it } from 'vitest'
import type { Game } from '../../src/env/game.ts'
import { allocateDense, elementsOf } from '../../src/env/tensor-spec.ts'
import { GAMES } from '../../src/games/registry.ts'
import { seeded } from '../../src/random/seeded.ts'
import type { ReplayGame } from '../../src/replay/format.ts'
import { HANDLERS } from '../../src/session/handlers.ts'
import { createHost } from '../../src/session/host.ts'
import type { AfterstatesResponse } from '../../src/session/message-types.ts'
import { Session } from '../../src/session/session.ts'
import { defaultGame, legalActions, pick, playRandomly, stateAfter } from '../replay/random-play.ts'
import { thrownBy } from './thrown-by.ts'

const FULL = process.env.BLOCKLOOM_FULL === '1'
const STATES = FULL ? 10_000 : 400
const TIMEOUT_MS = FULL ? 3_600_000 : 120_000
const placing = GAMES.filter((game) => defaultGame(game).instance.afterstates)

interface Entry {
  readonly action: number
  readonly board: readonly number[]
  readonly lines: number
  readonly reward: number
}

/** The entries of each row of a reply. */
function rowsOf(reply: AfterstatesResponse): Entry[][] {
  const int32 = (bytes: Uint8Array) => new Int32Array(Uint8Array.from(bytes).buffer)
  const [offsets, actions, lines] = [int32(reply.rowOffsets), int32(reply.actions), int32(reply.lines)]
  const rewards = new Float32Array(Uint8Array.from(reply.rewards).buffer)
  const cells = reply.boardSpec.shape.reduce((a, b) => a * b, 1)
  const entries = Array.from(actions, (action, i) => ({
    action,
    board: Array.from(reply.boards.subarray(i * cells, (i + 1) * cells)),
    lines: lines[i]!,
    reward: rewards[i]!,
  }))
  expect(reply.boards.length).toBe(entries.length * cells)
  return Array.from({ length: offsets.length - 1 }, (_, row) => entries.slice(offsets[row], offsets[row + 1]))
}

function makeRows(game: Game, numEnvs: number, settings: object = {}) {
  const session = new Session(createHost())
  const unset = { config: {}, autoresetMode: 0, illegalAction: 0, wireEncoding: 0 }
  const { envId } = HANDLERS.makeEnv(session, { ...unset, gameId: game.id, numEnvs, ...settings })
  return { session, envId, env: session.get(envId).env }
}

function afterstates(session: Session, envId: string, rows: number[] = []): Entry[][] {
  return rowsOf(HANDLERS.afterstates(session, { envId, rows }))
}

/** The observation of a state, by name. */
function observe({ instance }: ReplayGame, state: unknown): ReadonlyMap<string, readonly number[]> {
  const arrays = allocateDense(instance.encoder.spec, 1)
  instance.encoder.encode(state, arrays, 0)
  return new Map(instance.encoder.spec.map(({ name }, i) => [name, Array.from(arrays[i]!)]))
}

function outcome({ instance }: ReplayGame, state: unknown, name: string): number {
  const values = new Int32Array(instance.outcomes.names.length)
  instance.outcomes.write(state, values, 0)
  return values[instance.outcomes.names.indexOf(name)]!
}

/** What a player sees of a state, as a position. */
function positionOf(made: ReplayGame, state: unknown) {
  const figures: Record<string, number> = {}
  const position = {
    gameId: made.game.id,
    config: {},
    board: new Uint8Array(0),
    tray: [] as number[],
    figures,
  }
  let piece: number | undefined
  for (const spec of made.instance.encoder.spec) {
    const values = observe(made, state).get(spec.name)!
    if (spec.name === 'board') position.board = Uint8Array.from(values)
    else if (spec.name === 'current') piece = values[0]!
    else if (spec.name === 'tray_piece') position.tray = [...values]
    else if (elementsOf(spec) === 1) figures[spec.name] = values[0]!
  }
  return piece === undefined ? position : { ...position, piece }
}

describe.each(placing)('afterstates of $id', (game) => {
  const made = defaultGame(game)
  const { rules } = made.instance

  it(
    `equal what stepping gives, in ${STATES} states, and so do those of the position alone`,
    () => {
      const { session, envId, env } = makeRows(game, 16, { autoresetMode: 2 })
      const random = seeded(game.id)
      const seeds = Array.from({ length: 16 }, (_, row) => String(row - 3))
      HANDLERS.reset(session, { envId, seeds, episodes: [], options: {} })
      let placed = 0
      for (let seen = 0; seen < STATES; seen += 16) {
        const rows = afterstates(session, envId)
        for (const [row, entries] of rows.entries()) {
          const state = env.state(row)
          placed += entries.length
          for (const entry of entries) {
            const next = structuredClone(state)
            const reward = rules.step(next, entry.action)
            expect(entry.reward).toBe(reward)
            expect(entry.lines).toBe(outcome(made, next, 'lines') - outcome(made, state, 'lines'))
            expect(entry.board).toEqual(observe(made, next).get('board'))
          }
          const listed = new Set(entries.map(({ action }) => action))
          for (const action of legalActions(made, state)) {
            if (!listed.has(action)) expect(made.instance.placement?.(state, action)).toBeUndefined()
          }
          const [byPosition] = rowsOf(
            HANDLERS.afterstates(session, { rows: [], position: positionOf(made, state) }),
          )
          const filled = (entry: Entry) => ({ ...entry, board: entry.board.map((cell) => Math.min(cell, 1)) })
          expect(byPosition!.map(filled)).toEqual(entries.map(filled))
        }
        env.step(Int32Array.from(rows.keys(), (row) => pick(random, legalActions(made, env.state(row)))))
      }
      expect(placed).toBeGreaterThan(STATES)
    },
    TIMEOUT_MS,
  )

  it('are the same for two seeds that differ only in the future', () => {
    const seen = new Map<string, string>()
    let pair: [string, string] | undefined
    for (let seed = 0; pair === undefined; seed++) {
      const view = JSON.stringify([...observe(made, stateAfter(made, String(seed), []))])
      const twin = seen.get(view)
      if (
        twin !== undefined &&
        JSON.stringify(playRandomly(made, twin, 30)) !== JSON.stringify(playRandomly(made, String(seed), 30))
      )
        pair = [twin, String(seed)]
      seen.set(view, String(seed))
    }
    const { session, envId } = makeRows(game, 2)
    HANDLERS.reset(session, { envId, seeds: pair, episodes: [], options: {} })
    const [one, other] = afterstates(session, envId)
    expect(one!.length).toBeGreaterThan(0)
    expect(other).toEqual(one)
  })

  it('are none for a finished row, whatever its mask says, and come in the order of rows', () => {
    const { session, envId, env } = makeRows(game, 2)
    HANDLERS.reset(session, { envId, seeds: ['1', '2'], episodes: [], options: {} })
    const actions = playRandomly(made, '1', 100_000)
    env.resume(0, { seed: '1', episode: 0 }, actions)
    expect(env.isFinished(0)).toBe(true)
    const [first, second] = afterstates(session, envId)
    expect(first).toEqual([])
    expect(afterstates(session, envId, [1, 0, 1])).toEqual([second, [], second])
  })
})

describe('afterstates', () => {
  const game = placing[0]!
  const made = defaultGame(game)

  it('give rewards in the environment’s setting', () => {
    const { session, envId, env } = makeRows(game, 1, { reward: 'lines' })
    HANDLERS.reset(session, { envId, seeds: ['4'], episodes: [], options: {} })
    const found = new Set<number>()
    for (let i = 0; i < 3000 && found.size < 2; i++) {
      const entries = afterstates(session, envId)[0]!
      for (const entry of entries) {
        expect(entry.reward).toBe(entry.lines)
        found.add(entry.lines)
      }
      // The lowest stack first, so that rows get full.
      const height = ({ board }: Entry) => board.findIndex((cell) => cell !== 0)
      const best = entries.reduce((a, b) => (height(b) > height(a) ? b : a))
      env.step(Int32Array.of(best.action))
    }
    expect(found.size).toBeGreaterThan(1)
  })

  it('refuse what a game does not have, and requests that make no sense', () => {
    const { session, envId } = makeRows(game, 2)
    HANDLERS.reset(session, { envId, seeds: ['1', '2'], episodes: [], options: {} })
    const ask = (request: object) => thrownBy(() => HANDLERS.afterstates(session, { rows: [], ...request }))
    const position = positionOf(made, stateAfter(made, '1', []))
    expect(ask({})).toMatchObject({ reason: 'MISSING_FIELD' })
    expect(ask({ envId, position })).toMatchObject({ reason: 'CONFLICTING_FIELDS' })
    expect(ask({ position, rows: [0] })).toMatchObject({ reason: 'CONFLICTING_FIELDS' })
    expect(ask({ envId, rows: [2] })).toMatchObject({ reason: 'ROW_OUT_OF_RANGE' })
    expect(ask({ position: { ...position, gameId: undefined } })).toMatchObject({ reason: 'MISSING_FIELD' })
    expect(ask({ position: { ...position, gameId: 'Chess-v1' } })).toMatchObject({ reason: 'UNKNOWN_GAME' })
    expect(ask({ position: { ...position, board: undefined } })).toMatchObject({ reason: 'MISSING_FIELD' })
    for (const wrong of [
      { board: new Uint8Array(3) },
      { board: position.board.map(() => 9) },
      { piece: 8 },
      { piece: undefined },
      { tray: [1, 2, 3] },
      { figures: { luck: 1 } },
    ])
      expect(ask({ position: { ...position, ...wrong } }), JSON.stringify(wrong)).toMatchObject({
        code: 'INVALID_ARGUMENT',
        reason: 'BAD_POSITION',
      })
    for (const other of GAMES.filter((candidate) => !placing.includes(candidate))) {
      const { envId: without } = HANDLERS.makeEnv(session, {
        gameId: other.id,
        config: {},
        autoresetMode: 0,
        illegalAction: 0,
        wireEncoding: 0,
      })
      HANDLERS.reset(session, { envId: without, seed: '1', seeds: [], episodes: [], options: {} })
      const refused = { code: 'UNIMPLEMENTED', reason: 'NOT_IN_THIS_GAME' }
      expect(ask({ envId: without })).toMatchObject(refused)
      expect(ask({ position: { ...position, gameId: other.id } })).toMatchObject(refused)
    }
  })

  it('are refused before they are made when they would not fit into a message', () => {
    const session = new Session(createHost({ limits: { maxMessageBytes: 60_000 } }))
    const unset = { config: {}, autoresetMode: 0, illegalAction: 0, wireEncoding: 0 }
    const { envId } = HANDLERS.makeEnv(session, { ...unset, gameId: game.id, numEnvs: 20 })
    HANDLERS.reset(session, { envId, seed: '1', seeds: [], episodes: [], options: {} })
    expect(afterstates(session, envId, [3])[0]!.length).toBeGreaterThan(5)
    expect(thrownBy(() => HANDLERS.afterstates(session, { envId, rows: [] }))).toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'MESSAGE_TOO_LARGE',
    })
  })
})
