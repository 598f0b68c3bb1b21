import { describe, expect, it } from 'vitest'
import type { Game } from '../../src/env/game.ts'
import { GAMES } from '../../src/games/registry.ts'
import { answerLine } from '../../src/session/exchange.ts'
import { createHost } from '../../src/session/host.ts'
import { Session } from '../../src/session/session.ts'
import { ladder } from '../env/ladder-game.ts'
import { defaultGame, playRandomly } from '../replay/random-play.ts'
import type { JsonObject } from '../transport/connect.ts'

const DISABLED = 'AUTORESET_MODE_DISABLED'
const games = [...GAMES, ladder]

function open(options: { allowLiveReplay?: boolean; games?: readonly Game[] } = {}) {
  const session = new Session({ ...createHost(options), games: options.games ?? games })
  const send = (request: object) =>
    JSON.parse(answerLine(session, Buffer.from(JSON.stringify({ id: '1', ...request })))) as JsonObject
  return {
    send,
    call(name: string, fields: object): JsonObject {
      const reply = send({ [name]: fields })
      if (!(name in reply)) throw new Error(JSON.stringify(reply))
      return reply[name] as JsonObject
    },
    error: (name: string, fields: object) => send({ [name]: fields }).error as JsonObject,
  }
}

/** Plays the whole random game of a seed, and returns the environment, its last batch and the actions. */
function playOut(client: ReturnType<typeof open>, game: Game, seed: string, settings: object) {
  const actions = playRandomly(defaultGame(game), seed, 100_000)
  const { envId } = client.call('makeEnv', { gameId: game.id, record: true, ...settings })
  let reply = client.call('reset', { envId, seed })
  for (const action of actions) reply = client.call('step', { envId, actions: [action] })
  return { envId, batch: reply.batch as JsonObject, actions }
}

const withoutStep = ({ rewards: _, finished: __, finalActionMasks: ___, ...rest }: JsonObject) => rest

describe.each(games)('replays of $id', (game) => {
  it.each([DISABLED, 'AUTORESET_MODE_NEXT_STEP', 'AUTORESET_MODE_SAME_STEP'])(
    'are saved at the end, verify, and load to the same batch at every ply: %s',
    (autoresetMode) => {
      const client = open()
      const { envId, batch, actions } = playOut(client, game, '12', { autoresetMode })
      const { replayJson } = client.call('saveReplay', { envId })
      expect(client.call('verifyReplay', { replayJson })).toMatchObject({ ok: true, reason: '' })
      const loaded = client.call('loadReplay', { replayJson, autoresetMode })
      if (autoresetMode !== 'AUTORESET_MODE_SAME_STEP')
        expect(withoutStep(loaded.batch as JsonObject)).toEqual(withoutStep(batch))
      expect(client.call('saveReplay', { envId: loaded.envId }).replayJson).toBe(replayJson)
      const ply = actions.length >> 1
      const middle = client.call('loadReplay', { replayJson, ply, wireEncoding: 'WIRE_ENCODING_PACKED' })
      const again = client.call('makeEnv', {
        gameId: game.id,
        wireEncoding: 'WIRE_ENCODING_PACKED',
        autoresetMode: DISABLED,
      })
      let fresh = client.call('reset', { envId: again.envId, seed: '12' })
      for (const action of actions.slice(0, ply))
        fresh = client.call('step', { envId: again.envId, actions: [action] })
      expect(withoutStep(middle.batch as JsonObject)).toEqual(withoutStep(fresh.batch as JsonObject))
      for (const action of actions.slice(ply)) {
        const step = { actions: [action] }
        expect(client.call('step', { envId: middle.envId, ...step })).toEqual(
          client.call('step', { envId: again.envId, ...step }),
        )
      }
      expect(client.call('saveReplay', { envId: middle.envId }).replayJson).toBe(replayJson)
    },
  )
})

