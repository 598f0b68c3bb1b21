import type { EnvError } from '../env/env-error.ts'
import { envError } from '../env/env-error.ts'
import type { Json } from '../env/game.ts'
import { parseStrictJson } from '../env/strict-json.ts'
import { type Call, callOf, decodeMessage, SessionRequestType, SessionResponseType } from './contract.ts'
import { handle, toEnvError } from './handlers.ts'
import { LineBuffer } from './line-buffer.ts'
import type { AnyResponse, BatchResponse, CallName, PlayResponse } from './message-types.ts'
import { errorMessage } from './messages.ts'
import { messageFromJson, messageToJson } from './proto-json.ts'
import type { Host, Session } from './session.ts'
import { answerStepLine, readStepLine } from './step-line.ts'

/** The longest request id, in bytes of UTF-8. */
const MAX_ID_BYTES = 256

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Answers one encoded SessionRequest with one encoded SessionResponse. Never throws. */
export function answerBytes(session: Session, bytes: Uint8Array): Uint8Array {
  const { host } = session
  const started = startClock(host)
  let id: string | undefined
  try {
    const message = decodeMessage(SessionRequestType, bytes)
    id = readId((message as { id?: unknown }).id)
    const { name, request } = callOf(message)
    const response = handle(session, name, request)
    const encoded = encodeWithinLimit(SessionResponseType, { id, [name]: response }, host)
    noteAnswer(host, name, response, started)
    return encoded
  } catch (fault) {
    const error = errorMessage(noteRefusal(host, fault, started))
    return SessionResponseType.encode(id === undefined ? { error } : { id, error }).finish()
  }
}

/** Answers one line of JSON with one line of JSON, both without the newline. Never throws. */
export function answerLine(session: Session, line: Uint8Array): string {
  const out = new LineBuffer()
  writeAnswer(session, line, out)
  return out.line().toString()
}

/** The same into a buffer that it clears first. Never throws. */
export function writeAnswer(session: Session, line: Uint8Array, out: LineBuffer): void {
  const { host } = session
  const started = startClock(host)
  let id: string | null = null
  out.clear()
  try {
    const step = readStepLine(session, line)
    if (step !== undefined) {
      id = step.id
      const response = answerStepLine(step, out)
      checkLimit(out.length, host)
      noteAnswer(host, 'step', response, started)
      return
    }
    const given = parseStrictJson(decodeUtf8(line))
    id = idOfJson(given)
    const message = messageFromJson(SessionRequestType, given, '')
    readId((message as { id?: unknown }).id)
    const { name, request } = callOf(message)
    const response = handle(session, name, request)
    out.text(JSON.stringify(messageToJson(SessionResponseType, { id, [name]: response })))
    checkLimit(out.length, host)
    noteAnswer(host, name, response, started)
  } catch (fault) {
    out.clear()
    out.text(errorLine(noteRefusal(host, fault, started), id))
  }
}

/** An error as a line, for messages that have no id or are never parsed. */
export function errorLine(error: EnvError, id: string | null = null): string {
  return JSON.stringify({ id, error: errorMessage(error) })
}

/** Answers one encoded request of a unary call; throws EnvError and nothing else. */
export function answerUnary(session: Session, call: Call, bytes: Uint8Array): Uint8Array {
  const { host } = session
  const started = startClock(host)
  try {
    const request = decodeMessage(call.request, bytes)
    const response = handle(session, call.name, request)
    const encoded = encodeWithinLimit(call.response, response, host)
    noteAnswer(host, call.name, response, started)
    return encoded
  } catch (fault) {
    throw noteRefusal(host, fault, started)
  }
}

/** The time, where somebody wants to know how long answers take. */
function startClock(host: Host): number {
  return host.observer === undefined ? 0 : performance.now()
}

function noteAnswer(host: Host, name: CallName, response: AnyResponse, started: number): void {
  const { observer } = host
  if (observer === undefined) return
  let rows = 0
  if (name === 'step') {
    const { batch } = response as BatchResponse
    rows = batch.terminations.length
    for (const { reason } of batch.refusals) observer.actionRefused(reason)
  } else if (name === 'play') {
    const { ok, reason } = response as PlayResponse
    if (ok) rows = 1
    else observer.actionRefused(reason)
  }
  observer.answered(name, rows, (performance.now() - started) / 1000)
}

function noteRefusal(host: Host, fault: unknown, started: number): EnvError {
  const error = toEnvError(fault, host)
  host.observer?.refused(error.reason, (performance.now() - started) / 1000)
  return error
}

function decodeUtf8(line: Uint8Array): string {
  try {
    return utf8.decode(line)
  } catch {
    throw envError('MALFORMED_MESSAGE', 'the line is not UTF-8')
  }
}

function readId(id: unknown): string {
  if (typeof id !== 'string') throw envError('MISSING_FIELD', 'id is missing', { field: 'id' })
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
  checkLimit(writer.len, host)
  return writer.finish()
}

function checkLimit(bytes: number, host: Host): void {
  if (bytes > host.limits.maxMessageBytes) throw tooLarge(bytes, host)
}

function tooLarge(bytes: number, host: Host): EnvError {
  return envError(
    'MESSAGE_TOO_LARGE',
    `the answer takes ${bytes} bytes; a message holds at most ${host.limits.maxMessageBytes}; ask for fewer rows`,
  )
}
