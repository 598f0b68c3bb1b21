import { readFileSync } from 'node:fs'
import protobuf from 'protobufjs'
import { envError } from '../env/env-error.ts'
import type { CallName } from './message-types.ts'
import { checkWire } from './wire-check.ts'

/** The text of environment.proto, put in place by the bundler; from sources it is read from its file. */
declare const BLOCKLOOM_PROTO: string

export const SERVICE_NAME = 'blockloom.v1.EnvironmentService'

/** The contract, with every type resolved. */
export const root: protobuf.Root = protobuf.parse(contractText()).root
root.resolveAll()

/** A call of the contract: its name on a session, its unary method and its messages. */
export interface Call {
  readonly name: CallName
  readonly method: string
  readonly request: protobuf.Type
  readonly response: protobuf.Type
}

export const SessionRequestType: protobuf.Type = root.lookupType('blockloom.v1.SessionRequest')
export const SessionResponseType: protobuf.Type = root.lookupType('blockloom.v1.SessionResponse')

/** Every call, in the order of the contract. */
export const CALLS: readonly Call[] = readCalls()

/** What a SessionRequest holds: its id, if it could be read, and its call. */
export interface DecodedRequest {
  readonly name: CallName
  readonly request: object
}

/** Decodes a protobuf message; MALFORMED_MESSAGE when the bytes are none. */
export function decodeMessage(type: protobuf.Type, bytes: Uint8Array): protobuf.Message {
  try {
    checkWire(type, bytes)
    return type.decode(bytes)
  } catch {
    throw envError('MALFORMED_MESSAGE', `the bytes do not decode as ${type.name}`)
  }
}

/** The one call in a session request. */
export function callOf(message: object): DecodedRequest {
  const present = CALLS.filter(({ name }) => Object.hasOwn(message, name))
  const call = present[0]
  if (call === undefined) {
    throw envError(
      'MISSING_FIELD',
      `the request holds no call; allowed: ${CALLS.map((c) => c.name).join(', ')}`,
      { field: 'call' },
    )
  }
  if (present.length > 1) {
    throw envError(
      'CONFLICTING_FIELDS',
      `the request holds ${present.length} calls; exactly one is allowed`,
      {
        field: 'call',
      },
    )
  }
  return { name: call.name, request: (message as Record<string, object>)[call.name]! }
}

/** The text of the contract. */
export function contractText(): string {
  if (typeof BLOCKLOOM_PROTO === 'string') return BLOCKLOOM_PROTO
  return readFileSync(new URL('../../proto/blockloom/v1/environment.proto', import.meta.url), 'utf8')
}

function readCalls(): Call[] {
  const fields = SessionRequestType.oneofs.call!.fieldsArray
  return fields.map((field) => {
    const name = field.name as CallName
    const method = name[0]!.toUpperCase() + name.slice(1)
    return {
      name,
      method,
      request: field.resolvedType as protobuf.Type,
      response: SessionResponseType.fields[name]!.resolvedType as protobuf.Type,
    }
  })
}
