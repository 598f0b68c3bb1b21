import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CALLS, SERVICE_NAME } from '../../src/session/contract.ts'
import {
  decodeResponse,
  encodeRequest,
  GrpcSession,
  type JsonObject,
  StdioSession,
  startInProcess,
  type TestSession,
} from '../transport/connect.ts'
import { CANONICAL_CODES, countLines, Mutator, validRequests } from './mutations.ts'
import { startWatched, type WatchedServer } from './server.ts'

const gameId = 'Stackcraft-v1'
const SCALE = process.env.BLOCKLOOM_FULL === '1' ? 10 : 1
const LINES = 2000 * SCALE
const MESSAGES = 1500 * SCALE

async function makeEnv(session: TestSession): Promise<string> {
  const made = (await session.send({ id: 'make', makeEnv: { gameId, numEnvs: 2 } })).makeEnv as JsonObject
  await session.send({ id: 'reset', reset: { envId: made.envId!, seed: '5' } })
  return made.envId as string
}

/** An environment that the bad input cannot name; it is stepped beside one that no bad input was near. */
class Control {
  readonly #sessions: readonly TestSession[]
  #envIds: readonly string[] = []

  constructor(tested: TestSession, clean: TestSession) {
    this.#sessions = [tested, clean]
  }

  async start(): Promise<void> {
    this.#envIds = await Promise.all(this.#sessions.map(makeEnv))
  }

  async expectEqual(steps: number): Promise<void> {
    for (let i = 0; i < steps; i++) {
      const [tested, clean] = await Promise.all(
        this.#sessions.map((session, at) =>
          session.send({ id: `${i}`, step: { envId: this.#envIds[at]!, actions: [i % 40, (i * 7) % 40] } }),
        ),
      )
      expect(tested).toEqual(clean)
    }
  }
}

/** Every reply is an answer or a refusal in the contract's terms, and tells nothing of the inside. */
function expectProper(reply: JsonObject): void {
  const { error } = reply as { error?: JsonObject }
  if (error === undefined) {
    expect(typeof reply.id).toBe('string')
    return
  }
  expect(CANONICAL_CODES, JSON.stringify(reply)).toContain(error.code)
  expect((error.message as string).length).toBeLessThan(700)
  expect(error.message).not.toMatch(/\.ts|\.cjs|\n\s+at /)
}

describe('fuzzing', () => {
  let server: WatchedServer

  beforeAll(async () => {
    server = await startWatched()
  })
  afterAll(async () => {
    expect(server.child.exitCode).toBe(null)
    expect(server.log.filter((entry) => entry.level === 'error')).toEqual([])
    expect(await server.stop()).toBe(0)
  })

  it(`answers ${LINES} bad lines on stdio one by one, and its session lives on unchanged`, async () => {
    const session = new StdioSession()
    const control = new Control(session, await (await startInProcess()).open())
    await control.start()
    const valid = validRequests(await makeEnv(session), gameId).map((request) =>
      Buffer.from(JSON.stringify(request)),
    )
    const mutator = new Mutator(20260)
    for (let sent = 0; sent < LINES; sent += 100) {
      const batch = Array.from({ length: 100 }, () =>
        mutator.pick(5) === 0 ? mutator.noise(200) : mutator.mutate(valid[mutator.pick(valid.length)]!),
      )
      const bytes = Buffer.concat(batch.flatMap((line) => [line, Buffer.from('\n')]))
      const replies = Array.from({ length: countLines(bytes) }, () => session.nextLine())
      session.child.stdin!.write(bytes)
      for (const reply of await Promise.all(replies)) expectProper(reply)
      await control.expectEqual(2)
    }
    await control.expectEqual(10)
    await session.close()
    expect(session.child.exitCode).toBe(0)
  })

  it(`answers ${MESSAGES} bad messages on a stream one by one, and its session lives on unchanged`, async () => {
    const session = new GrpcSession(server.address)
    const control = new Control(session, await (await startInProcess()).open())
    await control.start()
    const valid = validRequests(await makeEnv(session), gameId).map(encodeRequest)
    const mutator = new Mutator(31)
    for (let sent = 0; sent < MESSAGES; sent += 100) {
      const replies = Array.from({ length: 100 }, () => {
        const bytes =
          mutator.pick(5) === 0 ? mutator.noise(200) : mutator.mutate(valid[mutator.pick(valid.length)]!)
        return session.sendBytes(bytes)
      })
      for (const bytes of await Promise.all(replies)) expectProper(decodeResponse(bytes))
      await control.expectEqual(2)
    }
    await control.expectEqual(10)
    await session.close()
  })

  it('answers bad messages of unary calls with a canonical status', async () => {
    const client = new Client(server.address, credentials.createInsecure())
    const mutator = new Mutator(77)
    const asBytes = (bytes: Uint8Array) => Buffer.from(bytes)
    const allowed = [0, 3, 5, 8, 9, 12]
    for (let i = 0; i < 150 * SCALE; i++) {
      const call = CALLS[mutator.pick(CALLS.length)]!
      const request = validRequests('ab', gameId)[mutator.pick(15)]!
      const code = await new Promise<number>((resolve) => {
        client.makeUnaryRequest(
          `/${SERVICE_NAME}/${call.method}`,
          asBytes,
          asBytes,
          mutator.mutate(encodeRequest(request).subarray(2)),
          (error: ServiceError | null) => resolve(error ? error.code : status.OK),
        )
      })
      expect(allowed).toContain(code)
    }
    client.close()
  })

  it('survives what is no HTTP/2, and gRPC frames that are none', async () => {
    const [host, port] = server.address.split(':') as [string, string]
    const mutator = new Mutator(5)
    for (let i = 0; i < 40 * SCALE; i++) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), host)
        const preface = i % 2 === 0 ? Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n') : Buffer.alloc(0)
        socket.on('error', () => undefined)
        socket.on('close', () => resolve())
        socket.end(Buffer.concat([preface, mutator.noise(500)]))
        socket.resume()
      })
    }
    const client = connectHttp2(`http://${server.address}`)
    for (let i = 0; i < 40 * SCALE; i++) {
      await new Promise<void>((resolve) => {
        const path =
          i % 4 === 0
            ? `/${mutator.noise(20).toString('hex')}`
            : `/${SERVICE_NAME}/${i % 2 ? 'Session' : 'Step'}`
        const request = client.request({
          ':method': 'POST',
          ':path': path,
          'content-type': i % 7 === 0 ? 'text/plain' : 'application/grpc',
          'grpc-encoding': ['identity', 'gzip', 'deflate', 'nonsense'][i % 4]!,
          'grpc-timeout': i % 9 === 0 ? 'soon' : '5S',
          te: 'trailers',
        })
        request.on('error', () => undefined)
        request.on('close', () => resolve())
        request.resume()
        // A frame that says it is compressed, one that is shorter than it says, or noise.
        const frame = [
          Buffer.from([1, 0, 0, 0, 3, 9, 9, 9]),
          Buffer.from([0, 0, 0, 0, 9, 1]),
          mutator.noise(60),
        ]
        request.end(frame[i % 3])
      })
    }
    client.destroy()
    const session = new GrpcSession(server.address)
    expect((await session.send({ id: 'still', listGames: {} })).id).toBe('still')
    await session.close()
  })
})
