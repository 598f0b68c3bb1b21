import { readSync, writeSync } from 'node:fs'
import { writeAnswer } from '../session/exchange.ts'
import { LineBuffer } from '../session/line-buffer.ts'
import { type Host, Session } from '../session/session.ts'
import { LineReader } from './line-reader.ts'
import { refuseLongLine } from './stdio.ts'

const READ_BYTES = 1 << 16

/**
 * Serves one session with reads and writes that block, until the input ends. On the core of its client this saves
 * the event loop's wake-ups, and no signal handler or timer ever runs: another thread has to watch the parent.
 */
export function serveBlocking(host: Host, input: number, output: number): void {
  const session = new Session(host)
  const reader = new LineReader(host.limits.maxMessageBytes)
  const reply = new LineBuffer()
  const chunk = Buffer.allocUnsafe(READ_BYTES)
  for (let length = read(input, chunk); length > 0; length = read(input, chunk)) {
    // The reader keeps what it is given until the line is whole.
    reader.push(Buffer.from(chunk.subarray(0, length)))
    for (let event = reader.read(); event !== undefined; event = reader.read()) {
      if (event === 'too_long') refuseLongLine(host, reply)
      else writeAnswer(session, event, reply)
      reply.ascii('\n')
      if (!writeAll(output, reply.line())) return
    }
  }
}

/** The bytes read, 0 at the end of the input. */
function read(input: number, chunk: Buffer): number {
  try {
    return readSync(input, chunk, 0, chunk.length, null)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EOF') return 0
    throw error
  }
}

/** Whether the reader of the output is still there. */
function writeAll(output: number, bytes: Buffer): boolean {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(output, bytes, at)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return false
    throw error
  }
}
