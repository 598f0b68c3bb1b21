import { describe, expect, it } from 'vitest'
import { parseStrictJson } from '../../src/env/strict-json.ts'
import { answerLine } from '../../src/session/exchange.ts'
import { createHost } from '../../src/session/host.ts'
import { Session } from '../../src/session/session.ts'
import type { JsonObject } from '../transport/connect.ts'

const session = new Session(createHost())

function answer(line: string | Uint8Array): JsonObject {
  return JSON.parse(answerLine(session, Buffer.from(line))) as JsonObject
}

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

describe('strict JSON', () => {
  it.each([
    ['duplicate key', '{"id":"1","id":"2","listGames":{}}'],
    ['duplicate key in another spelling', '{"id":"1","\\u0069d":"2","listGames":{}}'],
    ['duplicate key deep inside', '{"id":"1","makeEnv":{"config":{"a":"1","a":"2"}}}'],
    ['NaN', '{"id":"1","makeEnv":{"numEnvs":NaN}}'],
    ['text after the message', '{"id":"1","listGames":{}} x'],
    ['a byte order mark', '\ufeff{"id":"1","listGames":{}}'],
    ['nesting over 16', `{"id":"1","listGames":${nested(16)}}`],
    ['nesting of 100,000', nested(100_000)],
    ['no JSON', 'hello'],
    ['an open string', '{"id":"1'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
  ])('refuses %s as malformed, with id null', (_, line) => {
    expect(answer(line)).toMatchObject({
      id: null,
      error: { code: 'INVALID_ARGUMENT', reason: 'MALFORMED_MESSAGE' },
    })
  })

  it.each([
    ['an unknown field', 'UNKNOWN_FIELD', '{"id":"1","listGames":{"x":1}}'],
    ['an unknown call', 'UNKNOWN_FIELD', '{"id":"1","fly":{}}'],
    ['a snake_case name', 'UNKNOWN_FIELD', '{"id":"1","makeEnv":{"game_id":"x"}}'],
    ['__proto__', 'UNKNOWN_FIELD', '{"id":"1","__proto__":{"listGames":{}}}'],
    ['constructor', 'UNKNOWN_FIELD', '{"id":"1","constructor":{}}'],
    ['true for an integer', 'BAD_FIELD', '{"id":"1","makeEnv":{"numEnvs":true}}'],
    ['a quoted integer', 'BAD_FIELD', '{"id":"1","makeEnv":{"numEnvs":"3"}}'],
    ['1.5 for an integer', 'BAD_FIELD', '{"id":"1","makeEnv":{"numEnvs":1.5}}'],
    ['1e400', 'BAD_FIELD', '{"id":"1","makeEnv":{"numEnvs":1e400}}'],
    ['an integer past 32 bits', 'BAD_FIELD', '{"id":"1","makeEnv":{"numEnvs":2147483648}}'],
    ['null', 'BAD_FIELD', '{"id":"1","makeEnv":{"gameId":null}}'],
    ['a number for a string', 'BAD_FIELD', '{"id":"1","makeEnv":{"gameId":7}}'],
    ['a number for a boolean', 'BAD_FIELD', '{"id":"1","makeEnv":{"record":1}}'],
    ['an enum by number', 'BAD_FIELD', '{"id":"1","makeEnv":{"autoresetMode":1}}'],
    ['an unknown enum name', 'BAD_FIELD', '{"id":"1","makeEnv":{"autoresetMode":"toString"}}'],
    ['an object for a list', 'BAD_FIELD', '{"id":"1","step":{"actions":{}}}'],
    ['a list for an object', 'BAD_FIELD', '{"id":"1","step":[]}'],
    ['base64 without padding', 'BAD_FIELD', '{"id":"1","step":{"packedActions":"AAAAAA"}}'],
    ['base64 of another alphabet', 'BAD_FIELD', '{"id":"1","step":{"packedActions":"__8="}}'],
    ['two calls', 'CONFLICTING_FIELDS', '{"id":"1","listGames":{},"closeEnv":{}}'],
  ])('refuses %s and echoes the id', (_, reason, line) => {
    expect(answer(line)).toMatchObject({ id: '1', error: { code: 'INVALID_ARGUMENT', reason } })
  })

  it.each([
    ['a missing id', 'MISSING_FIELD', '{"listGames":{}}'],
    ['an id of another type', 'BAD_FIELD', '{"id":7,"listGames":{}}'],
    ['an id that is too long', 'BAD_FIELD', `{"id":"${'x'.repeat(257)}","listGames":{}}`],
  ])('refuses %s with id null', (_, reason, line) => {
    expect(answer(line)).toMatchObject({ id: null, error: { code: 'INVALID_ARGUMENT', reason } })
  })

  it.each<[string, object]>([
    ['null', {}],
    ['7', {}],
    ['{"id":"1","fly":{}}', {}],
    ['{"id":"1","listGames":{"x":1}}', { field: 'list_games' }],
    ['{"id":"1","makeEnv":{"numEnvs":"3"}}', { field: 'num_envs' }],
  ])('names the field of the contract, or none: %s', (line, metadata) => {
    expect((answer(line).error as JsonObject).metadata).toEqual(metadata)
  })

  it('names the field and row of a bad seed', () => {
    const made = answer('{"id":"1","makeEnv":{"gameId":"Stackcraft-v1","numEnvs":2}}').makeEnv as JsonObject
    const metadataOf = (fields: object) => {
      const reply = answer(JSON.stringify({ id: '1', reset: { envId: made.envId, ...fields } }))
      return (reply.error as JsonObject).metadata
    }
    expect(metadataOf({ seed: '07' })).toEqual({ field: 'seed' })
    expect(metadataOf({ seed: '9'.repeat(64) })).toEqual({ field: 'seed' })
    expect(metadataOf({ seeds: ['1', '07'] })).toEqual({ field: 'seeds', row: '1' })
  })

  it('never repeats the value of a seed', () => {
    for (const value of ['12345678', '"x12345678"', '[12345678]', '{"a":12345678}']) {
      for (const field of ['seed', 'seeds', 'replayJson']) {
        const line = answerLine(session, Buffer.from(`{"id":"1","reset":{"envId":"x","${field}":${value}}}`))
        expect(line).not.toContain('12345678')
      }
      for (const rest of [`"reset":${value}`, `"reset":{"envId":"x","episodes":${value}}`]) {
        expect(answerLine(session, Buffer.from(`{"id":"1",${rest}}`))).not.toContain('12345678')
      }
    }
  })

  it('takes what JSON allows: spaces, escapes, any order, U+2028 as data', () => {
    expect(answer(' { "listGames" : { } , "id" : "\\u00e9\u2028\\"\\\\" } ')).toMatchObject({
      id: 'é\u2028"\\',
      listGames: { games: expect.any(Array) },
    })
  })

  it('equals JSON.parse where both accept', () => {
    for (const text of [
      '{"a":{"b":[1,"}{",{"a":1}]},"c":"\\\\\\""}',
      '[{"a":1},{"a":2}]',
      '"a:b"',
      nested(16),
    ]) {
      expect(parseStrictJson(text)).toEqual(JSON.parse(text))
    }
  })
})
