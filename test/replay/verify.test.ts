import { describe, expect, it } from 'vitest'
import { GAMES } from '../../src/games/registry.ts'
import type { ReplayFault } from '../../src/replay/format.ts'
import { saveReplay } from '../../src/replay/save.ts'
import { verifyReplay } from '../../src/replay/verify.ts'
import { ladder } from '../env/ladder-game.ts'
import { defaultGame, playRandomly } from './random-play.ts'

const KNOWN = [...GAMES, ladder]
const LONG_SEEDS = [100, 300, 4300].map((digits) => `-${'9876543210'.repeat(430).slice(0, digits)}`)

/** A finished climb: up from rung 0 of this seed, with a summary that is true. */
const CLIMB =
  '{"schema_version":1,"rules_version":"ladder-v1","seed":41,"config":{"height":9},' +
  '"actions":["up","up2"],"final":{"score":3,"moves":2,"terminal":false}}'

function faultOf(text: string): ReplayFault {
  const verdict = verifyReplay(text, KNOWN)
  if (verdict.ok) throw new Error(`this verified: ${text.slice(0, 200)}`)
  return verdict.fault
}

function reasonOf(from: string | RegExp, to: string): string {
  const text = CLIMB.replace(from, to)
  expect(text, 'the replacement did nothing').not.toBe(CLIMB)
  return faultOf(text).reason
}

describe('a saved replay', () => {
  for (const game of KNOWN) {
    it.each(['0', '7', '-12', '9007199254740993', ...LONG_SEEDS])(
      `of ${game.id} verifies, seed %.20s`,
      (seed) => {
        const made = defaultGame(game)
        const whole = playRandomly(made, seed, 400)
        for (const actions of [whole, whole.slice(0, whole.length >> 1), []]) {
          const text = saveReplay(made, { seed, replay: {}, actions })
          expect(text).toContain(`"seed":${seed},`)
          const verdict = verifyReplay(text, KNOWN)
          if (!verdict.ok) throw new Error(verdict.fault.message)
          expect(verdict.replay).toMatchObject({ seed, actions, config: made.config })
          expect(saveReplay(verdict.replay, { seed, replay: {}, actions })).toBe(text)
        }
      },
    )

    it(`of ${game.id} is refused when one action, the seed or any figure is changed`, () => {
      const made = defaultGame(game)
      const actions = playRandomly(made, '5', 60)
      const text = saveReplay(made, { seed: '5', replay: {}, actions })
      const { final } = JSON.parse(text) as { final: Record<string, number | boolean> }
      for (const [key, value] of Object.entries(final)) {
        const lies =
          typeof value === 'boolean' ? [!value, Number(value), null] : [value + 1, `${value}`, true]
        for (const lie of lies) {
          const forged = text.replace(/"final":.*$/, `"final":${JSON.stringify({ ...final, [key]: lie })}}`)
          expect(faultOf(forged).reason, `${key} ${String(lie)}`).toBe('summary_mismatch')
        }
        const without = JSON.stringify({ ...final, [key]: undefined })
        expect(faultOf(text.replace(/"final":.*$/, `"final":${without}}`)).reason).toBe('summary_mismatch')
        if (typeof value !== 'number') continue
        const asFloat = text.replace(`"${key}":${value}`, `"${key}":${value}.0`)
        expect(faultOf(asFloat).reason, asFloat.slice(-80)).toBe('summary_mismatch')
      }
      expect(verifyReplay(text.replace(/,"final":.*$/, '}'), KNOWN).ok).toBe(true)
    })
  }

  it('of a game whose configuration changes nothing but the view has exactly the five keys', () => {
    const stackcraft = defaultGame(GAMES[0]!)
    const text = saveReplay(stackcraft, { seed: '7', replay: {}, actions: [8] })
    expect(text).toBe(
      '{"schema_version":1,"rules_version":"stackcraft-v1","seed":7,"actions":["r0x8"],' +
        '"final":{"score":0,"lines":0,"pieces":1,"terminal":false}}',
    )
  })
})

