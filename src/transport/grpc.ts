import {
  type handleUnaryCall,
  logVerbosity,
  type MethodDefinition,
  Server,
  type ServerCredentials,
  type ServerDuplexStream,
  type ServiceDefinition,
  setLogVerbosity,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { EnvError } from '../env/env-error.ts'
import { CALLS, type Call, SERVICE_NAME } from '../session/contract.ts'
import { answerBytes, answerUnary } from '../session/exchange.ts'
import { toEnvError } from '../session/handlers.ts'
import { IdleWork } from '../session/idle-work.ts'
import { type Host, Session } from '../session/session.ts'
import { addHealthService } from './grpc-health.ts'
import { addReflectionService } from './grpc-reflection.ts'
import { grpcStatus } from './grpc-status.ts'

/** Messages cross the library as bytes, so that one that does not decode is answered like any other fault. */
export type RawStream = ServerDuplexStream<Uint8Array, Uint8Array>

export interface GrpcOptions {
  /** Whether to serve the reflection service. */
  readonly reflection: boolean
  /** How long an environment of the unary calls may stay unused, in milliseconds. */
  readonly idleTimeoutMs: number
}

/** What goes wrong is told by statuses and exit codes; the library's own lines would only repeat it. */
setLogVerbosity(logVerbosity.NONE)

/** How long a stop waits for calls under way, in milliseconds. */
const DRAIN_MS = 1000

/** The contract over gRPC. */
export class GrpcServer {
  readonly #server: Server
  readonly #host: Host
  readonly #unary: Session
  readonly #sweep: NodeJS.Timeout

  constructor(host: Host, options: GrpcOptions) {
    const { maxMessageBytes } = host.limits
    this.#host = host
    this.#unary = new Session(host)
    this.#server = new Server({
      'grpc.max_receive_message_length': maxMessageBytes,
      'grpc.max_send_message_length': -1,
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
    this.#unary.close()
  }

  #implementation(): UntypedServiceImplementation {
    const methods: UntypedServiceImplementation = {
      Session: (stream: RawStream) => serveSession(this.#host, stream),
    }
    for (const call of CALLS) methods[call.method] = this.#unaryHandler(call)
    return methods
  }

  #unaryHandler(call: Call): handleUnaryCall<Uint8Array, Uint8Array> {
    return ({ request }, callback) => {
      try {
        callback(null, answerUnary(this.#unary, call, request))
      } catch (error) {
        callback(grpcStatus(error instanceof EnvError ? error : toEnvError(error, this.#host)))
      }
    }
  }
}

/** Answers the requests of one stream in order; its environments are freed when it ends in any way. */
function serveSession(host: Host, stream: RawStream): void {
  let session: Session
  try {
    session = new Session(host)
  } catch (error) {
    stream.emit('error', grpcStatus(toEnvError(error, host)))
    return
  }
  const idle = new IdleWork(session)
  const free = () => {
    idle.stop()
    session.close()
  }
  stream.on('data', (request: Uint8Array) => {
    if (stream.cancelled) return
    if (!stream.write(answerBytes(session, request))) {
      stream.pause()
      stream.once('drain', () => stream.resume())
    }
    idle.schedule()
  })
  stream.on('end', () => {
    free()
    stream.end()
  })
  for (const event of ['cancelled', 'error', 'close']) stream.on(event, free)
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
