import { spawn, spawnSync } from 'node:child_process'
import { closeSync, constants, existsSync, openSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exitCode, GrpcSession, type JsonObject, SERVER, StdioSession } from '../transport/connect.ts'
import { socketPath, until, within } from './server.ts'

/** Enough refusals to fill any pipe several times over with lines of about 80 bytes. */
const REFUSALS = 12_000

describe('a standard error that nobody reads', () => {
  it.each(['socket', 'pipe'])('does not stop a gRPC server: a %s', async (kind) => {
    const path = socketPath()
    const pipe = join(dirname(path), 'log')
    spawnSync('mkfifo', [pipe])
    const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
    const command = [SERVER, 'serve', '--log-level', 'debug', '--listen', `unix:${path}`]
    const child = spawn(process.execPath, command, {
      stdio: ['ignore', 'ignore', kind === 'pipe' ? fd : 'pipe'],
    })
    await until(() => existsSync(path))
    const session = new GrpcSession(`unix:${path}`)
    const replies: JsonObject[] = []
    for (let i = 0; i < REFUSALS; i++) replies.push(await session.send({ id: 'x', step: {} }))
    expect(replies.every(({ error }) => (error as JsonObject).reason === 'MISSING_FIELD')).toBe(true)
    await session.close()
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    expect(await within(5000, exited)).toBe(0)
    if (kind === 'pipe') expectWholeLines(fd)
    child.stderr?.destroy()
    closeSync(fd)
  })

  it.each([
    ['', []],
    [', without an event loop', ['--blocking']],
  ])('does not stop a stdio server%s', async (_, flags) => {
    const session = new StdioSession(['--log-level', 'debug', ...flags])
    for (let i = 0; i < REFUSALS; i++) {
      expect((await session.send({ id: 'x', step: {} })).error).toMatchObject({ reason: 'MISSING_FIELD' })
    }
    session.child.stderr!.resume()
    const exited = exitCode(session.child)
    session.child.stdin!.end()
    expect(await within(5000, exited)).toBe(0)
  })
})

it.each([
  ['', []],
  [', without an event loop', ['--blocking']],
])('a stdio server logs again once its standard error, a socket, is read%s', async (_, flags) => {
  const session = new StdioSession(['--log-level', 'debug', ...flags])
  const { stderr } = session.child
  const refuse = () => session.send({ id: 'x', step: {} })
  for (let i = 0; i < REFUSALS; i++) await refuse()
  let text = ''
  stderr!.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  let last = -1
  await until(async () => {
    const still = text.length === last
    last = text.length
    await new Promise((resolve) => setTimeout(resolve, 100))
    return still && last > 0
  })
  const refusalsTold = () => text.split('\n').filter((line) => line.includes('request refused')).length
  const before = refusalsTold()
  expect(before).toBeLessThan(REFUSALS)
  for (let i = 0; i < 10; i++) await refuse()
  await until(() => refusalsTold() >= before + 10)
  for (const line of text.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('level')
  await session.close()
})

function expectWholeLines(fd: number): void {
  const bytes = Buffer.alloc(1 << 20)
  const lines = bytes.subarray(0, readSync(fd, bytes)).toString().trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(100)
  for (const line of lines) expect(JSON.parse(line)).toHaveProperty('level')
}
