import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exitCode, type JsonObject, SERVER, StdioSession } from '../transport/connect.ts'
import { residentMib, until, within } from './server.ts'

const gameId = 'Stackcraft-v1'

describe('the stdio server under faults', () => {
  it('holds back a client that does not read: its 10,000 answers take no room, and come in order', async () => {
    const session = new StdioSession()
    const made = (await session.send({ id: '1', makeEnv: { gameId, numEnvs: 64 } })).makeEnv as JsonObject
    await session.send({ id: '2', reset: { envId: made.envId!, seed: '1' } })
    const packedActions = Buffer.from(new Int32Array(64).buffer).toString('base64')
    const line = (id: string) => JSON.stringify({ id, step: { envId: made.envId!, packedActions } })
    for (let i = 0; i < 200; i++) await session.sendBytes(`${line('warm')}\n`)
    const before = residentMib(session.child.pid!)
    session.child.stdout!.pause()
    // One write: the server gets chunks that hold many requests each.
    const replies = Array.from({ length: 10_000 }, () => session.nextLine())
    session.child.stdin!.write(Array.from({ length: 10_000 }, (_, i) => `${line(`n${i}`)}\n`).join(''))
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(session.child.stdin!.writableLength).toBeGreaterThan(0)
    expect(residentMib(session.child.pid!) - before).toBeLessThan(64)
    session.child.stdout!.resume()
    const ids = (await Promise.all(replies)).map((reply) => reply.id)
    expect(ids).toEqual(Array.from({ length: 10_000 }, (_, i) => `n${i}`))
    expect(residentMib(session.child.pid!) - before).toBeLessThan(64)
    await session.close()
  })

  it('refuses a line over the limit once, without storing it, and takes one of just the limit', async () => {
    const session = new StdioSession(['--max-message-bytes', '1000000'])
    await session.send({ id: '1', listGames: {} })
    const before = residentMib(session.child.pid!)
    const reply = session.nextLine()
    for (let i = 0; i < 300; i++) {
      const kept = session.child.stdin!.write(Buffer.alloc(1_000_000, 'x'))
      if (!kept) await new Promise((resolve) => session.child.stdin!.once('drain', resolve))
    }
    expect((await reply).error).toMatchObject({ code: 'RESOURCE_EXHAUSTED', reason: 'MESSAGE_TOO_LARGE' })
    expect(residentMib(session.child.pid!) - before).toBeLessThan(64)
    session.child.stdin!.write('\n')
    const head = '{"id":"2","play":{"envId":"x","actionJson":"'
    const full = `${head}${'y'.repeat(1_000_000 - head.length - 3)}"}}`
    expect((await session.sendBytes(`${full}\n`)).error).toMatchObject({ code: 'NOT_FOUND' })
    await session.close()
  })

  it('keeps whatever a library prints off standard output', async () => {
    const noisy = join(mkdtempSync(join(tmpdir(), 'blockloom-')), 'noisy.cjs')
    writeFileSync(
      noisy,
      `setInterval(() => {
         console.log('a library talks'); console.info('and talks'); process.stdout.write('and talks on\\n')
       }, 1).unref()`,
    )
    const child = spawn(process.execPath, ['--require', noisy, SERVER, 'stdio'], { stdio: 'pipe' })
    let output = ''
    let errors = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    for (let i = 0; i < 100; i++) {
      child.stdin.write(`{"id":"${i}","listGames":{}}\n`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    child.stdin.end()
    expect(await exitCode(child)).toBe(0)
    expect(errors).toContain('and talks on')
    const ids = output
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as JsonObject).id)
    expect(ids).toEqual(Array.from({ length: 100 }, (_, i) => String(i)))
  })

  it('ends when the process named as its parent is gone, though its input stays open', async () => {
    const parent = spawn('sleep', ['600'], { stdio: 'ignore' })
    const session = new StdioSession(['--parent-pid', String(parent.pid)])
    await session.send({ id: '1', listGames: {} })
    parent.kill('SIGKILL')
    expect(await exitCode(session.child)).toBe(0)
  })

  it('ends within 3 s of its parent also while it is busy with one long request', async () => {
    const parent = spawn('sleep', ['600'], { stdio: 'ignore' })
    const session = new StdioSession(['--parent-pid', String(parent.pid)])
    // A chamber of this depth takes a quarter of a millisecond or more to make: seconds for all rows.
    const makeEnv = { gameId: 'Hourloom-v1', numEnvs: 20_000, config: { start_chamber: '10' } }
    const made = (await session.send({ id: '1', makeEnv })).makeEnv as JsonObject
    let answered = false
    void session.send({ id: '2', reset: { envId: made.envId!, seed: '1' } }).then(() => {
      answered = true
    })
    await new Promise((resolve) => setTimeout(resolve, 300))
    // The request in hand takes far longer than the limit; between two slices of it the server looks for its parent.
    const ended = exitCode(session.child)
    parent.kill('SIGKILL')
    expect(await within(3000, ended)).toBe(0)
    expect(answered).toBe(false)
  })

  it('ends when nobody can read its answers any more', async () => {
    const child = spawn(process.execPath, [SERVER, 'stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
    child.stdin.write('{"id":"1","listGames":{}}\n')
    await new Promise((resolve) => child.stdout.once('data', resolve))
    child.stdout.destroy()
    child.stdin.on('error', () => undefined)
    const timer = setInterval(() => child.stdin.write('{"id":"1","listGames":{}}\n'), 50)
    expect(await exitCode(child)).toBe(0)
    clearInterval(timer)
  })

  it('rests when there is nothing to do, also with its input held open', async () => {
    const session = new StdioSession()
    const made = (await session.send({ id: '1', makeEnv: { gameId, numEnvs: 8 } })).makeEnv as JsonObject
    await session.send({ id: '2', reset: { envId: made.envId!, seed: '1' } })
    let ticks = -1
    await until(async () => {
      const before = cpuTicks(session.child.pid!)
      await new Promise((resolve) => setTimeout(resolve, 500))
      ticks = cpuTicks(session.child.pid!) - before
      return ticks <= 5
    })
    expect(ticks).toBeLessThanOrEqual(5)
    await session.close()
  })
})

/** Processor time a process has used, in hundredths of a second. */
function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')
  return Number(fields[11]) + Number(fields[12])
}
