import { spawn } from 'node:child_process'
import { expect, it } from 'vitest'
import { GAMES } from '../../src/games/registry.ts'
import { exitCode, type JsonObject, SERVER, StdioSession } from './connect.ts'

it('answers lines however they are cut, discards a partial one, and exits 0', async () => {
  const session = new StdioSession(['--blocking'])
  const reply = session.nextLine()
  for (const byte of Buffer.from('nonsense\r\n')) {
    session.child.stdin!.write(Buffer.from([byte]))
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect((await reply).error).toMatchObject({ code: 'INVALID_ARGUMENT' })
  session.child.stdin!.end('{"id":"1","listGames":{}}\n{"id":"partial"')
  expect((await session.nextLine()).id).toBe('1')
  expect(await exitCode(session.child)).toBe(0)
})

it('drops a line over the limit and goes on', async () => {
  const session = new StdioSession(['--blocking', '--max-message-bytes', '100000'])
  const reply = await session.sendBytes(`${'x'.repeat(200_000)}\n`)
  expect(reply.error).toMatchObject({ code: 'RESOURCE_EXHAUSTED', reason: 'MESSAGE_TOO_LARGE' })
  expect((await session.send({ id: '2', render: { envId: 'x' } })).id).toBe('2')
  await session.close()
})

it('writes a reply bigger than a pipe holds, to a reader that is slow', async () => {
  const session = new StdioSession(['--blocking'])
  const made = await session.send({ id: '1', makeEnv: { gameId: GAMES[0]!.id, numEnvs: 4096 } })
  const { envId } = made.makeEnv as JsonObject
  const reply = session.send({ id: '2', reset: { envId: envId!, seed: '1' } })
  session.child.stdout!.pause()
  setTimeout(() => session.child.stdout!.resume(), 300)
  expect((await reply).id).toBe('2')
  await session.close()
})

it('dies by SIGTERM', async () => {
  const child = spawn(process.execPath, [SERVER, 'stdio', '--blocking'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.write('{"id":"1","listGames":{}}\n')
  await new Promise((resolve) => child.stdout.once('data', resolve))
  child.stdout.resume()
  child.kill('SIGTERM')
  expect(await exitCode(child)).toBe(null)
  expect(child.signalCode).toBe('SIGTERM')
})

it('ends without a word when its reader has gone', async () => {
  const child = spawn(process.execPath, [SERVER, 'stdio', '--blocking'], { stdio: ['pipe', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  child.stdout.destroy()
  child.stdin.on('error', () => undefined)
  child.stdin.write('{"id":"1","listGames":{}}\n')
  expect(await exitCode(child)).toBe(0)
  expect(errors).toBe('')
})
