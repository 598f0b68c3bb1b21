import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Outcome, Row } from './row.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** High and critical findings, or why there is no answer. */
function npmAudit(): number | string {
  const done = spawnSync('npm', ['audit', '--omit=dev', '--json', '--audit-level=high'], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 60_000,
  })
  try {
    const report = JSON.parse(done.stdout) as {
      metadata?: { vulnerabilities?: { high: number; critical: number } }
    }
    const found = report.metadata?.vulnerabilities
    if (found !== undefined) return found.high + found.critical
  } catch {
    // Told below.
  }
  return 'the registry gives no audit'
}

function pipAudit(): number | string {
  const python = process.env.PYTHON ?? `${ROOT}.venv/bin/python`
  const command = ['-m', 'pip_audit', '--format', 'json', '--skip-editable', '--progress-spinner', 'off']
  const done = spawnSync(python, command, { encoding: 'utf8', timeout: 120_000 })
  try {
    const report = JSON.parse(done.stdout) as { dependencies: { vulns?: readonly unknown[] }[] }
    const known = report.dependencies.filter(({ vulns }) => vulns !== undefined)
    if (known.length > 0) return known.reduce((sum, { vulns }) => sum + vulns!.length, 0)
  } catch {
    if (/No module named/.test(done.stderr ?? '')) return 'not installed'
  }
  return 'its service gives no audit'
}

export const supply: Row = {
  what: 'supply',
  wanted: 'npm audit and pip-audit: no high finding; lock files that name no registry host',
  async run(): Promise<Outcome> {
    const locks = ['package-lock.json', 'python-client/requirements-dev.lock']
    const hosts = locks.filter((file) =>
      /"resolved"|https?:\/\/[^"\s]*(npmjs|pypi|registry)/.test(readFileSync(ROOT + file, 'utf8')),
    )
    const [npm, pip] = [npmAudit(), pipAudit()]
    const audits = [npm, pip]
    const found = audits.some((answer) => typeof answer === 'number' && answer > 0)
    const asked = audits.every((answer) => typeof answer === 'number')
    const ok = !found && hosts.length === 0
    return {
      // An audit that gave no answer shows nothing.
      ok: ok && !asked ? 'not shown' : ok,
      figure: `npm audit: ${typeof npm === 'number' ? `${npm} high` : npm}; pip-audit: ${typeof pip === 'number' ? `${pip} findings` : pip}; hosts in lock files: ${hosts.length}`,
    }
  },
}
