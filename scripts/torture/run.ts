/**
 * Puts servers under faults and load and prints a table of what came of it: `npm run torture`, with `--short` for
 * a form of a minute or so. `--only NAME` runs one row. Exit code 1 when a row misses its figure.
 */
import { parseArgs } from 'node:util'
import { badInput } from './bad-input.ts'
import { leaks } from './leaks.ts'
import { limits } from './limits.ts'
import { churn, memory } from './memory.ts'
import { clientDeaths, serverDeaths } from './python-rows.ts'
import { load, slowReader } from './readers.ts'
import type { Outcome, Row, Scale } from './row.ts'
import { stop } from './stop.ts'
import { supply } from './supply.ts'
import { transports } from './transports.ts'

const ROWS: readonly Row[] = [
  ...[badInput, transports, memory, churn, serverDeaths, clientDeaths],
  ...[slowReader, load, limits, leaks, stop, supply],
]

/** A row that hangs is a row that fails, and all of them together have a quarter of an hour. */
const ROW_TIMEOUT_MS = 300_000
const TOTAL_MS = 890_000

async function runRow(row: Row, scale: Scale): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined
  const leftMs = Math.max(0, Math.min(ROW_TIMEOUT_MS, TOTAL_MS - performance.now()))
  const late = new Promise<Outcome>((resolve) => {
    const figure = `no end within ${Math.round(leftMs / 1000)} s`
    timer = setTimeout(() => resolve({ ok: false, figure }), leftMs)
  })
  try {
    return await Promise.race([row.run(scale), late])
  } catch (error) {
    return { ok: false, figure: `failed: ${error instanceof Error ? error.message : String(error)}` }
  } finally {
    clearTimeout(timer)
  }
}

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, only: { type: 'string' } },
})
const scale: Scale = { short: values.short, count: (full, short) => (values.short ? short : full) }
// The short form asks no service outside.
const offered = values.short && values.only === undefined ? ROWS.filter((row) => row !== supply) : ROWS
const rows = values.only === undefined ? offered : offered.filter(({ what }) => what === values.only)
let missed = rows.length === 0 ? 1 : 0
process.stdout.write('| what | wanted | result | s | |\n|---|---|---|---|---|\n')
for (const row of rows) {
  const started = performance.now()
  const { ok, figure } = await runRow(row, scale)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  process.stdout.write(
    `| ${row.what} | ${row.wanted} | ${figure} | ${seconds} | ${typeof ok === 'string' ? ok : ok ? 'ok' : 'MISSED'} |\n`,
  )
  if (ok === false) missed++
}
process.exit(missed > 0 ? 1 : 0)
