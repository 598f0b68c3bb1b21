import type { EnvError } from '../env/env-error.ts'
import { envError } from '../env/env-error.ts'
import type { Json } from '../env/game.ts'
import { type Call, callOf, decodeMessage, SessionRequestType, SessionResponseType } from './contract.ts'
import { handle, toEnvError } from './handlers.ts'
import { errorMessage } from './messages.ts'
import { messageFromJson, messageToJson } from './proto-json.ts'
import type { Host, Session } from './session.ts'
import { answerStepLine, readStepLine } from './step-line.ts'
import { parseStrictJson } from './strict-json.ts'

/** The longest request id, in bytes of UTF-8. */
const MAX_ID_BYTES = 256

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Answers one encoded SessionRequest with one encoded SessionResponse. Never throws. */
export function answerBytes(session: Session, bytes: Uint8Array): Uint8Array {
  let id: string | undefined
  try {
    const message = decodeMessage(SessionRequestType, bytes)
    id = readId((message as { id?: unknown }).id)
    const { name, request } = callOf(message)
    return encodeWithinLimit(
      SessionResponseType,
      { id, [name]: handle(session, name, request) },
      session.host,
    )
  } catch (fault) {
    const error = errorMessage(toEnvError(fault, session.host))
    return SessionResponseType.encode(id === undefined ? { error } : { id, error }).finish()
  }
}

/** Answers one line of JSON with one line of JSON, both without the newline. Never throws. */
export function answerLine(session: Session, line: Uint8Array): string {
  let id: string | null = null
  try {
    const step = readStepLine(line)
    if (step !== undefined) {
      id = step.id
      return withinLimit(answerStepLine(session, step), session.host)
    }
    const json = parseStrictJson(decodeUtf8(line))
    id = idOfJson(json)
    const message = messageFromJson(SessionRequestType, json, '')
    readId((message as { id?: unknown }).id)
    const { name, request } = callOf(message)
    const response = messageToJson(SessionResponseType, { id, [name]: handle(session, name, request) })
    return withinLimit(JSON.stringify(response), session.host)
  } catch (fault) {
    return errorLine(toEnvError(fault, session.host), id)
  }
}

/** An error as a line, for messages that have no id or are never parsed. */
export function errorLine(error: EnvError, id: string | null = null): string {
  return JSON.stringify({ id, error: errorMessage(error) })
}

/** Answers one encoded request of a unary call; throws EnvError and nothing else. */
export function answerUnary(session: Session, call: Call, bytes: Uint8Array): Uint8Array {
  try {
    const request = decodeMessage(call.request, bytes)
    return encodeWithinLimit(call.response, handle(session, call.name, request), session.host)
  } catch (fault) {
    throw toEnvError(fault, session.host)
  }
}

function decodeUtf8(line: Uint8Array): string {
  try {
    return utf8.decode(line)
  } catch {
    throw envError('MALFORMED_MESSAGE', 'the line is not UTF-8')
  }
}

function readId(id: unknown): string {
  if (typeof id !== 'string') throw envError('MISSING_FIELD', 'id is missing')
  if (!isIdLength(id)) throw envError('BAD_FIELD', `id is longer than ${MAX_ID_BYTES} bytes`, { field: 'id' })
  return id
}

function isIdLength(id: string): boolean {
  return id.length * 3 <= MAX_ID_BYTES || Buffer.byteLength(id) <= MAX_ID_BYTES
}

/** The id, when it can be read from a message that may be wrong elsewhere. */
function idOfJson(json: Json): string | null {
  const id = typeof json === 'object' && json !== null && 'id' in json ? json.id : null
  return typeof id === 'string' && isIdLength(id) ? id : null
}

function encodeWithinLimit(type: Call['response'], message: object, host: Host): Uint8Array {
  const writer = type.encode(message)
  if (writer.len > host.limits.maxMessageBytes) throw tooLarge(writer.len, host)
  return writer.finish()
}

function withinLimit(line: string, host: Host): string {
  if (line.length > host.limits.maxMessageBytes) throw tooLarge(line.length, host)
  return line
}

function tooLarge(bytes: number, host: Host): EnvError {
  return envError(
    'MESSAGE_TOO_LARGE',
    `the answer takes ${bytes} bytes; a message holds at most ${host.limits.maxMessageBytes}; ask for fewer rows`,
  )
}
