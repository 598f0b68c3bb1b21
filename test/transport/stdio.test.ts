import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { GAMES } from '../../src/games/registry.ts'
import { exitCode, type JsonObject, SERVER, StdioSession } from './connect.ts'

const gameId = GAMES[0]!.id

describe('the stdio server', () => {
  it('works when its input comes byte by byte', async () => {
    const session = new StdioSession()
    const reply = session.nextLine()
    for (const byte of Buffer.from('{"id":"é\u2028","listGames":{}}\r\n')) {
      session.child.stdin!.write(Buffer.from([byte]))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect((await reply).id).toBe('é\u2028')
    await session.close()
  })

  it('lives on after lines that are no messages', async () => {
    const session = new StdioSession()
    const replies: JsonObject[] = []
    for (const line of ['nonsense\n', Buffer.from([0xc3, 0x28, 0x0a]), '{"id":"9"}\n', '\n\r\n[]\n']) {
      replies.push(await session.sendBytes(line))
    }
    expect(replies.map((reply) => (reply.error as JsonObject).code)).toEqual(
      Array(4).fill('INVALID_ARGUMENT'),
    )
    expect((await session.send({ id: 'still', listGames: {} })).id).toBe('still')
    await session.close()
  })

  it('discards a partial line at the end of input, answers what is queued, and exits 0', async () => {
    const child = spawn(process.execPath, [SERVER, 'stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const queued = Array.from({ length: 50 }, (_, i) => `{"id":"${i}","listGames":{}}\n`).join('')
    child.stdin.end(`${queued}{"id":"partial","listGames":{}}`)
    expect(await exitCode(child)).toBe(0)
    const ids = output
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as JsonObject).id)
    expect(ids).toEqual(Array.from({ length: 50 }, (_, i) => String(i)))
  })

  it('writes a reply bigger than a pipe holds to the last byte before it exits', async () => {
    const child = spawn(process.execPath, [SERVER, 'stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
    const lines: string[] = []
    let rest = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n')
      rest = parts.pop()!
      lines.push(...parts)
      if (lines.length === 1) {
        const { envId } = (JSON.parse(lines[0]!) as { makeEnv: { envId: string } }).makeEnv
        child.stdin.end(`{"id":"2","reset":{"envId":"${envId}","seed":"1"}}\n`)
        child.stdout.pause()
        setTimeout(() => child.stdout.resume(), 300)
      }
    })
    child.stdin.write(`{"id":"1","makeEnv":{"gameId":"${gameId}","numEnvs":4096}}\n`)
    expect(await exitCode(child)).toBe(0)
    expect(rest).toBe('')
    expect(lines[1]!.length).toBeGreaterThan(500_000)
    expect((JSON.parse(lines[1]!) as JsonObject).id).toBe('2')
  })

  it('stops on SIGTERM with exit code 0, also while its client does not read', async () => {
    const child = spawn(process.execPath, [SERVER, 'stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
    child.stdin.write('{"id":"1","listGames":{}}\n')
    await new Promise((resolve) => child.stdout.once('data', resolve))
    child.stdout.pause()
    child.stdin.on('error', () => undefined)
    child.stdin.write('{"id":"1","listGames":{}}\n'.repeat(2000))
    await new Promise((resolve) => setTimeout(resolve, 300))
    const started = Date.now()
    child.kill('SIGTERM')
    child.stdout.destroy()
    expect(await exitCode(child)).toBe(0)
    expect(Date.now() - started).toBeLessThan(5000)
  })

  it.each([
    ['', []],
    [', without an event loop', ['--blocking']],
  ])('ends when its parent dies, even while another process holds its input open%s', async (_, flags) => {
    // The parent starts the server with a pipe whose write end a sleeping child inherits, and exits once it serves.
    const script = `
      const { spawn } = require('node:child_process')
      const server = spawn(process.execPath, ${JSON.stringify([SERVER, 'stdio', ...flags])}, { stdio: ['pipe', 'pipe', 'ignore'] })
      const fd = server.stdin._handle.fd
      const holder = spawn('sleep', ['30'], { stdio: ['ignore', 'ignore', 'ignore', fd], detached: true })
      holder.unref()
      server.stdin.write('{"id":"1","listGames":{}}\\n')
      server.stdout.once('data', () => {
        process.stdout.write(server.pid + ' ' + holder.pid + '\\n', () => process.exit(0))
      })
    `
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    const text = await new Promise<string>((resolve) =>
      parent.stdout.once('data', (data) => resolve(String(data))),
    )
    const [server, holder] = text.trim().split(' ').map(Number) as [number, number]
    await exitCode(parent)
    try {
      await expect.poll(() => isAlive(server), { timeout: 10_000 }).toBe(false)
    } finally {
      process.kill(holder)
    }
  })

  it('says what is wrong with a command line, in one line, and exits 2', async () => {
    for (const args of [
      ['fly'],
      ['serve', '--listen', 'nowhere'],
      ['serve', '--nonsense'],
      ['serve', '--listen', '0.0.0.0:0'],
    ]) {
      const child = spawn(process.execPath, [SERVER, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
      let errors = ''
      child.stderr.setEncoding('utf8').on('data', (textPart: string) => {
        errors += textPart
      })
      expect(await exitCode(child)).toBe(2)
      expect(errors).toMatch(/^blockloom: [^\n]+\n$/)
    }
  })
})

/** Whether a process runs; one that ended and waits to be reaped does not. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}
