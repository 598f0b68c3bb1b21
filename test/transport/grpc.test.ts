import { spawn } from 'node:child_process'
import { mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { credentials, loadPackageDefinition, type ServiceError } from '@grpc/grpc-js'
import { loadFileDescriptorSetFromBuffer, loadSync } from '@grpc/proto-loader'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GAMES } from '../../src/games/registry.ts'
import {
  decodeResponse,
  encodeRequest,
  exitCode,
  GrpcSession,
  type GrpcTestServer,
  type JsonObject,
  SERVER,
  startTcp,
  startUnix,
} from './connect.ts'

const gameId = GAMES[0]!.id
const PROTO = fileURLToPath(new URL('../../proto/blockloom/v1/environment.proto', import.meta.url))

type Unary = (request: object, callback: (error: ServiceError | null, reply: JsonObject) => void) => void
type Stub = { readonly [method: string]: Unary | undefined } & { close(): void }
type StubClass = new (address: string, creds: unknown) => Stub

function stubOf(definition: object, path: readonly string[], address: string): Stub {
  let scope = definition as Record<string, unknown>
  for (const name of path.slice(0, -1)) scope = scope[name] as Record<string, unknown>
  return new (scope[path.at(-1)!] as StubClass)(address, credentials.createInsecure())
}

function call(stub: Stub, method: string, request: object): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    stub[method]!.call(stub, request, (error, reply) => (error ? reject(error) : resolve(reply)))
  })
}

async function refusal(promise: Promise<unknown>): Promise<ServiceError> {
  try {
    await promise
  } catch (error) {
    return error as ServiceError
  }
  throw new Error('the call was not refused')
}

