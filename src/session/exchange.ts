import type protobuf from 'protobufjs'
import type { EnvError } from '../env/env-error.ts'
import { envError } from '../env/env-error.ts'
import type { Json } from '../env/game.ts'
import { finish, type Slices } from '../env/slices.ts'
import { parseStrictJson } from '../env/strict-json.ts'
import { writeBatch } from './batch-line.ts'
import { type Call, callOf, decodeMessage, SessionRequestType, SessionResponseType } from './contract.ts'
import { encodeList, listOf, writeJson } from './encode-slices.ts'
import { handleInSlices, toEnvError } from './handlers.ts'
import { LineBuffer } from './line-buffer.ts'
import type { AnyResponse, BatchResponse, CallName, PlayResponse } from './message-types.ts'
import { errorMessage } from './messages.ts'
import { messageFromJson } from './proto-json.ts'
import type { Host, Session } from './session.ts'
import { answerStepLine, readStepLine, type StepLine, writeStepLine } from './step-line.ts'

/** The longest request id, in bytes of UTF-8. */
const MAX_ID_BYTES = 256

/** The wire type of a message within a message. */
const LENGTH_DELIMITED = 2

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Answers one encoded SessionRequest with one encoded SessionResponse. Never throws. */
export function answerBytes(session: Session, bytes: Uint8Array): Uint8Array {
  return finish(answerBytesInSlices(session, bytes))
}

/** The same in slices. The session must be given nothing else before the last of them. */
export function* answerBytesInSlices(session: Session, bytes: Uint8Array): Slices<Uint8Array> {
  const { host } = session
  const started = startClock(host)
  let id: string | undefined
  try {
    const message = decodeMessage(SessionRequestType, bytes)
    id = readId((message as { id?: unknown }).id)
    const { name, request } = callOf(message)
    const response = yield* handleInSlices(session, name, request)
    const encoded = yield* encodeResponse(id, name, response, host)
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
  const rest = beginAnswer(session, line, out)
  if (rest !== undefined) finish(rest)
}

/**
 * Answers a line that is quick to answer, or gives the answer in slices, before the last of which the session must
 * be given nothing else and the buffer be left alone. Never throws.
 */
export function beginAnswer(session: Session, line: Uint8Array, out: LineBuffer): Slices<void> | undefined {
  const { host } = session
  const started = startClock(host)
  out.clear()
  const step = readStepLine(session, line)
  if (step === undefined) return answerAnyLine(session, line, out, started)
  if (step.entry.env.isLarge) return answerLargeStep(session, step, out, started)
  try {
    const response = answerStepLine(step, out)
    checkLimit(out.length, host)
    noteAnswer(host, 'step', response, started)
  } catch (fault) {
    refuse(host, fault, step.id, out, started)
  }
  return undefined
}

function* answerLargeStep(session: Session, step: StepLine, out: LineBuffer, started: number): Slices<void> {
  const { host } = session
  const { env, actions } = step.entry
  try {
    yield* env.stepInSlices(actions)
    const response = writeStepLine(step, out)
    checkLimit(out.length, host)
    noteAnswer(host, 'step', response, started)
  } catch (fault) {
    refuse(host, fault, step.id, out, started)
  }
}

function* answerAnyLine(session: Session, line: Uint8Array, out: LineBuffer, started: number): Slices<void> {
  const { host } = session
  let id: string | null = null
  try {
    const given = parseStrictJson(decodeUtf8(line))
    id = idOfJson(given)
    const message = messageFromJson(SessionRequestType, given, '')
    readId((message as { id?: unknown }).id)
    const { name, request } = callOf(message)
    const response = yield* handleInSlices(session, name, request)
    if (name === 'reset' || name === 'step') {
      out.text(`{"id":${JSON.stringify(id)}`)
      writeBatch(`,"${name}":`, response as BatchResponse, out)
    } else {
      out.text(`{"id":${JSON.stringify(id)},"${name}":`)
      const type = SessionResponseType.fields[name]!.resolvedType as protobuf.Type
      yield* writeJson(type, response, out, (bytes) => checkLimit(bytes, host))
      out.text('}')
    }
    checkLimit(out.length, host)
    noteAnswer(host, name, response, started)
  } catch (fault) {
    refuse(host, fault, id, out, started)
  }
}

function refuse(host: Host, fault: unknown, id: string | null, out: LineBuffer, started: number): void {
  out.clear()
  out.text(errorLine(noteRefusal(host, fault, started), id))
}

/** An error as a line, for messages that have no id or are never parsed. */
export function errorLine(error: EnvError, id: string | null = null): string {
  return JSON.stringify({ id, error: errorMessage(error) })
}

/** Answers one encoded request of a unary call, in slices; throws EnvError and nothing else. */
export function* answerUnary(session: Session, call: Call, bytes: Uint8Array): Slices<Uint8Array> {
  const { host } = session
  const started = startClock(host)
  try {
    const request = decodeMessage(call.request, bytes)
    const response = yield* handleInSlices(session, call.name, request)
    const encoded = yield* encodeMessage(call.response, response, host)
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

/** A SessionResponse with its id and its one call. */
function* encodeResponse(id: string, name: CallName, response: AnyResponse, host: Host): Slices<Uint8Array> {
  const field = SessionResponseType.fields[name]!
  const type = field.resolvedType as protobuf.Type
  if (listOf(type) === undefined) return encodeAtOnce(SessionResponseType, { id, [name]: response }, host)
  const inner = yield* encodeMessage(type, response, host)
  const head = SessionResponseType.encode({ id })
    .uint32(field.id * 8 + LENGTH_DELIMITED)
    .uint32(inner.length)
    .finish()
  checkLimit(head.length + inner.length, host)
  return Buffer.concat([head, inner])
}

function* encodeMessage(type: protobuf.Type, message: object, host: Host): Slices<Uint8Array> {
  const list = listOf(type)
  if (list === undefined) return encodeAtOnce(type, message, host)
  return Buffer.concat(yield* encodeList(type, list, message, (bytes) => checkLimit(bytes, host)))
}

function encodeAtOnce(type: protobuf.Type, message: object, host: Host): Uint8Array {
  const writer = type.encode(message)
  checkLimit(writer.len, host)
  return writer.finish()
}

function checkLimit(bytes: number, { limits: { maxMessageBytes } }: Host): void {
  if (bytes <= maxMessageBytes) return
  throw envError(
    'MESSAGE_TOO_LARGE',
    `the answer takes more than the ${maxMessageBytes} bytes that a message holds; ask for fewer rows`,
  )
}
