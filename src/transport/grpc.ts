import {
  logVerbosity,
  type MethodDefinition,
  Server,
  type ServerCredentials,
  type ServiceDefinition,
  setLogVerbosity,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { CALLS, SERVICE_NAME } from '../session/contract.ts'
import { toEnvError } from '../session/handlers.ts'
import { type Host, Session } from '../session/session.ts'
import { gate } from './grpc-gate.ts'
import { addHealthService } from './grpc-health.ts'
import { addReflectionService } from './grpc-reflection.ts'
import { GrpcSession, type RawStream } from './grpc-session.ts'
import { grpcStatus } from './grpc-status.ts'
import { UnaryCalls } from './unary-calls.ts'

export interface GrpcOptions {
  /** Whether to serve the reflection service. */
  readonly reflection: boolean
  /** How long an environment of the unary calls may stay unused, in milliseconds. */
  readonly idleTimeoutMs: number
  /**
   * How often a client is asked for a sign of life, and how long it may take to give it before its connection is
   * cut, in milliseconds. One that has stopped is cut after twice that at the latest.
   */
  readonly keepaliveMs: number
  /** What every call has to bring; undefined lets everyone in. */
  readonly token?: string | undefined
}

/** What goes wrong is told by statuses and exit codes; the library's own lines would only repeat it. */
setLogVerbosity(logVerbosity.NONE)

/** How long a stop waits for calls under way, in milliseconds. */
const DRAIN_MS = 1000

/** The longest time that Node's timers take, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** The contract over gRPC. */
export class GrpcServer {
  readonly #server: Server
  readonly #host: Host
  readonly #unary: Session
  readonly #unaryCalls: UnaryCalls
  readonly #sweep: NodeJS.Timeout

  constructor(host: Host, options: GrpcOptions) {
    const { maxMessageBytes, maxSessions, maxInFlight } = host.limits
    const keepaliveMs = Math.min(options.keepaliveMs, MAX_TIMER_MS)
    this.#host = host
    this.#unary = new Session(host, false)
    this.#unaryCalls = new UnaryCalls(this.#unary)
    this.#server = new Server({
      'grpc.max_receive_message_length': maxMessageBytes,
      'grpc.max_send_message_length': -1,
      'grpc.max_concurrent_streams': maxSessions + maxInFlight,
      'grpc.keepalive_time_ms': keepaliveMs,
      'grpc.keepalive_timeout_ms': keepaliveMs,
      'grpc.enable_channelz': 0,
      interceptors: [gate(host, options.token)],
    })
    this.#server.addService(serviceDefinition(), this.#implementation())
    addHealthService(this.#server, SERVICE_NAME)
    if (options.reflection) addReflectionService(this.#server)
    this.#sweep = setInterval(
      () => this.#unary.removeIdle(host.nowMs() - options.idleTimeoutMs),
      Math.min(options.idleTimeoutMs, 10_000),
    ).unref()
  }

  /** Listens on `host:port` or `unix:PATH`; resolves to the port (a unix socket has 1). */
  listen(address: string, credentials: ServerCredentials): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(address, credentials, (error, port) => {
        if (error) reject(error)
        else resolve(port)
      })
    })
  }

  /** Takes no more calls, waits at most a second for those under way, and ends them. */
  async stop(): Promise<void> {
    clearInterval(this.#sweep)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#server.forceShutdown()
        resolve()
      }, DRAIN_MS)
      this.#server.tryShutdown(() => {
        clearTimeout(timer)
        resolve()
      })
    })
    this.#unaryCalls.close()
  }

  #implementation(): UntypedServiceImplementation {
    const methods: UntypedServiceImplementation = {
      Session: (stream: RawStream) => serveSession(this.#host, stream),
    }
    for (const call of CALLS) methods[call.method] = this.#unaryCalls.handler(call)
    return methods
  }
}

/** Serves one stream, or turns it away when there are too many. */
function serveSession(host: Host, stream: RawStream): void {
  try {
    new GrpcSession(host, stream)
  } catch (error) {
    const refusal = toEnvError(error, host)
    host.observer?.refused(refusal.reason, 0)
    stream.emit('error', grpcStatus(refusal))
  }
}

function serviceDefinition(): ServiceDefinition {
  const definition: Record<string, MethodDefinition<Uint8Array, Uint8Array>> = {
    Session: rawMethod(`/${SERVICE_NAME}/Session`, true),
  }
  for (const { method } of CALLS) definition[method] = rawMethod(`/${SERVICE_NAME}/${method}`, false)
  return definition
}

/** A method whose messages stay bytes. */
function rawMethod(path: string, stream: boolean): MethodDefinition<Uint8Array, Uint8Array> {
  return {
    path,
    requestStream: stream,
    responseStream: stream,
    requestSerialize: toBuffer,
    requestDeserialize: (bytes) => bytes,
    responseSerialize: toBuffer,
    responseDeserialize: (bytes) => bytes,
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