describe('saving', () => {
  const START = { gameId: ladder.id, record: true, autoresetMode: DISABLED }

  it('needs record, a finished or closed episode, and for a live one the server’s leave', () => {
    const client = open()
    const silent = client.call('makeEnv', { ...START, record: false }).envId
    client.call('reset', { envId: silent, seed: '1' })
    expect(client.error('saveReplay', { envId: silent })).toMatchObject({ reason: 'NOT_RECORDING' })
    const { envId } = client.call('makeEnv', START)
    expect(client.error('saveReplay', { envId })).toMatchObject({ reason: 'RESET_REQUIRED' })
    client.call('reset', { envId, seed: '1' })
    client.call('step', { envId, actions: [0] })
    expect(client.error('saveReplay', { envId })).toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'NO_FINISHED_EPISODE',
    })
    expect(client.error('saveReplay', { envId, live: true })).toMatchObject({
      reason: 'LIVE_REPLAY_NOT_ALLOWED',
    })
    client.call('reset', { envId, seed: '2' })
    const closed = JSON.parse(client.call('saveReplay', { envId }).replayJson as string) as JsonObject
    expect(closed).toMatchObject({ seed: 1, actions: ['up'], final: { moves: 1, terminal: false } })
  })

  it('gives a live episode where the server allows it, leaving refused actions out', () => {
    const client = open({ allowLiveReplay: true })
    const { envId } = client.call('makeEnv', START)
    client.call('reset', { envId, seed: '1' })
    client.call('step', { envId, actions: [3] })
    client.call('play', { envId, actionJson: '"up"' })
    const { replayJson } = client.call('saveReplay', { envId, live: true })
    expect(JSON.parse(replayJson as string)).toMatchObject({ actions: ['up'] })
    expect(client.call('verifyReplay', { replayJson })).toMatchObject({ ok: true })
  })

  it('keeps the seed of a later episode, and the date of a game of the day', () => {
    const client = open()
    const { envId } = client.call('makeEnv', {
      ...START,
      maxEpisodeSteps: 1,
      autoresetMode: 'AUTORESET_MODE_SAME_STEP',
    })
    client.call('reset', { envId, seed: '1' })
    for (let i = 0; i < 3; i++) client.call('step', { envId, actions: [0] })
    const { replayJson } = client.call('saveReplay', { envId })
    expect(client.call('verifyReplay', { replayJson }).ok).toBe(true)
    const daily = games.find((game) => defaultGame(game).instance.resetOptions)!
    const made = client.call('makeEnv', { gameId: daily.id, record: true }).envId
    client.call('reset', { envId: made, options: { daily: '2026-01-31' } })
    client.call('reset', { envId: made })
    const replay = client.call('saveReplay', { envId: made }).replayJson as string
    expect(replay).toContain('"daily":"2026-01-31"')
    expect(client.call('verifyReplay', { replayJson: replay }).ok).toBe(true)
    client.call('reset', { envId: made, seed: '3' })
    expect(client.call('saveReplay', { envId: made }).replayJson).not.toContain('daily')
  })
})

describe('loading', () => {
  const replayJson =
    '{"schema_version":1,"rules_version":"ladder-v1","seed":123456789,"config":{},"actions":["up","never"]}'

  it('refuses a bad replay with its reason and ply, never its seed, and makes nothing', () => {
    const client = open()
    const error = client.error('loadReplay', { replayJson })
    expect(error).toMatchObject({
      code: 'INVALID_ARGUMENT',
      reason: 'BAD_REPLAY',
      metadata: { reason: 'illegal_action', ply: '1' },
    })
    expect(JSON.stringify(error)).not.toContain('123456789')
    expect(client.call('verifyReplay', { replayJson })).toEqual({
      ok: false,
      reason: 'illegal_action',
      message: 'The action at index 1 is refused: never: This is never legal.',
      ply: 1,
      finalJson: '',
    })
    for (const name of ['loadReplay', 'verifyReplay'])
      expect(client.error(name, {})).toMatchObject({ reason: 'MISSING_FIELD' })
  })

  it('tells what the summary should be', () => {
    const lie = replayJson.replace('"up","never"]', '"up"],"final":{"score":9,"moves":1,"terminal":false}')
    expect(open().call('verifyReplay', { replayJson: lie })).toMatchObject({
      ok: false,
      reason: 'summary_mismatch',
      finalJson: '{"score":1,"moves":1,"terminal":false}',
    })
  })

  it('refuses a ply outside the replay', () => {
    const good = replayJson.replace(',"never"', '')
    for (const ply of [-1, 2])
      expect(open().error('loadReplay', { replayJson: good, ply })).toMatchObject({ reason: 'BAD_FIELD' })
  })

  it('counts the replayed actions in the length and the return', () => {
    const client = open()
    const top = replayJson.replace('"up","never"', '"up2","up2"')
    const { envId } = client.call('loadReplay', { replayJson: top })
    let finished: readonly unknown[] = []
    let steps = 2
    while (finished.length === 0) {
      const reply = client.call('step', { envId, actions: [0] })
      finished = (reply.batch as JsonObject).finished as readonly unknown[]
      steps++
    }
    const score = steps + 2
    expect(finished).toEqual([{ row: 0, return: score, length: steps, outcomes: [score, steps] }])
  })
})
