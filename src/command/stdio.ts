import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { createHost } from '../session/host.ts'
import { StdioServer } from '../transport/stdio.ts'

/** How often to look whether the parent process is still there, in milliseconds. */
const PARENT_WATCH_MS = 500

/** Serves one session over standard input and output until the input ends; then exits. */
export async function runStdio(options: { allowLiveReplay: boolean }): Promise<number> {
  const output = takeStdout()
  const server = new StdioServer(createHost(options), process.stdin, output)
  process.on('SIGTERM', () => server.stop())
  watchParent(() => process.exit(0))
  await server.run()
  return 0
}

/**
 * Keeps standard output for protocol lines: whatever else is printed goes to standard error. A pipe is written
 * without blocking, so that signals are seen while a client does not read.
 */
function takeStdout(): Writable {
  const stat = fstatSync(1)
  const output = stat.isFIFO() || stat.isSocket() ? new Socket({ fd: 1, readable: false }) : process.stdout
  Object.defineProperty(process, 'stdout', { get: () => process.stderr })
  return output
}

/** A forked sibling may hold the pipe open, so the end of input alone does not tell that the parent died. */
function watchParent(onDeath: () => void): void {
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) onDeath()
  }, PARENT_WATCH_MS).unref()
}
