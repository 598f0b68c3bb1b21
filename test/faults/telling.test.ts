import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GAMES } from '../../src/games/registry.ts'
import { GrpcSession, type JsonObject, StdioSession, type TestSession } from '../transport/connect.ts'
import { CANARY, spoiled, tracesIn } from './canary.ts'
import { startWatched, type WatchedServer } from './server.ts'

function expectSilent(text: string, where: string): void {
  expect(tracesIn(text), `${where}: ${text.slice(0, 300)}`).toEqual([])
}

/** Plays and asks everything, refusals included, with the canary as the seed. */
async function playCanary(session: TestSession, gameId: string, steps: number): Promise<void> {
  const send = async (request: JsonObject) => {
    const reply = await session.send({ id: 'x', ...request })
    expectSilent(JSON.stringify(reply), gameId)
    return reply
  }
  const makeEnv = {
    gameId,
    numEnvs: 3,
    record: true,
    autoresetMode: 'AUTORESET_MODE_SAME_STEP',
    maxEpisodeSteps: 20,
  }
  const { envId } = (await send({ makeEnv })).makeEnv as { envId: string }
  await send({ reset: { envId, seed: CANARY } })
  for (let i = 0; i < steps; i++) await send({ step: { envId, actions: [i % 7, (i * 3) % 7, (i * 5) % 7] } })
  const asks: JsonObject[] = [
    { reset: { envId, seeds: [CANARY] } },
    { reset: { envId, seed: `${CANARY}.5` } },
    { reset: { envId, seed: `0${CANARY}` } },
    { reset: { envId, seeds: [CANARY, `+${CANARY}`, '1'] } },
    { reset: { envId, seed: CANARY, seeds: [CANARY] } },
    { reset: { envId, seed: CANARY, options: { daily: CANARY.slice(0, 3) } } },
    { getActionMask: { envId } },
    { explain: { envId } },
    { render: { envId } },
    { play: { envId, actionJson: '{"type":"nothing"}' } },
    { afterstates: { envId } },
    { listGames: {} },
  ]
  for (const ask of asks) await send(ask)
  await spoilReplays(session, gameId, send)
}

/** Has a true replay of the canary, which holds the seed as it should, and shows it with every part made wrong. */
async function spoilReplays(
  session: TestSession,
  gameId: string,
  send: (request: JsonObject) => Promise<JsonObject>,
): Promise<void> {
  const makeEnv = { gameId, record: true, autoresetMode: 'AUTORESET_MODE_DISABLED' }
  const { envId } = (await send({ makeEnv })).makeEnv as { envId: string }
  await send({ reset: { envId, seed: CANARY } })
  for (let i = 0; i < 3; i++) {
    const { masks } = (await send({ getActionMask: { envId } })).getActionMask as {
      masks: { mask: string }[]
    }
    await send({ step: { envId, actions: [Buffer.from(masks[0]!.mask, 'base64').indexOf(1)] } })
  }
  for (const refused of [{}, { live: true }, { row: 1 }]) {
    expect(await send({ saveReplay: { envId, ...refused } })).toHaveProperty('error')
  }
  await send({ reset: { envId, seed: CANARY } })
  const saved = (await session.send({ id: 's', saveReplay: { envId } })).saveReplay as { replayJson: string }
  expect(tracesIn(saved.replayJson)).toContain(CANARY)
  for (const replayJson of spoiled(saved.replayJson)) {
    expect((await send({ verifyReplay: { replayJson } })).verifyReplay).toMatchObject({ ok: false })
    expect(await send({ loadReplay: { replayJson } })).toHaveProperty('error')
  }
  expect(await send({ loadReplay: { ...saved, ply: 99 } })).toHaveProperty('error')
  expect((await send({ verifyReplay: saved })).verifyReplay).toMatchObject({ ok: true })
  expect(await send({ loadReplay: saved })).toHaveProperty('loadReplay')
}

it('what looks for the seed finds it as text, as base64 and as 8 bytes of either order', () => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(CANARY))
  const reversed = Buffer.from(bytes).reverse()
  for (const told of [bytes, reversed]) {
    expect(tracesIn(Buffer.concat([Buffer.from('ab'), told]).toString('latin1')).length).toBe(1)
    expect(tracesIn(`{"x":"${Buffer.concat([Buffer.from('abcd'), told]).toString('base64')}"}`).length).toBe(
      1,
    )
  }
  expect(tracesIn(`seed ${CANARY}`)).toContain(CANARY)
  expect(tracesIn('{"id":"x","x":"AAAAAAAAAAAAAAAAAAAA"}')).toEqual([])
})

