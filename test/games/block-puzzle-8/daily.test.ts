import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAILY, isDate, kathmanduDate } from '../../../src/games/block-puzzle-8/daily.ts'
import { EIGHT } from '../tray/tray-games.ts'

function seedOf(date: string): string {
  const digest = createHash('sha256').update(`block-puzzle-8:daily:${date}`).digest()
  return String(digest.readBigUInt64BE(0) & (2n ** 63n - 1n))
}

describe('the daily game', () => {
  test('is an option of Block Puzzle 8x8', () => {
    expect(EIGHT.instance.resetOptions).toBe(DAILY)
    expect(DAILY.names).toEqual(['daily'])
  })

  test.each(['2026-01-31', '2024-02-29', '2000-02-29', '1969-07-20', '0001-01-01', '9999-12-31'])(
    'of %s has the seed of its date, which replays store',
    (date) => {
      expect(DAILY.resolve({ daily: date }, 0)).toEqual({ seed: seedOf(date), replay: { daily: date } })
    },
  )

  test.each([
    '2026-02-30',
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-00-10',
    '2026-13-01',
    '2026-01-00',
    '2026-1-1',
    '26-01-01',
    '0000-01-01',
    '2026-01-01 ',
    ' 2026-01-01',
    '2026-01-01\n',
    '+2026-01-01',
    '2026/01/01',
    '2026-01-01T00:00',
    '٢٠٢٦-٠١-٠١',
    'Today',
    'tomorrow',
    '',
  ])('refuses %j', (daily) => {
    expect(DAILY.resolve({ daily }, 0)).toMatchObject({ reason: 'bad_date', cells: [] })
  })

  test('refuses to be asked for nothing', () => {
    expect(DAILY.resolve({}, 0)).toMatchObject({ reason: 'bad_date' })
  })

  test.each([
    ['2026-01-30T18:14:59.999Z', '2026-01-30'],
    ['2026-01-30T18:15:00.000Z', '2026-01-31'],
    ['2023-12-31T18:14:59.999Z', '2023-12-31'],
    ['2023-12-31T18:15:00.000Z', '2024-01-01'],
    ['2024-02-28T18:15:00.000Z', '2024-02-29'],
    ['2024-02-29T18:15:00.000Z', '2024-03-01'],
    ['2100-02-28T18:15:00.000Z', '2100-03-01'],
  ])('at %s UTC is that of %s', (instant, date) => {
    expect(DAILY.resolve({ daily: 'today' }, Date.parse(instant))).toEqual({
      seed: seedOf(date),
      replay: { daily: date },
    })
  })

  test('dates are those of the platform’s calendar', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_000_000_000 }), (ms) => {
        const expected = new Date(ms + 345 * 60_000).toISOString().slice(0, 10)
        expect(kathmanduDate(ms)).toBe(expected)
        expect(isDate(expected)).toBe(true)
      }),
    )
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9999 }),
        fc.integer({ min: 0, max: 14 }),
        fc.integer({ min: 0, max: 33 }),
        (y, m, d) => {
          const text = `${String(y).padStart(4, '0')}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`
          const parsed = new Date(`${text}T00:00:00Z`)
          const real = !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text)
          expect(isDate(text)).toBe(real)
        },
      ),
    )
  })
})
