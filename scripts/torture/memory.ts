import { GAMES } from '../../src/games/registry.ts'
import { residentMib, until } from '../../test/faults/server.ts'
import { encodeRequest, GrpcSession, type JsonObject } from '../../test/transport/connect.ts'
import { HeapServer } from './heap-server.ts'
import type { Outcome, Row } from './row.ts'

const ROWS = 500
const SAMPLES = 10

/** Makes one environment of every game and gives the steps of all, as bytes to be sent again and again. */
async function openAll(session: GrpcSession): Promise<Uint8Array[]> {
  const steps: Uint8Array[] = []
  for (const { id } of GAMES) {
    const makeEnv = {
      gameId: id,
      numEnvs: ROWS,
      wireEncoding: 'WIRE_ENCODING_PACKED',
      autoresetMode: 'AUTORESET_MODE_SAME_STEP',
      maxEpisodeSteps: 200,
    }
    const made = (await session.send({ id: 'm', makeEnv })).makeEnv as JsonObject
    const numActions = (made.spec as JsonObject).numActions as number
    await session.send({ id: 'r', reset: { envId: made.envId!, seed: '1' } })
    for (let variant = 0; variant < 5; variant++) {
      const actions = Int32Array.from({ length: ROWS }, (_, row) => (row * 31 + variant * 17) % numActions)
      const packedActions = Buffer.from(actions.buffer).toString('base64')
      steps.push(encodeRequest({ id: 's', step: { envId: made.envId!, packedActions } }))
    }
  }
  return steps
}

/** The slope of a straight line through points, by least squares. */
function slope(points: readonly { x: number; y: number }[]): number {
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / points.length
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / points.length
  const up = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0)
  return up / points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0)
}

export const memory: Row = {
  what: 'memory',
  wanted: 'heap after collection flat over 10^7 steps (at most 0.05 byte a step), RSS growth at most 16 MiB',
  async run(scale): Promise<Outcome> {
    const server = await HeapServer.start()
    const session = new GrpcSession(server.address)
    const requests = await openAll(session)
    const total = scale.count(10_000_000, 500_000)
    const rounds = Math.ceil(total / (ROWS * requests.length * SAMPLES))
    const playRounds = async (count: number) => {
      for (let i = 0; i < count; i++) await Promise.all(requests.map((bytes) => session.sendBytes(bytes)))
    }
    await playRounds(Math.max(rounds, 20))
    await server.heap()
    const before = residentMib(server.child.pid!)
    const points = [{ x: 0, y: await server.heap() }]
    for (let sample = 1; sample <= SAMPLES; sample++) {
      await playRounds(rounds)
      points.push({ x: sample * rounds * ROWS * requests.length, y: await server.heap() })
    }
    const growth = residentMib(server.child.pid!) - before
    await session.close()
    await server.stop()
    const bytesPerStep = slope(points)
    const steps = points.at(-1)!.x
    // Over fewer steps the same noise of the heap makes a steeper slope.
    const allowed = scale.short ? 0.5 : 0.05
    return {
      ok: bytesPerStep <= allowed && growth <= 16,
      figure: `${steps.toExponential(1)} steps in 5 games: ${bytesPerStep.toFixed(4)} byte a step, heap ${(points[0]!.y / 2 ** 20).toFixed(1)} to ${(points.at(-1)!.y / 2 ** 20).toFixed(1)} MiB, RSS ${growth >= 0 ? '+' : ''}${growth.toFixed(1)} MiB`,
    }
  },
}

export const churn: Row = {
  what: 'churn',
  wanted:
    '5,000 environments made and closed, 500 cancelled streams: sessions 0, file descriptors and heap back',
  async run(scale): Promise<Outcome> {
    const server = await HeapServer.start()
    const [envs, streams] = [scale.count(5000, 500), scale.count(500, 50)]
    await makeAndClose(server, 100)
    await cancelStreams(server, 20)
    await until(async () => (await server.metric('blockloom_sessions')) === 0)
    const [heap, files] = [await server.heap(), await server.metric('process_open_fds')]
    await makeAndClose(server, envs)
    await cancelStreams(server, streams)
    await until(async () => (await server.metric('blockloom_sessions')) === 0)
    const left = { envs: await server.metric('blockloom_envs'), rows: await server.metric('blockloom_rows') }
    const [heapAfter, filesAfter] = [await server.heap(), await server.metric('process_open_fds')]
    await server.stop()
    const heapGrowth = (heapAfter - heap) / 2 ** 20
    return {
      ok: left.envs === 0 && left.rows === 0 && filesAfter <= files + 2 && heapGrowth < 2,
      figure: `${envs} environments, ${streams} cancelled streams: sessions 0, environments ${left.envs}, file descriptors ${files} to ${filesAfter}, heap ${heapGrowth >= 0 ? '+' : ''}${heapGrowth.toFixed(2)} MiB`,
    }
  },
}

async function makeAndClose(server: HeapServer, count: number): Promise<void> {
  const session = new GrpcSession(server.address)
  for (let i = 0; i < count; i++) {
    const gameId = GAMES[i % GAMES.length]!.id
    const made = (await session.send({ id: 'm', makeEnv: { gameId, numEnvs: 8 } })).makeEnv as JsonObject
    await session.send({ id: 'r', reset: { envId: made.envId!, seed: '1' } })
    await session.send({ id: 'c', closeEnv: { envId: made.envId! } })
  }
  await session.close()
}

async function cancelStreams(server: HeapServer, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const session = new GrpcSession(server.address)
    session.stream.on('error', () => undefined)
    const closed = new Promise((resolve) => session.stream.on('status', resolve))
    const gameId = GAMES[i % GAMES.length]!.id
    await session.send({ id: 'm', makeEnv: { gameId, numEnvs: 8 } })
    session.stream.cancel()
    await closed
    await session.close()
  }
}