describe('what a server tells', () => {
  let server: WatchedServer

  beforeAll(async () => {
    server = await startWatched(['--log-level', 'debug'])
  })
  afterAll(() => server.stop())

  it.each(GAMES.map(({ id }) => id))(
    'is never a seed or what follows from it: %s over gRPC',
    async (gameId) => {
      const session = new GrpcSession(server.address)
      await playCanary(session, gameId, 60)
      await session.close()
      expectSilent(JSON.stringify(server.log), 'the log')
      expectSilent(await server.metricsPage(), 'the metrics')
    },
  )

  it('is never a seed or what follows from it: stdio and its log', async () => {
    const session = new StdioSession(['--log-level', 'debug'])
    let errors = ''
    session.child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    for (const { id } of GAMES) await playCanary(session, id, 60)
    await session.close()
    expect(errors).toContain('BAD_SEED')
    expectSilent(errors, 'the log')
  })

  it('is in structured lines, with levels, and in metrics that count', async () => {
    const session = new GrpcSession(server.address)
    const { envId } = (await session.send({ id: '1', makeEnv: { gameId: GAMES[0]!.id, numEnvs: 5 } }))
      .makeEnv as {
      envId: string
    }
    const before = {
      steps: await server.metric('blockloom_steps_total'),
      calls: await server.metric('blockloom_request_seconds_count{call="step"}'),
      refused: await server.metric('blockloom_refusals_total{reason="ACTIONS_MISMATCH"}'),
    }
    await session.send({ id: '2', reset: { envId, seed: '1' } })
    for (let i = 0; i < 4; i++) await session.send({ id: '3', step: { envId, actions: [0, 1, 2, 3, 4] } })
    await session.send({ id: '4', step: { envId, actions: [0] } })
    expect(await server.metric('blockloom_steps_total')).toBe(before.steps + 20)
    expect(await server.metric('blockloom_request_seconds_count{call="step"}')).toBe(before.calls + 4)
    expect(await server.metric('blockloom_refusals_total{reason="ACTIONS_MISMATCH"}')).toBe(
      before.refused + 1,
    )
    const page = await server.metricsPage()
    expect(page).toMatch(/blockloom_request_seconds_bucket\{le="0.001",call="step"\} \d+/)
    expect(await server.metric('blockloom_sessions')).toBe(1)
    for (const entry of server.log) {
      expect(entry).toMatchObject({
        level: expect.any(String),
        time: expect.any(String),
        msg: expect.any(String),
      })
    }
    expect(server.log).toContainEqual(expect.objectContaining({ level: 'debug', reason: 'ACTIONS_MISMATCH' }))
    await session.close()
  })

  it.each(['ILLEGAL_ACTION_REFUSE', 'ILLEGAL_ACTION_TERMINATE'])(
    'counts the actions that it did not play, by the game’s reason, and what Play plays: %s',
    async (illegalAction) => {
      const session = new GrpcSession(server.address)
      const makeEnv = { gameId: 'BlockPuzzle8-v1', numEnvs: 2, illegalAction }
      const { envId } = (await session.send({ id: '1', makeEnv })).makeEnv as { envId: string }
      await session.send({ id: '2', reset: { envId, seed: '1' } })
      const { explain } = (await session.send({ id: '3', explain: { envId } })) as unknown as {
        explain: { explanations: { action: number; legal: boolean; reason: string }[] }
      }
      const { action, reason } = explain.explanations.find(({ legal }) => !legal)!
      const name = `blockloom_refusals_total{reason="${reason}"}`
      const before = [await server.metric(name), await server.metric('blockloom_steps_total')]
      const played = (await session.send({ id: '4', play: { envId, actionJson: 'null' } })).play as JsonObject
      const legal = (played.legalActions as string[])[0]!
      expect((await session.send({ id: '5', play: { envId, actionJson: legal } })).play).toMatchObject({
        ok: true,
      })
      const step = (await session.send({ id: '6', step: { envId, actions: [action, action] } })).step as {
        batch: { refusals: { reason: string }[] }
      }
      const told = step.batch.refusals.filter((refusal) => refusal.reason === reason).length
      expect(told).toBeGreaterThan(0)
      expect(await server.metric(name)).toBe(before[0]! + told)
      expect(await server.metric('blockloom_steps_total')).toBe(before[1]! + 3)
      expect(await server.metric(`blockloom_refusals_total{reason="${played.reason}"}`)).toBeGreaterThan(0)
      await session.close()
    },
  )

  it('is nothing below the level asked for', async () => {
    const quiet = await startWatched(['--log-level', 'info'])
    const session = new GrpcSession(quiet.address)
    await session.send({ id: '1', step: {} })
    await session.close()
    await quiet.stop()
    expect(quiet.log.map(({ level, msg }) => [level, msg])).toEqual([
      ['info', 'serving'],
      ['info', 'stopping'],
      ['info', 'stopped'],
    ])
  })
})

it('two games with equal first seven pieces look alike until the next piece can be seen', async () => {
  const batches: JsonObject[][] = []
  for (const seed of ['95', '115']) {
    const session = new StdioSession()
    const { envId } = (await session.send({ id: '1', makeEnv: { gameId: 'Stackcraft-v1' } })).makeEnv as {
      envId: string
    }
    const replies = [await session.send({ id: '2', reset: { envId, seed } })]
    // Pieces 0 and 1 are in sight at first; after six steps piece 7 is the next one.
    for (let step = 1; step <= 6; step++) {
      const ask = await session.send({ id: '3', getActionMask: { envId } })
      replies.push(ask, await session.send({ id: '4', step: { envId, actions: [step] } }))
    }
    batches.push(replies)
    await session.close()
  }
  const [first, second] = batches as [JsonObject[], JsonObject[]]
  expect(first.slice(0, -1)).toEqual(second.slice(0, -1))
  expect(first.at(-1)).not.toEqual(second.at(-1))
})
