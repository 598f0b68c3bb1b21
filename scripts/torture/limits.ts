import { connect } from 'node:http2'
import { SERVICE_NAME } from '../../src/session/contract.ts'
import { residentMib, startWatched, until } from '../../test/faults/server.ts'
import { GrpcSession, type JsonObject } from '../../test/transport/connect.ts'
import type { Outcome, Row } from './row.ts'

const GAME = 'BlockPuzzle10-v1'

/** One limit: how it is set, and how requests over it are made; `attack` gives how many were not refused so. */
interface Case {
  readonly limit: string
  readonly flags: readonly string[]
  attack(address: string, count: number): Promise<number>
}

const make = (numEnvs: number): JsonObject => ({ makeEnv: { gameId: GAME, numEnvs } })

/** Makes environments that are allowed, then sends one request that is not, again and again. */
function overSession(reason: string, allowed: readonly JsonObject[], refused: JsonObject): Case['attack'] {
  return async (address, count) => {
    const session = new GrpcSession(address)
    for (const request of allowed) {
      const reply = await session.send({ id: 'x', ...request })
      if (reply.error !== undefined) throw new Error(`refused too early: ${JSON.stringify(reply.error)}`)
    }
    let others = 0
    for (let i = 0; i < count; i++) {
      const { error } = (await session.send({ id: 'x', ...refused })) as { error?: JsonObject }
      if (error?.reason !== reason) others++
    }
    await session.close()
    return others
  }
}

const CASES: readonly Case[] = [
  { limit: 'sessions', flags: ['--max-sessions', '2'], attack: sessionsRefused },
  {
    limit: 'environments of a session',
    flags: ['--max-session-envs', '2'],
    attack: overSession('TOO_MANY_ENVS', [make(1), make(1)], make(1)),
  },
  {
    limit: 'environments in all',
    flags: ['--max-envs', '2'],
    attack: overSession('TOO_MANY_ENVS', [make(1), make(1)], make(1)),
  },
  {
    limit: 'rows of an environment',
    flags: ['--max-env-rows', '5000'],
    attack: overSession('TOO_MANY_ROWS', [make(5000)], make(5001)),
  },
  {
    limit: 'rows in all',
    flags: ['--max-rows', '8000'],
    attack: overSession('TOO_MANY_ROWS', [make(4000)], make(4001)),
  },
  {
    limit: 'size of an answer',
    flags: ['--max-message-bytes', '1000000'],
    attack: overSession('MESSAGE_TOO_LARGE', [make(500)], make(50_000)),
  },
  { limit: 'size of a message', flags: ['--max-message-bytes', '100000'], attack: oversizeRefused },
  { limit: 'calls under way', flags: ['--max-in-flight', '8'], attack: callsRefused },
]

export const limits: Row = {
  what: 'limits',
  wanted: '1,000 requests over each limit refused without allocating',
  async run(scale): Promise<Outcome> {
    const count = scale.count(1000, 150)
    const misses: string[] = []
    let most = 0
    for (const { limit, flags, attack } of CASES) {
      const server = await startWatched(flags)
      await attack(server.address, 50)
      await until(async () => (await server.metric('blockloom_sessions')) === 0)
      const before = residentMib(server.child.pid!)
      const others = await attack(server.address, count)
      const growth = residentMib(server.child.pid!) - before
      most = Math.max(most, growth)
      if (others > 0) misses.push(`${limit}: ${others} not refused so`)
      if (growth > 32) misses.push(`${limit}: RSS +${growth.toFixed(1)} MiB`)
      if ((await server.stop()) !== 0) misses.push(`${limit}: the server crashed`)
    }
    return {
      ok: misses.length === 0,
      figure: `${count} over each of ${CASES.length} limits, RSS at most +${most.toFixed(1)} MiB: ${misses.length === 0 ? 'all refused' : misses.join('; ')}`,
    }
  },
}

/** Fills the sessions up and asks for more; the status of each has to be RESOURCE_EXHAUSTED. */
async function sessionsRefused(address: string, count: number): Promise<number> {
  const full = [new GrpcSession(address), new GrpcSession(address)]
  for (const session of full) await session.send({ id: 'l', listGames: {} })
  const others = await countOthers(address, count, 'Session', Buffer.alloc(0))
  for (const session of full) await session.close()
  return others
}

function oversizeRefused(address: string, count: number): Promise<number> {
  // The frame says how long it is: more than the limit. None of it has to come for the refusal.
  return countOthers(address, count, 'Step', Buffer.from([0, 0, 7, 0, 0, 1, 2, 3]))
}

async function callsRefused(address: string, count: number): Promise<number> {
  const client = connect(`http://${address}`)
  const open = Array.from({ length: 8 }, () => client.request(headersOf('ListGames')))
  for (const call of open) call.on('error', () => undefined)
  await until(async () => (await statusOf(client, 'ListGames', undefined)) === '8')
  client.setMaxListeners(0)
  let others = 0
  for (let i = 0; i < count; i++) if ((await statusOf(client, 'ListGames', undefined)) !== '8') others++
  client.destroy()
  return others
}

async function countOthers(address: string, count: number, method: string, body: Buffer): Promise<number> {
  const client = connect(`http://${address}`)
  let others = 0
  for (let i = 0; i < count; i++) if ((await statusOf(client, method, body)) !== '8') others++
  client.destroy()
  return others
}

function headersOf(method: string) {
  return {
    ':method': 'POST',
    ':path': `/${SERVICE_NAME}/${method}`,
    'content-type': 'application/grpc',
    te: 'trailers',
  }
}

/** The gRPC status of one call; `body` undefined sends none and waits 200 ms. */
function statusOf(
  client: ReturnType<typeof connect>,
  method: string,
  body: Buffer | undefined,
): Promise<string> {
  return new Promise((resolve) => {
    const call = client.request(headersOf(method))
    const finish = (status: string) => {
      call.close()
      resolve(status)
    }
    const timer = setTimeout(() => finish('none'), body === undefined ? 200 : 5000)
    const look = (headers: { [name: string]: unknown }) => {
      if (headers['grpc-status'] === undefined) return
      clearTimeout(timer)
      finish(String(headers['grpc-status']))
    }
    call.on('error', () => undefined)
    call.on('response', look)
    call.on('trailers', look)
    call.resume()
    if (body !== undefined) call.write(body)
  })
}
