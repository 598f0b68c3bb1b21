import { describe, expect, it } from 'vitest'
import type { Game } from '../../src/env/game.ts'
import { episodeSeed } from '../../src/env/seeds.ts'
import type { VectorEnv } from '../../src/env/vector-env.ts'
import { GAMES } from '../../src/games/registry.ts'
import { HANDLERS } from '../../src/session/handlers.ts'
import { createHost } from '../../src/session/host.ts'
import { Session } from '../../src/session/session.ts'
import { defaultGame, playRandomly } from '../replay/random-play.ts'

const FULL = process.env.BLOCKLOOM_FULL === '1'
const STATES = FULL ? 5000 : 50
const TIMEOUT_MS = FULL ? 3_600_000 : 120_000
const PLIES_AN_EPISODE = 10
const NEXT_STEP = 1
const DISABLED = 3
const TERMINATE = 3

/** Positions from many episodes, spread over each from its start to its end. */
function* positions(game: Game) {
  for (let n = 0, episode = 0; n < STATES; episode++) {
    const seed = episodeSeed('7', episode + 1)
    const actions = playRandomly(defaultGame(game), seed, 300)
    const plies = new Set(
      Array.from({ length: PLIES_AN_EPISODE }, (_, i) =>
        Math.round((i * actions.length) / (PLIES_AN_EPISODE - 1)),
      ),
    )
    for (const ply of plies) {
      if (n++ === STATES) return
      yield { seed, actions: actions.slice(0, ply) }
    }
  }
}

/** All that a row shows. */
function view({ batch }: VectorEnv): string {
  const bytes = [...batch.observations, batch.actionMasks].map((array) =>
    Buffer.from(array).toString('base64'),
  )
  return [...bytes, batch.terminations[0], batch.outcomes.join(' ')].join('|')
}

/** One environment of one row that can be put into any position. */
function openEnv(game: Game) {
  const session = new Session(createHost())
  const { envId } = HANDLERS.makeEnv(session, {
    gameId: game.id,
    config: {},
    autoresetMode: DISABLED,
    illegalAction: 0,
    wireEncoding: 0,
  })
  const { env } = session.get(envId)
  return {
    env,
    stand: ({ seed, actions }: { seed: string; actions: readonly number[] }) =>
      env.resume(0, { seed, episode: 0 }, actions),
    explain: () => HANDLERS.explain(session, { envId, actions: [] }).explanations,
    play: (action: number) =>
      HANDLERS.play(session, { envId, actionJson: JSON.stringify(env.instance.native.toNative(action)) }),
    mask: () => HANDLERS.getActionMask(session, { envId, rows: [] }).masks[0]!,
  }
}

describe.each(GAMES)('every action of $id', (game) => {
  it(
    `is told the same by the mask, Explain, Play and a step that refuses: ${STATES} positions`,
    () => {
      const client = openEnv(game)
      const { env } = client
      const { numActions } = env.instance
      const reasons = new Map<string, number>()
      for (const position of positions(game)) {
        client.stand(position)
        const before = view(env)
        const mask = Uint8Array.from(env.batch.actionMasks)
        const explanations = client.explain()
        expect(client.mask().mask).toEqual(mask)
        expect(explanations.map(({ legal }) => (legal ? 1 : 0))).toEqual([...mask])
        for (let action = 0; action < numActions; action++) {
          const { legal, reason, message } = explanations[action]!
          reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
          const played = client.play(action)
          const agreed = played.ok === legal && played.reason === reason && played.message === message
          if (!agreed) expect.fail(`Play says ${played.reason} of ${action}, Explain ${reason}`)
          if (!legal) {
            if (reason === '' || message === '') expect.fail(`action ${action} is refused without a reason`)
            if (!env.isFinished(0)) {
              env.step(Int32Array.of(action))
              expect(env.batch.refusals).toEqual([{ row: 0, action, reason }])
            }
            if (view(env) !== before) expect.fail(`the refused action ${action} changed something`)
            continue
          }
          const byPlay = view(env)
          client.stand(position)
          env.step(Int32Array.of(action))
          if (env.batch.refusals.length > 0) expect.fail(`step refuses the legal action ${action}`)
          if (view(env) !== byPlay) expect.fail(`action ${action} leads elsewhere by Play than by a step`)
          client.stand(position)
        }
      }
      expect(reasons.get('')).toBeGreaterThan(STATES)
      expect(reasons.size).toBeGreaterThan(3)
    },
    TIMEOUT_MS,
  )
})

describe.each(GAMES)('a finished episode of $id', (game) => {
  it.each([
    ['the time limit', 1, 0],
    ['an illegal action', 0, TERMINATE],
  ])('that %s ended is over for every action, first of all', (_, maxEpisodeSteps, illegalAction) => {
    for (const autoresetMode of [NEXT_STEP, DISABLED]) {
      const session = new Session(createHost())
      const settings = {
        gameId: game.id,
        config: {},
        wireEncoding: 0,
        autoresetMode,
        maxEpisodeSteps,
        illegalAction,
      }
      const { envId } = HANDLERS.makeEnv(session, settings)
      const { env, instance } = session.get(envId)
      env.reset([{ seed: '7', episode: 0 }])
      const mask = Array.from(env.batch.actionMasks)
      env.step(Int32Array.of(mask.indexOf(illegalAction === TERMINATE ? 0 : 1)))
      expect(env.isFinished(0)).toBe(true)
      const { explanations } = HANDLERS.explain(session, { envId, actions: [] })
      const reasons = new Set(explanations.map(({ reason }) => reason))
      expect([...reasons]).toEqual([autoresetMode === NEXT_STEP ? '' : 'episode_over'])
      for (let action = 0; action < instance.numActions; action++) {
        const actionJson = JSON.stringify(instance.native.toNative(action))
        const played = HANDLERS.play(session, { envId, actionJson })
        expect(played).toMatchObject({ ok: false, reason: 'episode_over', gameOver: true, legalActions: [] })
      }
    }
  })
})

it('a bad direction after the end is told after the end, and an unknown action before it', () => {
  const session = new Session(createHost())
  const { envId } = HANDLERS.makeEnv(session, {
    gameId: 'Hourloom-v1',
    config: {},
    wireEncoding: 0,
    autoresetMode: DISABLED,
    maxEpisodeSteps: 1,
    illegalAction: 0,
  })
  session.get(envId).env.reset([{ seed: '7', episode: 0 }])
  const play = (action: object) =>
    HANDLERS.play(session, { envId, actionJson: JSON.stringify(action) }).reason
  expect(play({ type: 'MOVE', dir: 'X' })).toBe('bad_direction')
  session.get(envId).env.step(Int32Array.of(4))
  expect(play({ type: 'MOVE', dir: 'X' })).toBe('episode_over')
  expect(play({ type: 'MOVE' })).toBe('unknown_action')
})