describe('the gRPC server', () => {
  let server: GrpcTestServer

  beforeAll(async () => {
    server = (await startTcp()) as GrpcTestServer
  })
  afterAll(() => server.stop())

  const contractStub = () =>
    stubOf(
      loadPackageDefinition(loadSync(PROTO, { enums: String, defaults: true })),
      ['blockloom', 'v1', 'EnvironmentService'],
      server.address,
    )

  it('serves the unary calls to a client made from the .proto file', async () => {
    const stub = contractStub()
    const made = await call(stub, 'MakeEnv', { gameId, numEnvs: 2 })
    const envId = made.envId as string
    const reset = await call(stub, 'Reset', { envId, seed: '7' })
    expect(((reset.batch as JsonObject).rewards as unknown as Uint8Array).length).toBe(8)
    const masks = (await call(stub, 'GetActionMask', { envId, rows: [1] })).masks as JsonObject[]
    const legal = (masks[0]!.legal as JsonObject[])[0]!
    const stepped = await call(stub, 'Step', {
      envId,
      actions: [legal.action as number, legal.action as number],
    })
    expect((stepped.batch as JsonObject).refusals).toBeDefined()
    expect(await call(stub, 'CloseEnv', { envId })).toEqual({})
    stub.close()
  })

  it('answers a refused unary call with a status and its rich details', async () => {
    const stub = contractStub()
    const error = await refusal(call(stub, 'MakeEnv', { gameId: 'Chess-v1' }))
    expect(error).toMatchObject({ code: 5, details: expect.stringContaining('Chess-v1') })
    const details = error.metadata.get('grpc-status-details-bin')[0] as Buffer
    expect(details.toString('latin1')).toContain('UNKNOWN_GAME')
    expect(await refusal(call(stub, 'Step', { actions: [1] }))).toMatchObject({ code: 3 })
    stub.close()
  })

  it('does not show a stream’s environments to unary calls', async () => {
    const session = new GrpcSession(server.address)
    const made = (await session.send({ id: '1', makeEnv: { gameId } })).makeEnv as JsonObject
    const stub = contractStub()
    expect(await refusal(call(stub, 'Reset', { envId: made.envId, seed: '1' }))).toMatchObject({ code: 5 })
    stub.close()
    await session.close()
  })

  it('answers a message that does not decode, and the stream lives on', async () => {
    const session = new GrpcSession(server.address)
    for (const bytes of [[0xff], [0x0a, 0x05, 0x31], [0x12], [0x2a, 0x02, 0x0a, 0x09]]) {
      const reply = decodeResponse(await session.sendBytes(Uint8Array.from(bytes)))
      expect(reply).toMatchObject({
        id: null,
        error: { code: 'INVALID_ARGUMENT', reason: 'MALFORMED_MESSAGE' },
      })
    }
    expect(decodeResponse(await session.sendBytes(new Uint8Array(0)))).toMatchObject({
      id: null,
      error: { reason: 'MISSING_FIELD' },
    })
    expect((await session.send({ id: 'still', listGames: {} })).id).toBe('still')
    await session.close()
  })

  it('refuses a call with an enum number that the contract does not have', async () => {
    const session = new GrpcSession(server.address)
    const bytes = Buffer.concat([encodeRequest({ id: '1', makeEnv: { gameId } })])
    // makeEnv grows by field 5 (autoreset_mode), a varint of 9.
    const at = bytes.indexOf(0x1a)
    const grown = Buffer.concat([bytes, Buffer.from([0x28, 0x09])])
    grown[at + 1]! += 2
    const reply = decodeResponse(await session.sendBytes(grown))
    expect(reply.error).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('autoreset_mode is 9'),
    })
    await session.close()
  })

  it('serves reflection in both versions, from which a client can be made', async () => {
    for (const version of ['v1', 'v1alpha']) {
      const descriptor = await reflect(server.address, version, {
        fileContainingSymbol: 'blockloom.v1.EnvironmentService',
      })
      const set = Buffer.concat([Buffer.from([0x0a]), varint(descriptor.length), descriptor])
      const definition = loadPackageDefinition(loadFileDescriptorSetFromBuffer(set, {}))
      const stub = stubOf(definition, ['blockloom', 'v1', 'EnvironmentService'], server.address)
      const games = (await call(stub, 'ListGames', {})).games as JsonObject[]
      expect(games.length).toBe(GAMES.length)
      stub.close()
    }
  })

  it('lists every service by reflection, and finds their symbols and no others', async () => {
    const reply = await reflectionReply(server.address, 'v1', { listServices: '' })
    const names = (reply.listServicesResponse as { service: { name: string }[] }).service.map(
      ({ name }) => name,
    )
    expect(names).toEqual([
      'blockloom.v1.EnvironmentService',
      'grpc.health.v1.Health',
      'grpc.reflection.v1.ServerReflection',
      'grpc.reflection.v1alpha.ServerReflection',
    ])
    for (const fileContainingSymbol of [
      ...names,
      'blockloom.v1.EnvironmentService.Step',
      'blockloom.v1.Batch',
    ]) {
      const found = await reflectionReply(server.address, 'v1', { fileContainingSymbol })
      expect(found.fileDescriptorResponse, fileContainingSymbol).toBeTruthy()
    }
    for (const fileContainingSymbol of ['', 'blockloom.v1', 'blockloom.v1.Nope', 'other']) {
      const missing = await reflectionReply(server.address, 'v1', { fileContainingSymbol })
      expect(missing.errorResponse, fileContainingSymbol).toMatchObject({ errorCode: 5 })
    }
  })

  it('serves health', async () => {
    const path = writeProto(
      'health.proto',
      `syntax = "proto3"; package grpc.health.v1; message Q { string service = 1; } message R { int32 status = 1; }
       service Health { rpc Check(Q) returns (R); }`,
    )
    const stub = stubOf(
      loadPackageDefinition(loadSync(path)),
      ['grpc', 'health', 'v1', 'Health'],
      server.address,
    )
    expect(await call(stub, 'Check', {})).toEqual({ status: 1 })
    expect(await call(stub, 'Check', { service: 'blockloom.v1.EnvironmentService' })).toEqual({ status: 1 })
    expect(await refusal(call(stub, 'Check', { service: 'other' }))).toMatchObject({ code: 5 })
    stub.close()
  })
})

