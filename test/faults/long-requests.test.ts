import { readFileSync } from 'node:fs'
import { Client, credentials, status } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SERVICE_NAME } from '../../src/session/contract.ts'
import {
  decodeResponse,
  encodeRequest,
  exitCode,
  GrpcSession,
  type JsonObject,
  StdioSession,
  type TestSession,
} from '../transport/connect.ts'
import { socketPath, startWatched, until, type WatchedServer, within } from './server.ts'

/** Rows whose first chambers take a processor seconds, and whose batches just fit into a message. */
const MOST_ROWS = 20_000
const gameId = 'Hourloom-v1'

/** A server stops within 2 s of a signal; a loaded machine gets some more. */
const STOPPED_WITHIN_MS = 5000
const FREED_WITHIN_MS = 3000

/** Makes the largest environment and gives its reset, a request of several seconds. */
async function longRequest(session: TestSession, numEnvs = MOST_ROWS): Promise<JsonObject> {
  const made = (await session.send({ id: 'make', makeEnv: { gameId, numEnvs } })).makeEnv as JsonObject
  return { id: 'long', reset: { envId: made.envId!, seed: '1' } }
}

/** Resolves once a process has begun to work: it has used another quarter of a second of processor time. */
async function isBusy(pid: number): Promise<void> {
  const before = cpuTicks(pid)
  await until(() => cpuTicks(pid) - before >= 25)
}

/** Processor time that a process has used, in hundredths of a second. */
function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')
  return Number(fields[11]) + Number(fields[12])
}

describe('a signal in the middle of the largest request', () => {
  it.each(['TCP', 'unix'])('stops serve, which does not finish it first: %s', async (kind) => {
    const server = await startWatched([], kind === 'unix' ? `unix:${socketPath()}` : undefined)
    const session = new GrpcSession(server.address)
    const outcome = session
      .send(await longRequest(session))
      .then(() => 'answered')
      .catch(() => 'ended')
    await isBusy(server.child.pid!)
    expect(await within(STOPPED_WITHIN_MS, server.stop())).toBe(0)
    expect(await outcome).toBe('ended')
    expect(server.log.map((entry) => entry.msg)).toEqual(['serving', 'stopping', 'stopped'])
  })

  it('stops stdio, which does not finish it first', async () => {
    const session = new StdioSession()
    const request = await longRequest(session)
    let answered = false
    void session.send(request).then(() => {
      answered = true
    })
    await isBusy(session.child.pid!)
    session.child.kill('SIGTERM')
    expect(await within(STOPPED_WITHIN_MS, exitCode(session.child))).toBe(0)
    expect(answered).toBe(false)
  })

  it('lets one that is shorter be answered while the server drains', async () => {
    const server = await startWatched()
    const session = new GrpcSession(server.address)
    const request = await longRequest(session, 50)
    const exited = exitCode(server.child)
    const answer = session.send(request)
    server.child.kill('SIGTERM')
    expect(await answer).toHaveProperty('reset')
    await session.close()
    expect(await within(STOPPED_WITHIN_MS, exited)).toBe(0)
  })
})

