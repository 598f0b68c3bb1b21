import { expect, test } from 'vitest'
import { answerLine } from '../../src/session/exchange.ts'
import { createHost } from '../../src/session/host.ts'
import { Session } from '../../src/session/session.ts'
import { readStepLine } from '../../src/session/step-line.ts'

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function open(numEnvs: number, fields: object = {}): { session: Session; envId: string } {
  const session = new Session(createHost())
  const send = (request: object) => JSON.parse(answerLine(session, Buffer.from(JSON.stringify(request))))
  const makeEnv = { gameId: 'Stackcraft-v1', numEnvs, wireEncoding: 'WIRE_ENCODING_PACKED', ...fields }
  const { envId } = send({ id: 'm', makeEnv }).makeEnv
  send({ id: 'r', reset: { envId, seed: '7' } })
  return { session, envId }
}

function packed(actions: readonly number[]): string {
  return Buffer.from(Int32Array.from(actions).buffer).toString('base64')
}

function fast(id: string, envId: string, packedActions: string): Buffer {
  return Buffer.from(JSON.stringify({ id, step: { envId, packedActions } }))
}

function general(id: string, envId: string, packedActions: string): Buffer {
  return Buffer.from(JSON.stringify({ step: { packedActions, envId }, id }))
}

/** The only thing that may differ between two sessions. */
function withoutEnvId(line: string, envId: string): string {
  return line.replaceAll(envId, 'env')
}

test.each([1, 2, 3, 4, 64])('answers the fast form with the bytes of the general path, %i rows', (rows) => {
  for (const mode of ['NEXT_STEP', 'SAME_STEP']) {
    const fields = { autoresetMode: `AUTORESET_MODE_${mode}` }
    const a = open(rows, fields)
    const b = open(rows, fields)
    let finished = 0
    for (let turn = 0; turn < 150; turn++) {
      const actions = packed(Array.from({ length: rows }, (_, row) => (turn * 17 + row * 7) % 40))
      const line = fast(`${turn}`, a.envId, actions)
      expect(readStepLine(a.session, line)).toBeDefined()
      const got = answerLine(a.session, line)
      expect(got).toBe(answerLine(b.session, general(`${turn}`, b.envId, actions)))
      if (got.includes('"finished":[{')) finished++
    }
    expect(finished).toBeGreaterThan(0)
  }
})

test('tells refusals as the general path does', () => {
  const a = open(2)
  const b = open(2)
  const actions = packed([39, 0])
  const got = answerLine(a.session, fast('1', a.envId, actions))
  expect(got).toContain('"refusals":[{"row":0,"action":39,"reason":"')
  expect(got).toBe(answerLine(b.session, general('1', b.envId, actions)))
})

test('takes canonical base64 only, and leaves the rest to the general path', () => {
  for (const rows of [1, 2, 3]) {
    const { session, envId } = open(rows)
    const right = packed(new Array<number>(rows).fill(3))
    let taken = 0
    for (let at = 0; at < right.length; at++) {
      for (const digit of `${DIGITS}=-_ \\"`) {
        const text = right.slice(0, at) + digit + right.slice(at + 1)
        const line = Buffer.from(`{"id":"1","step":{"envId":"${envId}","packedActions":"${text}"}}`)
        const read = readStepLine(session, line)
        const bytes = Buffer.from(text, 'base64')
        const canonical = bytes.length === 4 * rows && bytes.toString('base64') === text
        expect(read !== undefined, text).toBe(canonical)
        if (read === undefined) continue
        expect(Buffer.from(read.entry.actionBytes).equals(bytes), text).toBe(true)
        taken++
      }
    }
    expect(taken).toBeGreaterThan(100)
  }
})

test('leaves lines that are cut, lengthened or of another environment to the general path', () => {
  const { session, envId } = open(2)
  const right = fast('abc-_9', envId, packed([3, 4])).toString('latin1')
  expect(readStepLine(session, Buffer.from(right))).toMatchObject({ id: 'abc-_9' })
  for (let at = 0; at < right.length; at++) {
    expect(readStepLine(session, Buffer.from(right.slice(0, at))), `${at}`).toBeUndefined()
    const doubled = right.slice(0, at) + right.slice(at, at + 1) + right.slice(at)
    const read = readStepLine(session, Buffer.from(doubled, 'latin1'))
    if (read !== undefined) expect(JSON.parse(doubled).id).toBe(read.id)
  }
  for (const other of [
    `${right} `,
    ` ${right}`,
    right.replace(envId, '0'.repeat(32)),
    right.replace('abc', 'a c'),
  ])
    expect(readStepLine(session, Buffer.from(other))).toBeUndefined()
  const answer = answerLine(session, Buffer.from(right.replace(envId, '0'.repeat(32))))
  expect(JSON.parse(withoutEnvId(answer, envId)).error.reason).toBe('UNKNOWN_ENV')
})