describe('listening', () => {
  it('makes a socket file that only its owner can use, and removes it on SIGTERM', async () => {
    const server = (await startUnix()) as GrpcTestServer
    const path = server.address.slice('unix:'.length)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const session = new GrpcSession(server.address)
    await session.send({ id: '1', listGames: {} })
    session.stream.on('error', () => undefined)
    server.child.kill('SIGTERM')
    expect(await exitCode(server.child)).toBe(0)
    expect(() => statSync(path)).toThrow(/ENOENT/)
    await session.close()
  })

  it('replaces a stale socket file, and never steals a live one', async () => {
    const first = (await startUnix()) as GrpcTestServer
    const second = spawn(process.execPath, [SERVER, 'serve', '--listen', first.address], { stdio: 'ignore' })
    expect(await exitCode(second)).toBe(2)
    first.child.kill('SIGKILL')
    await exitCode(first.child)
    const third = spawn(process.execPath, [SERVER, 'serve', '--listen', first.address], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await new Promise((resolve) => third.stderr!.once('data', resolve))
    const session = new GrpcSession(first.address)
    expect((await session.send({ id: '1', listGames: {} })).id).toBe('1')
    await session.close()
    third.kill('SIGTERM')
    expect(await exitCode(third)).toBe(0)
  })

  it('leaves no socket file behind when the port of the metrics is in use', async () => {
    const taken = createServer()
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port))
    })
    const path = join(mkdtempSync(join(tmpdir(), 'blockloom-')), 'server.sock')
    const args = ['serve', '--listen', `unix:${path}`, '--metrics', `127.0.0.1:${port}`]
    const child = spawn(process.execPath, [SERVER, ...args], { stdio: 'ignore' })
    expect(await exitCode(child)).toBe(2)
    expect(() => statSync(path)).toThrow(/ENOENT/)
    taken.close()
  })

  it('exits 2 when the port is in use', async () => {
    const taken = createServer()
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port))
    })
    const child = spawn(process.execPath, [SERVER, 'serve', '--listen', `127.0.0.1:${port}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    expect(await exitCode(child)).toBe(2)
    expect(errors).toMatch(/^blockloom: cannot listen on [^\n]+\n$/)
    taken.close()
  })
})

function writeProto(name: string, text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'blockloom-')), name)
  writeFileSync(path, text)
  return path
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest])
    bytes.push((rest & 0x7f) | 0x80)
  }
}

/** Asks the reflection service for a file and gives the encoded descriptor. */
async function reflect(address: string, version: string, request: object): Promise<Buffer> {
  const reply = await reflectionReply(address, version, request)
  return (reply.fileDescriptorResponse as { fileDescriptorProto: Buffer[] }).fileDescriptorProto[0]!
}

/** One answer of the reflection service. */
function reflectionReply(address: string, version: string, request: object) {
  const path = writeProto(
    'reflection.proto',
    `syntax = "proto3"; package grpc.reflection.${version};
     service ServerReflection { rpc ServerReflectionInfo(stream Q) returns (stream R); }
     message Q { oneof q { string file_by_filename = 3; string file_containing_symbol = 4; string list_services = 7; } }
     message R { F file_descriptor_response = 4; L list_services_response = 6; E error_response = 7; }
     message F { repeated bytes file_descriptor_proto = 1; } message L { repeated S service = 1; }
     message S { string name = 1; } message E { int32 error_code = 1; }`,
  )
  const stub = stubOf(
    loadPackageDefinition(loadSync(path)),
    ['grpc', 'reflection', version, 'ServerReflection'],
    address,
  )
  const stream = (
    stub as unknown as { ServerReflectionInfo(): import('node:stream').Duplex }
  ).ServerReflectionInfo()
  return new Promise<{ [field: string]: unknown }>((resolve, reject) => {
    stream.on('data', (reply: { [field: string]: unknown }) => {
      resolve(reply)
      stream.end()
      stub.close()
    })
    stream.on('error', reject)
    stream.write(request)
  })
}
