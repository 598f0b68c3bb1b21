import { describe, expect, it } from 'vitest'
import { GAMES } from '../../src/games/registry.ts'
import { answerLine } from '../../src/session/exchange.ts'
import { createHost } from '../../src/session/host.ts'
import { type Limits, Session } from '../../src/session/session.ts'
import type { JsonObject } from '../transport/connect.ts'

const gameId = GAMES[0]!.id

function open(limits: Partial<Limits>) {
  const host = createHost({ limits })
  const session = new Session(host)
  const send = (request: object) =>
    JSON.parse(answerLine(session, Buffer.from(JSON.stringify({ id: '1', ...request })))) as JsonObject
  return { host, session, send }
}

/** A session with the smallest limit of a message at which the environment is still made. */
function openWithLeastRoom(makeEnv: object) {
  let [refused, made] = [0, 10_000_000]
  while (made - refused > 1) {
    const middle = (refused + made) >> 1
    const reply = open({ maxMessageBytes: middle }).send({ makeEnv })
    if (reply.makeEnv === undefined) refused = middle
    else made = middle
  }
  const opened = open({ maxMessageBytes: made })
  const { envId } = opened.send({ makeEnv }).makeEnv as { envId: string }
  return { ...opened, envId }
}

describe('limits', () => {
  it('refuses more environments than a session may have, and counts closed ones out', () => {
    const { host, send, session } = open({ maxEnvsPerSession: 2 })
    const ids = [0, 1].map(() => (send({ makeEnv: { gameId } }).makeEnv as JsonObject).envId)
    expect(send({ makeEnv: { gameId } }).error).toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'TOO_MANY_ENVS',
    })
    expect(host.open).toEqual({ sessions: 1, envs: 2, rows: 2 })
    send({ closeEnv: { envId: ids[0]! } })
    expect(send({ makeEnv: { gameId } }).makeEnv).toBeDefined()
    session.close()
    session.close()
    expect(host.open).toEqual({ sessions: 0, envs: 0, rows: 0 })
  })

  it('refuses more environments and sessions than the process may have', () => {
    const { host, send } = open({ maxEnvs: 1, maxSessions: 1 })
    send({ makeEnv: { gameId } })
    expect(send({ makeEnv: { gameId } }).error).toMatchObject({ reason: 'TOO_MANY_ENVS' })
    expect(() => new Session(host)).toThrow(/1 sessions at once/)
    expect(host.open).toEqual({ sessions: 1, envs: 1, rows: 1 })
  })

  it('refuses an environment whose batches would not fit into a message', () => {
    const { host, send } = open({ maxMessageBytes: 100_000 })
    const reply = send({ makeEnv: { gameId, numEnvs: 65536 } })
    expect(reply.error).toMatchObject({ code: 'RESOURCE_EXHAUSTED', reason: 'MESSAGE_TOO_LARGE' })
    expect(host.open.envs).toBe(0)
  })

  it.each(GAMES.map(({ id }) => id))(
    'lets in no environment of %s whose batches might not fit, so that no step is played and then not told',
    (id) => {
      for (const [illegalAction, autoresetMode] of [
        ['ILLEGAL_ACTION_REFUSE', 'AUTORESET_MODE_NEXT_STEP'],
        ['ILLEGAL_ACTION_TERMINATE', 'AUTORESET_MODE_SAME_STEP'],
      ]) {
        for (const wireEncoding of ['WIRE_ENCODING_DENSE', 'WIRE_ENCODING_PACKED']) {
          const makeEnv = { gameId: id, numEnvs: 100, illegalAction, autoresetMode, wireEncoding }
          const { send, envId } = openWithLeastRoom(makeEnv)
          expect(send({ reset: { envId, seed: '1' } })).toHaveProperty('reset')
          for (let action = 0; action < 60; action++) {
            expect(send({ step: { envId, actions: new Array(100).fill(action % 7) } })).toHaveProperty('step')
          }
        }
      }
    },
  )

  it('refuses an answer that would not fit into a message', () => {
    const { send } = open({ maxMessageBytes: 12_000 })
    const { envId } = send({ makeEnv: { gameId, numEnvs: 8 } }).makeEnv as JsonObject
    expect(send({ reset: { envId, seed: '1' } }).reset).toBeDefined()
    const reply = send({ getActionMask: { envId } })
    expect(reply.error).toMatchObject({ code: 'RESOURCE_EXHAUSTED', reason: 'MESSAGE_TOO_LARGE' })
  })

  it('frees idle environments only', () => {
    let now = 0
    const host = { ...createHost(), nowMs: () => now }
    const session = new Session(host)
    const send = (request: object) =>
      JSON.parse(answerLine(session, Buffer.from(JSON.stringify({ id: '1', ...request })))) as JsonObject
    const [idle, used] = [0, 1].map(() => (send({ makeEnv: { gameId } }).makeEnv as JsonObject).envId)
    now = 1000
    send({ reset: { envId: used!, seed: '1' } })
    session.removeIdle(1000)
    expect(send({ render: { envId: used! } }).render).toBeDefined()
    expect(send({ render: { envId: idle! } }).error).toMatchObject({ reason: 'UNKNOWN_ENV' })
    expect(host.open.envs).toBe(1)
  })
})
