import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ADVISORIES, affecting, LISTED_ON } from './advisories.ts'
import { PYTHON_LOCK, ROOT, readLocks } from './locks.ts'
import type { Outcome, Row } from './row.ts'

/** What an audit found, or why there is no answer. */
type Audit = { readonly findings: number; readonly told: string } | { readonly missing: string }

/** High and critical findings in what the server runs with. */
function npmAudit(): Audit {
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
    if (found !== undefined) {
      const findings = found.high + found.critical
      return { findings, told: `${findings} high or critical` }
    }
  } catch {
    // Told below.
  }
  return { missing: 'the registry gives no audit' }
}

/** Findings of any kind in the pinned Python packages. The tool is installed for this alone, elsewhere. */
function pipAudit(): Audit {
  const folder = mkdtempSync(join(tmpdir(), 'blockloom-audit-'))
  try {
    const python = process.env.PYTHON ?? `${ROOT}.venv/bin/python`
    const own = join(folder, 'bin', 'python')
    const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'pip-audit']
    for (const [program, args] of [[python, ['-m', 'venv', folder]] as const, [own, install] as const]) {
      if (spawnSync(program, args, { timeout: 120_000 }).status !== 0)
        return { missing: 'it cannot be installed' }
    }
    const command = [
      '-m',
      'pip_audit',
      '-r',
      ROOT + PYTHON_LOCK,
      '--no-deps',
      '--disable-pip',
      '--format',
      'json',
    ]
    const options = { encoding: 'utf8', timeout: 120_000 } as const
    return readPipAudit(spawnSync(own, [...command, '--progress-spinner', 'off'], options).stdout)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readPipAudit(json: string): Audit {
  try {
    const { dependencies } = JSON.parse(json) as { dependencies: { vulns?: readonly unknown[] }[] }
    const audited = dependencies.filter(({ vulns }) => vulns !== undefined)
    const findings = audited.reduce((sum, { vulns }) => sum + vulns!.length, 0)
    const told = `${findings} findings in ${audited.length} packages`
    // A package that the service does not know was not looked at.
    if (findings > 0 || audited.length === dependencies.length) return { findings, told }
    if (audited.length > 0)
      return { missing: `${told}, ${dependencies.length - audited.length} unknown to it` }
  } catch {
    // Told below.
  }
  return { missing: 'its service gives no audit' }
}

function told(audit: Audit): string {
  return 'missing' in audit ? audit.missing : audit.told
}

export const supply: Row = {
  what: 'supply',
  wanted:
    'npm audit and pip-audit: no high finding; everything pinned, one copy each, lock files that name no registry host',
  async run(): Promise<Outcome> {
    const locks = readLocks()
    const audits = [npmAudit(), pipAudit()] as const
    const known = affecting(locks.version).map(({ name, id }) => `${name} ${id}`)
    const answered = audits.every((audit) => 'findings' in audit)
    const found = audits.some((audit) => 'findings' in audit && audit.findings > 0)
    const ok = !found && known.length === 0 && locks.faults.length === 0
    return {
      // Without an answer of the audits, what the list says is all that is shown.
      ok: ok && !answered ? 'by list' : ok,
      figure: [
        `npm audit: ${told(audits[0])}`,
        `pip-audit: ${told(audits[1])}`,
        `of ${ADVISORIES.length} advisories listed on ${LISTED_ON}: ${known.join(', ') || 'none'} in the locked versions`,
        `${locks.serverPackages} packages for the server and ${locks.pythonPackages} for Python pinned`,
        `lock files: ${locks.faults.join(', ') || 'no fault'}`,
      ].join('; '),
    }
  },
}
