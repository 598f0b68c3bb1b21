import {
  type ChannelCredentials,
  Client,
  type ClientDuplexStream,
  credentials,
  Metadata,
} from '@grpc/grpc-js'
import { SERVICE_NAME, SessionRequestType, SessionResponseType } from '../../session/contract.ts'
import type { CallName, Calls } from '../../session/message-types.ts'
import type { Host } from '../../session/session.ts'
import { InProcessTransport } from '../../transport/in-process.ts'
import { StartError } from '../../transport/listen-address.ts'

/** A request that the server refused. */
export class ServerRefusal extends Error {
  readonly code: string
  readonly reason: string

  constructor({ code, reason, message }: { code: string; reason: string; message: string }) {
    super(`${code} ${reason}: ${message}`)
    this.code = code
    this.reason = reason
  }
}

/** One session of any server that speaks the contract. */
export interface ContractClient {
  /** Rejects with ServerRefusal when the server refuses, with StartError when it cannot be reached. */
  call<Name extends CallName>(name: Name, request: Partial<Calls[Name][0]>): Promise<Calls[Name][1]>
  close(): Promise<void>
}

/** A session without a wire. */
export function inProcessClient(host: Host): ContractClient {
  const transport = new InProcessTransport(host)
  return { call: caller((bytes) => transport.send(bytes)), close: () => transport.close() }
}

/** How a client is let in: what the transport asks for, and the token that the server does. */
export interface Admission {
  readonly credentials: ChannelCredentials
  readonly token: string | undefined
}

const OPEN: Admission = { credentials: credentials.createInsecure(), token: undefined }

/** A session of a gRPC server at `HOST:PORT` or `unix:PATH`. */
export function grpcClient(address: string, { credentials, token }: Admission = OPEN): ContractClient {
  const client = new Client(address, credentials, { 'grpc.max_receive_message_length': -1 })
  const metadata = new Metadata()
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`)
  const stream = client.makeBidiStreamRequest(
    `/${SERVICE_NAME}/Session`,
    (bytes: Uint8Array) => Buffer.from(bytes),
    (bytes: Buffer): Uint8Array => bytes,
    metadata,
  )
  const exchange = new Exchange(stream, address)
  return {
    call: caller((bytes) => exchange.send(bytes)),
    close: async () => {
      stream.end()
      client.close()
    },
  }
}

/** Matches the responses of a stream to its requests, which they follow in order. */
class Exchange {
  readonly #stream: ClientDuplexStream<Uint8Array, Uint8Array>
  readonly #waiting: { resolve: (bytes: Uint8Array) => void; reject: (error: Error) => void }[] = []
  #ended: Error | undefined

  constructor(stream: ClientDuplexStream<Uint8Array, Uint8Array>, address: string) {
    this.#stream = stream
    stream.on('data', (bytes: Uint8Array) => this.#waiting.shift()?.resolve(bytes))
    stream.on('error', (error: Error) => this.#end(new StartError(`${address}: ${error.message}`)))
    stream.on('end', () => this.#end(new StartError(`${address} ended the session`)))
  }

  send(bytes: Uint8Array): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) {
        reject(this.#ended)
        return
      }
      this.#waiting.push({ resolve, reject })
      this.#stream.write(bytes)
    })
  }

  #end(error: Error): void {
    this.#ended ??= error
    for (const { reject } of this.#waiting.splice(0)) reject(this.#ended)
  }
}

function caller(send: (bytes: Uint8Array) => Promise<Uint8Array>): ContractClient['call'] {
  let id = 0
  return async (name, request) => {
    id++
    const bytes = SessionRequestType.encode({ id: String(id), [name]: request }).finish()
    const response = SessionResponseType.decode(await send(bytes)) as unknown as {
      readonly error?: ServerRefusal
    } & { readonly [Name in CallName]?: Calls[Name][1] }
    if (response.error) throw new ServerRefusal(response.error)
    const answer = response[name]
    if (!answer) throw new StartError(`the server answered ${name} with something else`)
    return answer
  }
}
