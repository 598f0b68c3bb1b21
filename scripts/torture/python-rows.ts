import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { exitCode } from '../../test/transport/connect.ts'
import type { Outcome, Row, Scale } from './row.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PYTHON = process.env.PYTHON ?? `${ROOT}.venv/bin/python`

/** Runs a part of deaths.py, which prints its outcome as the last line. */
async function runDeaths(what: string, count: number): Promise<Outcome> {
  const child = spawn(PYTHON, [`${ROOT}scripts/torture/deaths.py`, what, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const code = await exitCode(child)
  if (code !== 0) return { ok: false, figure: `deaths.py ended with ${code}` }
  return JSON.parse(output.trimEnd().split('\n').at(-1)!) as Outcome
}

export const serverDeaths: Row = {
  what: 'server deaths',
  wanted: '300 kills at random moments: a typed Python error within 1 s, 0 hangs, 0 zombies',
  run: (scale: Scale) => runDeaths('servers', scale.count(300, 12)),
}

export const clientDeaths: Row = {
  what: 'client deaths',
  wanted: '100 kills, half with a forked child holding the pipe: server gone within 3 s, no busy loop',
  run: (scale: Scale) => runDeaths('clients', scale.count(100, 6)),
}
