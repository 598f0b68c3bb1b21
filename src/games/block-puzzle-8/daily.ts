import type { ResetOptions } from '../../env/game.ts'
import { firstWordSeed } from '../../random/sha256.ts'

const KATHMANDU_MINUTES = 5 * 60 + 45
const MS_PER_MINUTE = 60_000
const MS_PER_DAY = 86_400_000
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

/** The reset option `daily`: the game of a date in Kathmandu, the same for everybody. */
export const DAILY: ResetOptions = {
  names: ['daily'],
  resolve(options, nowMs) {
    const given = options.daily ?? ''
    const date = given === 'today' ? kathmanduDate(nowMs) : given
    if (!isDate(date)) {
      return {
        reason: 'bad_date',
        cells: [],
        // The value is not told: in a replay it may be a seed in the wrong place.
        message: 'daily is something else; allowed: today, or a date of the calendar as YYYY-MM-DD.',
      }
    }
    return { seed: firstWordSeed(`block-puzzle-8:daily:${date}`), replay: { daily: date } }
  },
}

/** The date in Kathmandu, five hours and forty-five minutes ahead of UTC, as YYYY-MM-DD. */
export function kathmanduDate(nowMs: number): string {
  return dateOfDay(Math.floor((nowMs + KATHMANDU_MINUTES * MS_PER_MINUTE) / MS_PER_DAY))
}

/** Whether a text is a date of the calendar, as YYYY-MM-DD, from year 1 on. */
export function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (match === null) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  if (year < 1 || month < 1 || month > 12 || day < 1) return false
  return day <= monthDays(year, month)
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

function monthDays(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : (MONTH_DAYS[month - 1] ?? 0)
}

/** The date of a day counted from 1970-01-01, from 1970 on. */
function dateOfDay(days: number): string {
  let rest = days
  let year = 1970
  for (let length = 365; rest >= length; length = isLeapYear(year) ? 366 : 365) {
    rest -= length
    year++
  }
  let month = 1
  while (rest >= monthDays(year, month)) rest -= monthDays(year, month++)
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(rest + 1, 2)}`
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0')
}
