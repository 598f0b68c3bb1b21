import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SERVER } from '../transport/connect.ts'

/** Runs the command line to its end. */
export function runCli(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SERVER, ...args], {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  return { status, stdout, stderr }
}

/** Writes a file into a fresh folder and returns its path. */
export function temporaryFile(name: string, text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'blockloom-')), name)
  writeFileSync(path, text)
  return path
}