describe('a replay is refused for', () => {
  it('its versions', () => {
    expect(reasonOf('"schema_version":1', '"schema_version":2')).toBe('bad_version')
    expect(reasonOf('"schema_version":1', '"schema_version":1.0')).toBe('bad_version')
    expect(reasonOf('"schema_version":1', '"schema_version":true')).toBe('bad_version')
    expect(reasonOf('"schema_version":1', '"schema_version":"1"')).toBe('bad_version')
    expect(reasonOf('"ladder-v1"', '"ladder-v2"')).toBe('bad_version')
    expect(reasonOf('"ladder-v1"', '7')).toBe('bad_version')
  })

  it.each(['"41"', '41.0', '4.1e1', '-0', 'true', 'null', '[41]', '1e400', `-${'9'.repeat(4301)}`])(
    'the seed %.20s, without repeating it',
    (seed) => {
      const fault = faultOf(CLIMB.replace('41', seed))
      expect(fault.reason).toBe('bad_seed')
      expect(fault.message).not.toContain('41')
    },
  )

  it.each(['041', '+41', '0x29', '--4', '4_1', 'NaN', 'Infinity'])(
    'the seed %s, which is no JSON',
    (seed) => {
      expect(reasonOf('41', seed)).toBe('bad_json')
    },
  )

  it('what is no strict JSON', () => {
    expect(faultOf('').reason).toBe('bad_json')
    expect(faultOf('[]').reason).toBe('bad_json')
    expect(faultOf('null').reason).toBe('bad_json')
    expect(faultOf(`\ufeff${CLIMB}`).reason).toBe('bad_json')
    expect(faultOf(`${'['.repeat(100_000)}${']'.repeat(100_000)}`).reason).toBe('bad_json')
    expect(reasonOf('"seed":41', '"seed":41,"seed":41')).toBe('bad_json')
    expect(reasonOf('"seed":41', '"seed":41,"s\\u0065ed":42')).toBe('bad_json')
    expect(reasonOf('"score":3', '"score":3,"score":3')).toBe('bad_json')
    expect(reasonOf(/$/, ' x')).toBe('bad_json')
    const keys = Array.from({ length: 65 }, (_, i) => `"k${i}":1`).join(',')
    expect(reasonOf('"up2"', `{${keys}}`)).toBe('bad_json')
    expect(reasonOf('"up2"', `{${keys.replace(/,.*/, '')}}`)).toBe('illegal_action')
  })

  it('keys that are missing or unknown', () => {
    for (const key of ['schema_version', 'rules_version', 'seed', 'config', 'actions']) {
      const { [key]: _, ...rest } = JSON.parse(CLIMB) as Record<string, unknown>
      expect(faultOf(JSON.stringify(rest))).toMatchObject({
        reason: 'missing_key',
        message: expect.stringContaining(key),
      })
    }
    expect(reasonOf('"seed":41', '"seed":41,"note":"hello"')).toBe('unknown_key')
    expect(reasonOf('"seed":41', '"seed":41,"__proto__":{"seed":1}')).toBe('unknown_key')
    expect(reasonOf('"seed":41', '"seed":41,"daily":"2026-01-31"')).toBe('unknown_key')
    const stackcraft =
      '{"schema_version":1,"rules_version":"stackcraft-v1","seed":7,"config":{},"actions":[]}'
    expect(faultOf(stackcraft).reason).toBe('unknown_key')
  })

  it('its configuration', () => {
    for (const config of [
      'null',
      '[]',
      '{"height":10}',
      '{"height":"9"}',
      '{"height":9.0}',
      '{"depth":9}',
      '{"height":true}',
    ])
      expect(reasonOf('{"height":9}', config), config).toBe('bad_config')
    expect(verifyReplay(CLIMB.replace('{"height":9}', '{}'), KNOWN).ok).toBe(true)
  })

  it('an action, and the ply is named', () => {
    expect(faultOf(CLIMB.replace('"up2"', '"never"'))).toEqual({
      reason: 'illegal_action',
      message: 'The action at index 1 is refused: never: This is never legal.',
      ply: 1,
    })
    expect(faultOf(CLIMB.replace('"up2"', '"sideways"'))).toMatchObject({ reason: 'illegal_action', ply: 1 })
    const climbs = CLIMB.replace('"up","up2"', `${'"up2",'.repeat(9)}"up"`)
    expect(faultOf(climbs).message).toMatch(/episode_over/)
    expect(reasonOf('["up","up2"]', '{"0":"up"}')).toBe('bad_actions')
    const place = '{"type":"place","pieceIndex":0,"row":0,"col":0}'
    const tray = `{"schema_version":1,"rules_version":"lumen-blocks-v1","seed":7,"config":{},"actions":[${place}]}`
    expect(verifyReplay(tray, KNOWN).ok).toBe(true)
    for (const wrong of ['0.0', '-0', '0e0', 'false', '"0"', '99', '-1']) {
      const forged = tray.replace('"row":0', `"row":${wrong}`)
      expect(faultOf(forged), wrong).toMatchObject({ reason: 'illegal_action', ply: 0 })
    }
    const second = tray.replace('}]', `},${place.replace('"col":0', '"col":1.0')}]`)
    expect(faultOf(second)).toMatchObject({ reason: 'illegal_action', ply: 1 })
  })

  it('its size and the number of its actions, before anything is played', () => {
    expect(faultOf(CLIMB.padEnd(16 * 1024 * 1024 + 1)).reason).toBe('too_large')
    expect(verifyReplay(CLIMB.padEnd(16 * 1024 * 1024), KNOWN).ok).toBe(true)
    const many = CLIMB.replace('"up","up2"', `${'1,'.repeat(1_000_000)}1`)
    expect(faultOf(many).reason).toBe('too_many_actions')
  })

  it('a summary with more keys, or that is no object', () => {
    expect(reasonOf('"score":3', '"score":3,"luck":1')).toBe('summary_mismatch')
    for (const final of ['null', '[]', '3', '{}', '{"score":3}'])
      expect(reasonOf(/"final":\{.*?\}/, `"final":${final}`)).toBe('summary_mismatch')
  })
})

describe('a game of the day', () => {
  const daily = GAMES.map(defaultGame).find(({ instance }) => instance.resetOptions)!
  const resolved = daily.instance.resetOptions!.resolve({ daily: '2026-01-31' }, 0)
  if ('reason' in resolved) throw new Error(resolved.message)
  const text = saveReplay(daily, { ...resolved, actions: playRandomly(daily, resolved.seed, 20) })

  it('keeps its date, which must give its seed', () => {
    expect(text).toContain('"daily":"2026-01-31"')
    const verdict = verifyReplay(text, KNOWN)
    expect(verdict).toMatchObject({ ok: true, replay: { options: { daily: '2026-01-31' } } })
    for (const date of ['"2026-02-01"', '"2026-02-30"', '"today"', '20260131', 'null'])
      expect(faultOf(text.replace('"2026-01-31"', date)).reason, date).toBe('bad_option')
    expect(faultOf(text.replace(resolved.seed, '7')).reason).toBe('bad_option')
  })
})
