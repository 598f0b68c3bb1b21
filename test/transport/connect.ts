import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js'
import type { Json } from '../../src/env/game.ts'
import { SERVICE_NAME, SessionRequestType, SessionResponseType } from '../../src/session/contract.ts'
import { createHost } from '../../src/session/host.ts'
import { messageFromJson, messageToJson } from '../../src/session/proto-json.ts'
import { InProcessTransport } from '../../src/transport/in-process.ts'

export type JsonObject = { readonly [key: string]: Json }

/** The server file: the one that was built, or another that BLOCKLOOM_SERVER names. */
export const SERVER =
  process.env.BLOCKLOOM_SERVER ??
  fileURLToPath(new URL('../../python-client/src/blockloom/_server/blockloom.cjs', import.meta.url))

/** One session of some transport, with requests and responses in their JSON form. */
export interface TestSession {
  send(request: JsonObject): Promise<JsonObject>
  close(): Promise<void>
}

/** A way to reach a server: `open` gives a new session of the same server each time. */
export interface TestServer {
  open(): Promise<TestSession>
  stop(): Promise<void>
}

export function encodeRequest(request: JsonObject): Uint8Array {
  return SessionRequestType.encode(messageFromJson(SessionRequestType, request, '')).finish()
}

/** An encoded response in its JSON form. */
export function decodeResponse(bytes: Uint8Array): JsonObject {
  const response = SessionResponseType.toObject(SessionResponseType.decode(bytes))
  const json = messageToJson(SessionResponseType, response)
  return JSON.parse(JSON.stringify('id' in json ? json : { id: null, ...json })) as JsonObject
}

export async function startInProcess(): Promise<TestServer> {
  const host = createHost()
  return {
    open: async () => {
      const transport = new InProcessTransport(host)
      return {
        send: async (request) => decodeResponse(await transport.send(encodeRequest(request))),
        close: () => transport.close(),
      }
    },
    stop: async () => undefined,
  }
}

export async function startStdio(): Promise<TestServer> {
  return { open: async () => new StdioSession(), stop: async () => undefined }
}

export async function startBlockingStdio(): Promise<TestServer> {
  return { open: async () => new StdioSession(['--blocking']), stop: async () => undefined }
}

export async function startTcp(): Promise<TestServer> {
  const args = ['--listen', '127.0.0.1:0', '--reflection', '--log-level', 'warn']
  const child = spawn(process.execPath, [SERVER, 'serve', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await firstLine(child)
  return grpcTestServer(child, `127.0.0.1:${port}`)
}

export async function startUnix(): Promise<TestServer> {
  const address = `unix:${join(mkdtempSync(join(tmpdir(), 'blockloom-')), 'server.sock')}`
  const child = spawn(process.execPath, [SERVER, 'serve', '--listen', address], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await new Promise((resolve) => child.stderr!.once('data', resolve))
  return grpcTestServer(child, address)
}

export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    onLine(child.stdout!, resolve)
    child.once('exit', (code) => reject(new Error(`the server exited with ${code}`)))
  })
}

/** Calls back for each line, split on 0x0A alone. */
function onLine(stream: Readable, handle: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    for (const line of lines) handle(line)
  })
}

/** The exit code, once the child has exited and all it wrote has been read. */
export function exitCode(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('close', (code) => resolve(code)))
}

/** A gRPC server with its address, for tests that speak gRPC themselves. */
export interface GrpcTestServer extends TestServer {
  readonly address: string
  readonly child: ChildProcess
}

function grpcTestServer(child: ChildProcess, address: string): GrpcTestServer {
  return {
    address,
    child,
    open: async () => new GrpcSession(address),
    stop: async () => {
      child.kill('SIGTERM')
      await exitCode(child)
    },
  }
}

/** One Session stream that takes and gives raw bytes; responses come in the order of requests. */
export class GrpcSession implements TestSession {
  readonly #client: Client
  readonly stream: ClientDuplexStream<Uint8Array, Uint8Array>
  readonly #waiting: { resolve: (bytes: Uint8Array) => void; reject: (error: Error) => void }[] = []

  constructor(address: string) {
    this.#client = new Client(address, credentials.createInsecure(), {
      'grpc.max_receive_message_length': -1,
      'grpc.use_local_subchannel_pool': 1,
    })
    this.stream = this.#client.makeBidiStreamRequest(
      `/${SERVICE_NAME}/Session`,
      (bytes: Uint8Array) => Buffer.from(bytes),
      (bytes: Buffer): Uint8Array => bytes,
    )
    this.stream.on('data', (bytes: Uint8Array) => this.#waiting.shift()?.resolve(bytes))
    this.stream.on('error', (error: Error) => {
      for (const { reject } of this.#waiting.splice(0)) reject(error)
    })
  }

  sendBytes(bytes: Uint8Array): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.stream.write(bytes)
    })
  }

  async send(request: JsonObject): Promise<JsonObject> {
    return decodeResponse(await this.sendBytes(encodeRequest(request)))
  }

  async close(): Promise<void> {
    this.stream.end()
    this.#client.close()
  }
}

/** One server process, spoken to in lines; responses come in the order of requests. */
export class StdioSession implements TestSession {
  readonly child: ChildProcess
  readonly #waiting: ((line: string) => void)[] = []

  constructor(args: readonly string[] = []) {
    this.child = spawn(process.execPath, [SERVER, 'stdio', ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
    onLine(this.child.stdout!, (line) => this.#waiting.shift()?.(line))
  }

  /** Sends bytes as they are and waits for one line. */
  sendBytes(bytes: Uint8Array | string): Promise<JsonObject> {
    const reply = this.nextLine()
    this.child.stdin!.write(bytes)
    return reply
  }

  nextLine(): Promise<JsonObject> {
    return new Promise((resolve) => this.#waiting.push((line) => resolve(JSON.parse(line) as JsonObject)))
  }

  send(request: JsonObject): Promise<JsonObject> {
    return this.sendBytes(`${JSON.stringify(request)}\n`)
  }

  async close(): Promise<void> {
    this.child.stdin!.end()
    await exitCode(this.child)
  }
}
