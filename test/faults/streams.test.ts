import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Client, type ClientDuplexStream, credentials, Metadata, status } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SERVICE_NAME } from '../../src/session/contract.ts'
import {
  decodeResponse,
  encodeRequest,
  exitCode,
  GrpcSession,
  type JsonObject,
} from '../transport/connect.ts'
import { residentMib, socketPath, startWatched, until, type WatchedServer } from './server.ts'

const gameId = 'Stackcraft-v1'
const ROWS = 64

/** A server frees what a stream held within 1 s; a loaded machine that runs other tests beside gets some more. */
const FREED_WITHIN_MS = 3000

type RawStream = ClientDuplexStream<Uint8Array, Uint8Array>

function openStream(client: Client, deadlineMs?: number): RawStream {
  return client.makeBidiStreamRequest(
    `/${SERVICE_NAME}/Session`,
    (bytes: Uint8Array) => Buffer.from(bytes),
    (bytes: Buffer): Uint8Array => bytes,
    new Metadata(),
    deadlineMs === undefined ? {} : { deadline: Date.now() + deadlineMs },
  )
}

async function makeEnv(session: GrpcSession, numEnvs = ROWS): Promise<string> {
  const made = (await session.send({ id: 'make', makeEnv: { gameId, numEnvs } })).makeEnv as JsonObject
  await session.send({ id: 'reset', reset: { envId: made.envId!, seed: '1' } })
  return made.envId as string
}

function stepBytes(id: string, envId: string): Uint8Array {
  const packedActions = Buffer.from(Int32Array.from({ length: ROWS }, (_, i) => i % 40).buffer)
  return encodeRequest({ id, step: { envId, packedActions: packedActions.toString('base64') } })
}

describe.each(['TCP', 'unix'])('streams of the gRPC server on %s', (kind) => {
  let server: WatchedServer

  beforeAll(async () => {
    server = await startWatched([], kind === 'unix' ? `unix:${socketPath()}` : undefined)
  })
  afterAll(async () => {
    expect(await server.stop()).toBe(0)
  })

  const isEmpty = async () =>
    (await server.metric('blockloom_sessions')) === 0 && (await server.metric('blockloom_envs')) === 0

  it('frees the environments of a cancelled stream, and takes no request after that', async () => {
    const session = new GrpcSession(server.address)
    session.stream.on('error', () => undefined)
    const envId = await makeEnv(session)
    expect(await server.metric('blockloom_envs')).toBe(1)
    expect(await server.metric('blockloom_rows')).toBe(ROWS)
    const before = await server.metric('blockloom_steps_total')
    session.stream.cancel()
    session.stream.write(stepBytes('late', envId))
    await until(isEmpty, FREED_WITHIN_MS)
    expect(await server.metric('blockloom_steps_total')).toBe(before)
    await session.close()
  })

  it('frees the environments of a killed client', async () => {
    const connect = fileURLToPath(new URL('../transport/connect.ts', import.meta.url))
    const script = `
      import { GrpcSession } from ${JSON.stringify(connect)}
      const session = new GrpcSession(${JSON.stringify(server.address)})
      await session.send({ id: '1', makeEnv: { gameId: ${JSON.stringify(gameId)} } })
      process.stdout.write('made')
      setInterval(() => undefined, 1000)
    `
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await new Promise((resolve) => child.stdout.once('data', resolve))
    expect(await server.metric('blockloom_envs')).toBe(1)
    child.kill('SIGKILL')
    await exitCode(child)
    await until(isEmpty, FREED_WITHIN_MS)
  })

  it('ends a stream at its deadline, and frees its environments', async () => {
    const client = new Client(server.address, credentials.createInsecure())
    const stream = openStream(client, 500)
    const ended = new Promise<number>((resolve) =>
      stream.on('error', ({ code }: { code?: number }) => resolve(code!)),
    )
    stream.on('data', () => undefined)
    stream.write(encodeRequest({ id: '1', makeEnv: { gameId } }))
    expect(await ended).toBe(status.DEADLINE_EXCEEDED)
    await until(isEmpty, FREED_WITHIN_MS)
    client.close()
  })

  it('holds back a client that does not read: its 10,000 answers take no room, and come in order', async () => {
    const session = new GrpcSession(server.address)
    const envId = await makeEnv(session)
    for (let i = 0; i < 200; i++) await session.sendBytes(stepBytes('warm', envId))
    const before = residentMib(server.child.pid!)
    const steps = await server.metric('blockloom_steps_total')
    session.stream.pause()
    const replies = Array.from({ length: 10_000 }, (_, i) => session.sendBytes(stepBytes(`n${i}`, envId)))
    const other = new GrpcSession(server.address)
    await until(async () => (await other.send({ id: 'other', listGames: {} })).id === 'other')
    let last = -1
    await until(async () => {
      const now = await server.metric('blockloom_steps_total')
      const still = now === last
      last = now
      await new Promise((resolve) => setTimeout(resolve, 300))
      return still
    })
    expect((last - steps) / ROWS).toBeLessThan(2000)
    expect(residentMib(server.child.pid!) - before).toBeLessThan(64)
    session.stream.resume()
    const ids = (await Promise.all(replies)).map((bytes) => decodeResponse(bytes).id)
    expect(ids).toEqual(Array.from({ length: 10_000 }, (_, i) => `n${i}`))
    expect(residentMib(server.child.pid!) - before).toBeLessThan(64)
    await session.close()
    await other.close()
  })

  it('keeps nothing of 300 streams, half of them cancelled', async () => {
    const client = new Client(server.address, credentials.createInsecure())
    const cycle = async (cancel: boolean) => {
      const stream = openStream(client)
      stream.on('error', () => undefined)
      const closed = new Promise((resolve) => stream.on('status', resolve))
      const answered = new Promise((resolve) => stream.once('data', resolve))
      stream.write(encodeRequest({ id: '1', makeEnv: { gameId, numEnvs: 4 } }))
      await answered
      stream.resume()
      if (cancel) stream.cancel()
      else stream.end()
      await closed
    }
    await cycle(false)
    await until(isEmpty, FREED_WITHIN_MS)
    const files = await server.metric('process_open_fds')
    for (let i = 0; i < 300; i++) await cycle(i % 2 === 0)
    await until(isEmpty, FREED_WITHIN_MS)
    expect(await server.metric('blockloom_rows')).toBe(0)
    expect(await server.metric('process_open_fds')).toBeLessThanOrEqual(files + 2)
    client.close()
  })

  it('ends the stream of an oversized message with RESOURCE_EXHAUSTED, and serves on', async () => {
    const small = await startWatched(['--max-message-bytes', '100000'])
    const client = new Client(small.address, credentials.createInsecure(), {
      'grpc.max_send_message_length': -1,
    })
    const stream = openStream(client)
    const ended = new Promise<number>((resolve) =>
      stream.on('error', ({ code }: { code?: number }) => resolve(code!)),
    )
    stream.on('data', () => undefined)
    stream.write(encodeRequest({ id: '1', makeEnv: { gameId } }))
    stream.write(new Uint8Array(100_001))
    expect(await ended).toBe(status.RESOURCE_EXHAUSTED)
    await until(async () => (await small.metric('blockloom_envs')) === 0, FREED_WITHIN_MS)
    const session = new GrpcSession(small.address)
    const largest = encodeRequest({ id: '1', play: { envId: 'x', actionJson: 'x'.repeat(99_900) } })
    expect(decodeResponse(await session.sendBytes(largest)).error).toMatchObject({ code: 'NOT_FOUND' })
    await session.close()
    client.close()
    await small.stop()
  })
})
