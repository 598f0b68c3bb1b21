/**
 * A server over standard input and output with nothing in it: a line that starts with a number is answered with a
 * line of so many bytes. It reads and writes as `blockloom stdio` does, or with `--blocking` as that does.
 */
import { readSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'

const answers = new Map<number, Buffer>()

/** A line of some bytes, its end included. */
function answer(line: string): Buffer {
  const bytes = Number.parseInt(line, 10)
  const known = answers.get(bytes)
  if (known !== undefined) return known
  const made = Buffer.alloc(bytes, 'x')
  made[bytes - 1] = 0x0a
  answers.set(bytes, made)
  return made
}

let rest = ''

/** The whole lines in what was read so far. */
function linesOf(chunk: string): string[] {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop()!
  return lines
}

if (process.argv.includes('--blocking')) {
  const chunk = Buffer.alloc(1 << 16)
  for (let length = readSync(0, chunk); length > 0; length = readSync(0, chunk)) {
    for (const line of linesOf(chunk.toString('latin1', 0, length))) {
      const bytes = answer(line)
      for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at)
    }
  }
} else {
  const output = new Socket({ fd: 1, readable: false })
  process.stdin.on('data', (chunk: Buffer) => {
    for (const line of linesOf(chunk.toString('latin1'))) output.write(answer(line))
  })
}