describe('a server with the largest request in hand', () => {
  let server: WatchedServer

  beforeAll(async () => {
    server = await startWatched()
  })
  afterAll(async () => {
    expect(await server.stop()).toBe(0)
  })

  it('frees everything and rests when its stream is cancelled in the middle', async () => {
    const session = new GrpcSession(server.address)
    session.stream.on('error', () => undefined)
    const ended = session
      .send(await longRequest(session))
      .then(() => 'answered')
      .catch(() => 'ended')
    await isBusy(server.child.pid!)
    expect(await server.metric('blockloom_rows')).toBe(MOST_ROWS)
    session.stream.cancel()
    expect(await ended).toBe('ended')
    await until(async () => (await server.metric('blockloom_sessions')) === 0, FREED_WITHIN_MS)
    expect(await server.metric('blockloom_envs')).toBe(0)
    expect(await server.metric('blockloom_rows')).toBe(0)
    await until(async () => {
      const before = cpuTicks(server.child.pid!)
      await new Promise((resolve) => setTimeout(resolve, 500))
      return cpuTicks(server.child.pid!) - before <= 1
    })
    // It rests because the request was dropped, not because it was answered.
    expect(await server.metric('blockloom_request_seconds_count{call="reset"}')).toBe(0)
    await session.close()
  })

  it('serves other streams and other calls meanwhile, and answers its own in order', async () => {
    const session = new GrpcSession(server.address)
    const other = new GrpcSession(server.address)
    const order: string[] = []
    const note = async (reply: Promise<JsonObject>) => order.push((await reply).id as string)
    const request = await longRequest(session, 3000)
    const replies = [note(session.send(request)), note(session.send({ id: 'after', listGames: {} }))]
    for (let i = 0; i < 5; i++) await note(other.send({ id: `other${i}`, listGames: {} }))
    await unary(server.address, 'ListGames', {})
    order.push('unary')
    session.stream.end()
    await Promise.all(replies)
    expect(order).toEqual(['other0', 'other1', 'other2', 'other3', 'other4', 'unary', 'long', 'after'])
    await other.close()
  })

  it('answers unary calls one after the other, and none whose client has gone', async () => {
    const { address } = server
    const numEnvs = 16_000
    const made = await unary(address, 'MakeEnv', { gameId, numEnvs })
    const envId = (decode('makeEnv', made).makeEnv as JsonObject).envId as string
    const resets = await server.metric('blockloom_request_seconds_count{call="reset"}')
    const first = unary(address, 'Reset', { envId, seed: '1' })
    await new Promise((resolve) => setTimeout(resolve, 100)) // each call has a connection of its own
    const gone = unary(address, 'Reset', { envId, seed: '2' }, 150).catch(
      ({ code }: { code: number }) => code,
    )
    // A row that was not reset yet has no mask.
    const last = unary(address, 'GetActionMask', { envId, rows: [numEnvs - 1] })
    expect(await gone).toBe(status.DEADLINE_EXCEEDED)
    expect((await last).length).toBeGreaterThan(0)
    expect(await server.metric('blockloom_request_seconds_count{call="reset"}')).toBe(resets + 1)
    const control = await seeded(address, numEnvs)
    expect(Buffer.from(await first).equals(control)).toBe(true)
    await unary(address, 'CloseEnv', { envId })
  })
})

/** The answer to a reset of a fresh environment on a stream, as a unary call gives it. */
async function seeded(address: string, numEnvs: number): Promise<Uint8Array> {
  const session = new GrpcSession(address)
  const request = await longRequest(session, numEnvs)
  const bytes = Buffer.from(await session.sendBytes(encodeRequest(request)))
  await session.close()
  // Behind the id, the field of the answer and its length.
  const at = 2 + 'long'.length + 1
  let end = at
  while (bytes[end]! >= 0x80) end++
  return bytes.subarray(end + 1)
}

let clients: Client[] = []
afterAll(() => {
  for (const client of clients) client.close()
  clients = []
})

/** A unary call, its request in JSON form and its answer in bytes. */
function unary(
  address: string,
  method: string,
  request: JsonObject,
  timeoutMs = 60_000,
): Promise<Uint8Array> {
  const client = new Client(address, credentials.createInsecure(), { 'grpc.max_receive_message_length': -1 })
  clients.push(client)
  const name = `${method[0]!.toLowerCase()}${method.slice(1)}`
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      `/${SERVICE_NAME}/${method}`,
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => bytes,
      inner(encodeRequest({ id: '', [name]: request })),
      { deadline: Date.now() + timeoutMs },
      (error, reply) => (error ? reject(error) : resolve(reply!)),
    )
  })
}

/** The call within an encoded SessionRequest with an empty id. */
function inner(bytes: Uint8Array): Buffer {
  let at = 3
  while (bytes[at]! >= 0x80) at++
  return Buffer.from(bytes.subarray(at + 1))
}

/** The answer of a unary call in JSON form. */
function decode(name: string, bytes: Uint8Array): JsonObject {
  const fields: { readonly [call: string]: number } = { makeEnv: 3 }
  const head = [fields[name]! * 8 + 2, ...varint(bytes.length)]
  return decodeResponse(Buffer.concat([Buffer.from(head), bytes]))
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}
