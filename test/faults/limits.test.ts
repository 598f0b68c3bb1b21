import { type ClientHttp2Session, connect } from 'node:http2'
import { describe, expect, it } from 'vitest'
import { CALLS, SERVICE_NAME } from '../../src/session/contract.ts'
import type { CallName } from '../../src/session/message-types.ts'
import { messageFromJson } from '../../src/session/proto-json.ts'
import { GrpcSession, type JsonObject, StdioSession, type TestSession } from '../transport/connect.ts'
import { startWatched, until } from './server.ts'

const gameId = 'BlockPuzzle8-v1'

async function make(session: TestSession, numEnvs: number): Promise<JsonObject> {
  return session.send({ id: 'm', makeEnv: { gameId, numEnvs } })
}

const exhausted = (reason: string) => ({ error: { code: 'RESOURCE_EXHAUSTED', reason } })

describe('the limits of serve, as flags', () => {
  it('refuses sessions, environments and rows past them, and takes new ones once some are gone', async () => {
    const server = await startWatched([
      ...['--max-sessions', '2', '--max-session-envs', '2', '--max-envs', '3'],
      ...['--max-env-rows', '100', '--max-rows', '150'],
    ])
    const [first, second] = [new GrpcSession(server.address), new GrpcSession(server.address)]
    const tooLong = await make(first, 101)
    expect(tooLong).toMatchObject({
      error: {
        code: 'RESOURCE_EXHAUSTED',
        message: 'num_envs is 101; the server allows an environment 100 rows',
      },
    })
    const made = (await make(first, 100)).makeEnv as JsonObject
    expect(await make(second, 51)).toMatchObject(exhausted('TOO_MANY_ROWS'))
    await make(first, 1)
    expect(await make(first, 1)).toMatchObject(exhausted('TOO_MANY_ENVS'))
    await make(second, 1)
    expect(await make(second, 1)).toMatchObject(exhausted('TOO_MANY_ENVS'))
    const third = new GrpcSession(server.address)
    await expect(third.send({ id: '1', listGames: {} })).rejects.toMatchObject({ code: 8 })
    expect(await server.metric('blockloom_sessions')).toBe(2)
    expect(await server.metric('blockloom_envs')).toBe(3)
    expect(await server.metric('blockloom_refusals_total{reason="TOO_MANY_SESSIONS"}')).toBe(1)
    expect(await server.metric('blockloom_refusals_total{reason="TOO_MANY_ENVS"}')).toBe(2)
    await first.send({ id: 'c', closeEnv: { envId: made.envId! } })
    expect(await make(second, 100)).toHaveProperty('makeEnv')
    await second.close()
    await until(async () => (await server.metric('blockloom_sessions')) === 1)
    const fourth = new GrpcSession(server.address)
    expect(await make(fourth, 40)).toHaveProperty('makeEnv')
    await first.close()
    await fourth.close()
    await server.stop()
  })

  it('refuses unary calls past the number under way, before their messages are read', async () => {
    const server = await startWatched(['--max-in-flight', '2'])
    const client = connect(`http://${server.address}`)
    const [open1, open2] = [openCall(client), openCall(client)]
    await until(async () => (await statusOf(openCall(client))) === '8')
    expect(await server.metric('blockloom_refusals_total{reason="TOO_MANY_REQUESTS"}')).toBeGreaterThan(0)
    for (const call of [open1, open2]) {
      call.end(Buffer.from([0, 0, 0, 0, 0]))
      expect(await statusOf(call)).toBe('0')
    }
    const next = openCall(client)
    next.end(Buffer.from([0, 0, 0, 0, 0]))
    expect(await statusOf(next)).toBe('0')
    client.destroy()
    await server.stop()
  })

  it('refuses unary calls while their answers pile up unread, and takes them again once they are gone', async () => {
    const server = await startWatched()
    const client = connect(`http://${server.address}`)
    const made = openCall(client, 'MakeEnv')
    made.end(frameOf('makeEnv', { gameId, numEnvs: 8192 }))
    const { envId } = await answerOf(made)
    const reset = () => {
      const call = openCall(client, 'Reset')
      call.end(frameOf('reset', { envId, seed: '1' }))
      return call
    }
    const unread = [reset()]
    const refused = 'blockloom_refusals_total{reason="TOO_MANY_REQUESTS"}'
    while ((await server.metric(refused)) === 0) unread.push(reset())
    expect(unread.length).toBeLessThan(200)
    for (const call of unread) call.close()
    await until(async () => {
      const call = reset()
      const status = await statusOf(call)
      call.close()
      return status === '0'
    })
    client.destroy()
    await server.stop()
  })

  it('frees the environments of unary calls after the idle time', async () => {
    const server = await startWatched(['--idle-timeout-s', '0.3'])
    const client = connect(`http://${server.address}`)
    const call = openCall(client, 'MakeEnv')
    call.end(frameOf('makeEnv', { gameId }))
    expect(await statusOf(call)).toBe('0')
    await until(async () => (await server.metric('blockloom_envs')) === 0)
    client.destroy()
    await server.stop()
  })
})

it('has the limits of one client on stdio, as flags', async () => {
  const session = new StdioSession(['--max-envs', '2', '--max-env-rows', '10', '--max-rows', '12'])
  expect(await make(session, 11)).toMatchObject({
    error: { reason: 'TOO_MANY_ROWS', message: 'num_envs is 11; the server allows an environment 10 rows' },
  })
  await make(session, 10)
  expect(await make(session, 3)).toMatchObject(exhausted('TOO_MANY_ROWS'))
  await make(session, 2)
  expect(await make(session, 1)).toMatchObject(exhausted('TOO_MANY_ENVS'))
  await session.close()
})

/** A request of a unary call as it goes on the wire: the session's request without its envelope. */
function frameOf(name: CallName, request: JsonObject): Buffer {
  const { request: type } = CALLS.find((call) => call.name === name)!
  const bytes = type.encode(messageFromJson(type, request, '')).finish()
  const head = Buffer.alloc(5)
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

async function answerOf(call: Http2Call): Promise<{ readonly envId: string }> {
  const chunks: Buffer[] = []
  for await (const chunk of call) chunks.push(chunk as Buffer)
  const { response } = CALLS.find(({ name }) => name === 'makeEnv')!
  return response.decode(Buffer.concat(chunks).subarray(5)) as unknown as { envId: string }
}

/** A unary call whose message has not been sent yet. */
function openCall(client: ClientHttp2Session, method = 'ListGames') {
  const call = client.request({
    ':method': 'POST',
    ':path': `/${SERVICE_NAME}/${method}`,
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  call.on('error', () => undefined)
  return call
}

type Http2Call = ReturnType<typeof openCall>

function statusOf(call: Http2Call): Promise<string> {
  return new Promise((resolve) => {
    call.on('response', (headers) => {
      if (headers['grpc-status'] !== undefined) resolve(String(headers['grpc-status']))
    })
    call.on('trailers', (headers) => resolve(String(headers['grpc-status'])))
    call.resume()
    setTimeout(() => resolve('none'), 500).unref()
  })
}
