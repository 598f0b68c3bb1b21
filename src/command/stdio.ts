import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { createHost } from '../session/host.ts'
import { serveBlocking } from '../transport/blocking-stdio.ts'
import { StdioServer } from '../transport/stdio.ts'
import { type Command, declareCommand } from './command.ts'
import { createLogger, exitOnFault, faultLogger, loggingObserver } from './logging.ts'
import { readStdioOptions, STDIO_OPTIONS, type StdioOptions } from './serve-options.ts'
import { watchParent, watchParentFromThread } from './stdio-parent.ts'

/** How long after its parent a server that is busy with a request goes on; one that is not exits by itself. */
const BUSY_GRACE_MS = 1000

/** `blockloom stdio`. */
export const stdioCommand: Command = declareCommand({
  name: 'stdio',
  usage: '[OPTIONS]',
  maxPositionals: 0,
  summary: 'serve one client over standard input and output, a line of JSON a message',
  options: STDIO_OPTIONS,
  run: (given) => runStdio(readStdioOptions(given)),
})

/** Serves one session over standard input and output until the input ends; then exits. */
async function runStdio(options: StdioOptions): Promise<number> {
  const output = options.blocking ? undefined : openStdout()
  Object.defineProperty(process, 'stdout', { get: () => process.stderr })
  const log = createLogger(options.logLevel)
  exitOnFault(log)
  const host = createHost({ ...options, logFault: faultLogger(log), observer: loggingObserver(log) })
  if (output === undefined) {
    watchParentFromThread(options.parentPid, process.argv[1]!)
    serveBlocking(host, 0, 1)
    return 0
  }
  const server = new StdioServer(host, process.stdin, output)
  process.on('SIGTERM', () => server.stop())
  watchParent(options.parentPid, () => process.exit(0))
  watchParentFromThread(options.parentPid, process.argv[1]!, BUSY_GRACE_MS)
  await server.run()
  return 0
}

/**
 * Standard output is for protocol lines: whatever else is printed goes to standard error. A pipe is written
 * without blocking, so that signals are seen while a client does not read.
 */
function openStdout(): Writable {
  const stat = fstatSync(1)
  return stat.isFIFO() || stat.isSocket() ? new Socket({ fd: 1, readable: false }) : process.stdout
}
