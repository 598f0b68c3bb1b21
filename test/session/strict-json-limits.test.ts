import { describe, expect, it } from 'vitest'
import { parseStrictJson } from '../../src/env/strict-json.ts'
import { answerLine } from '../../src/session/exchange.ts'
import { createHost } from '../../src/session/host.ts'
import { Session } from '../../src/session/session.ts'
import type { JsonObject } from '../transport/connect.ts'

const session = new Session(createHost())

describe('the parts of a JSON message', () => {
  it.each([
    ['objects', `[${'{},'.repeat(2000)}{}]`],
    ['arrays', `[${'[],'.repeat(2000)}[]]`],
    ['keys', `{${Array.from({ length: 5000 }, (_, i) => `"${i}":1`).join(',')}}`],
    ['values', `{"id":"1","step":{"actions":[${'1,'.repeat(1_200_000)}1]}}`],
    ['open arrays', '['.repeat(3_000_000)],
    ['open strings', '"\\'.repeat(1_000_001)],
  ])('are bounded: too many %s are refused before anything is built of them', (_, text) => {
    const reply = JSON.parse(answerLine(session, Buffer.from(text))) as JsonObject
    expect(reply).toMatchObject({
      id: null,
      error: { code: 'INVALID_ARGUMENT', reason: 'MALFORMED_MESSAGE' },
    })
  })

  it('may be as many as the largest environment has rows', () => {
    const actions = `[${'1,'.repeat(1_048_575)}1]`
    expect(parseStrictJson(`{"actions":${actions}}`)).toHaveProperty('actions.length', 1_048_576)
  })

  it('may be more where a reader says so', () => {
    const limits = { containers: 5000, keys: 1, commas: 10_000 }
    expect(parseStrictJson(`[${'{},'.repeat(2000)}{}]`, limits)).toHaveLength(2001)
    expect(() => parseStrictJson('{"a":1,"b":2}', limits)).toThrow(/over 1 keys/)
  })
})
