import type protobuf from 'protobufjs'
import { describe, expect, it } from 'vitest'
import { finish, type Slices } from '../../src/env/slices.ts'
import { SessionResponseType } from '../../src/session/contract.ts'
import { encodeList, listOf, writeJson } from '../../src/session/encode-slices.ts'
import { answerBytes, answerBytesInSlices, answerLine, beginAnswer } from '../../src/session/exchange.ts'
import { HANDLERS } from '../../src/session/handlers.ts'
import { createHost } from '../../src/session/host.ts'
import { LineBuffer } from '../../src/session/line-buffer.ts'
import { messageToJson } from '../../src/session/proto-json.ts'
import { Session } from '../../src/session/session.ts'
import { decodeResponse, encodeRequest, type JsonObject } from '../transport/connect.ts'

const ROWS = 40

/** A session with one environment. */
class Client {
  readonly session: Session
  readonly envId: string

  constructor(gameId: string, settings: JsonObject = {}) {
    let ids = 0
    // The ids are drawn at random elsewhere; here two clients have the same.
    this.session = new Session({ ...createHost(), newEnvId: () => String(ids++).padStart(32, '0') })
    const made = this.ask({ makeEnv: { gameId, numEnvs: ROWS, ...settings } }).makeEnv as JsonObject
    this.envId = made.envId as string
  }

  ask(request: JsonObject): JsonObject {
    return decodeResponse(answerBytes(this.session, encodeRequest({ id: '1', ...request })))
  }

  request(call: string, fields: JsonObject = {}): JsonObject {
    return { id: '1', [call]: { envId: this.envId, ...fields } }
  }
}

/** Drives work to its end with other things done between the slices; gives its result and their number. */
function drive<T>(work: Slices<T>, between: () => void): { value: T; slices: number } {
  for (let slices = 1; ; slices++) {
    const slice = work.next()
    if (slice.done === true) return { value: slice.value, slices }
    between()
  }
}

const actions = Array.from({ length: ROWS }, (_, row) => row % 7)
const same = { autoresetMode: 'AUTORESET_MODE_SAME_STEP', maxEpisodeSteps: 3, record: true }

describe.each(['Stackcraft-v1', 'LumenBlocks-v1', 'Hourloom-v1'])('%s in slices', (gameId) => {
  it('is answered as at once, whatever is done between them', () => {
    const [sliced, control] = [new Client(gameId, same), new Client(gameId, same)]
    const other = new Client(gameId)
    const between = () => {
      other.ask(other.request('reset', { seed: '9' }))
      // Work ahead of need may fall between two slices too.
      sliced.session.prepare()
    }
    const requests: [string, JsonObject?][] = [
      ['reset', { seed: '5' }],
      ['step', { actions }],
      ['getActionMask'],
      ['explain', { row: 3 }],
      ['step', { actions }],
      ['step', { actions }],
      ['saveReplay', { row: 1 }],
      ['reset', { resetMask: Buffer.alloc(ROWS, 1).toString('base64') }],
      ...(gameId === 'Hourloom-v1'
        ? []
        : ([['afterstates'], ['afterstates', { beamWidth: 3 }]] as [string, JsonObject?][])),
    ]
    for (const [call, fields] of requests) {
      const request = sliced.request(call, fields)
      const { value, slices } = drive(answerBytesInSlices(sliced.session, encodeRequest(request)), between)
      expect(slices, call).toBeGreaterThan(1)
      const wanted = answerBytes(control.session, encodeRequest(request))
      expect(Buffer.compare(value, wanted), call).toBe(0)
      expect(decodeResponse(value).error, call).toBeUndefined()
    }
  })

  it('is answered on lines as at once, also by the short way for steps', () => {
    const [sliced, control] = [new Client(gameId, same), new Client(gameId, same)]
    const packedActions = Buffer.from(Int32Array.from(actions).buffer).toString('base64')
    const out = new LineBuffer()
    for (const request of [
      sliced.request('reset', { seed: '5' }),
      sliced.request('step', { packedActions }),
      sliced.request('step', { actions }),
      sliced.request('getActionMask'),
    ]) {
      const line = Buffer.from(JSON.stringify(request))
      const { slices } = drive(beginAnswer(sliced.session, line, out)!, () => undefined)
      expect(slices).toBeGreaterThan(1)
      expect(out.line().toString()).toBe(answerLine(control.session, line))
    }
  })

  it('refuses before the first of them, with nothing changed', () => {
    const client = new Client(gameId)
    client.ask(client.request('reset', { seed: '5' }))
    const before = client.ask(client.request('getActionMask'))
    for (const fields of [{ actions: [...actions.slice(1), 9999] }, { actions: actions.slice(1) }]) {
      const work = answerBytesInSlices(client.session, encodeRequest(client.request('step', fields)))
      const { value, slices } = drive(work, () => undefined)
      expect(slices).toBe(1)
      expect(decodeResponse(value).error).toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
    expect(client.ask(client.request('getActionMask'))).toEqual(before)
  })
})

describe('a long list', () => {
  it.each([
    ['getActionMask', { rows: [] }],
    ['explain', { row: 2, actions: [] }],
  ] as const)('is encoded as its parts as it would be whole: %s', (call, fields) => {
    const client = new Client('BlockPuzzle8-v1')
    client.ask(client.request('reset', { seed: '5' }))
    const request = client.request(call, fields)
    const handler = HANDLERS[call] as (session: Session, request: object) => object
    const response = { id: '1', [call]: handler(client.session, { envId: client.envId, ...fields }) }
    const wanted = Buffer.from(SessionResponseType.encode(response).finish())
    expect(Buffer.compare(answerBytes(client.session, encodeRequest(request)), wanted)).toBe(0)
    const line = answerLine(client.session, Buffer.from(JSON.stringify(request)))
    expect(line).toBe(JSON.stringify(messageToJson(SessionResponseType, response)))
  })

  it('is given up as soon as its parts are more than is allowed', () => {
    const type = SessionResponseType.fields.explain!.resolvedType as protobuf.Type
    const explanations = Array.from({ length: 1000 }, (_, action) => ({ action, name: 'x'.repeat(100) }))
    let told = 0
    const check = (bytes: number) => {
      told = bytes
      if (bytes > 10_000) throw new Error('too many')
    }
    const encoded = () => finish(encodeList(type, listOf(type)!, { explanations }, check))
    const written = () => finish(writeJson(type, { explanations }, new LineBuffer(), check))
    for (const work of [encoded, written]) {
      told = 0
      expect(work).toThrow('too many')
      expect(told).toBeLessThan(20_000)
    }
  })
})
