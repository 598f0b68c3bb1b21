import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { exitCode, GrpcSession, type JsonObject, StdioSession } from '../transport/connect.ts'
import { socketPath, startWatched, within } from './server.ts'

const gameId = 'Stackcraft-v1'

/** A server stops within a second or so of a signal; a loaded machine gets some more. */
const STOPPED_WITHIN_MS = 5000

it('exits 0 on SIGTERM with 20 streams open, each with an environment, and removes its socket file', async () => {
  const path = socketPath()
  const server = await startWatched([], `unix:${path}`)
  const sessions = Array.from({ length: 20 }, () => new GrpcSession(server.address))
  const ended = sessions.map(
    (session) =>
      new Promise<number>((resolve) =>
        session.stream.on('error', ({ code }: { code?: number }) => resolve(code!)),
      ),
  )
  for (const session of sessions) await session.send({ id: '1', makeEnv: { gameId, numEnvs: 8 } })
  expect(existsSync(path)).toBe(true)
  expect(await within(STOPPED_WITHIN_MS, server.stop())).toBe(0)
  expect(existsSync(path)).toBe(false)
  const codes = await Promise.all(ended)
  expect(codes.every((code) => typeof code === 'number')).toBe(true)
  expect(server.log.map((entry) => entry.msg)).toEqual(['serving', 'stopping', 'stopped'])
})

it('answers the calls under way while it drains, and a second SIGTERM does not cut that short', async () => {
  const server = await startWatched()
  const session = new GrpcSession(server.address)
  const made = (await session.send({ id: '1', makeEnv: { gameId, numEnvs: 2 } })).makeEnv as JsonObject
  const exited = exitCode(server.child)
  server.child.kill('SIGTERM')
  server.child.kill('SIGTERM')
  const reply = await session.send({ id: '2', reset: { envId: made.envId!, seed: '1' } })
  expect(reply.id).toBe('2')
  session.stream.end()
  expect(await within(STOPPED_WITHIN_MS, exited)).toBe(0)
})

it('stops a stdio server in the middle of thousands of slow requests', async () => {
  const session = new StdioSession()
  const made = (await session.send({ id: '1', makeEnv: { gameId: 'Hourloom-v1', numEnvs: 64 } }))
    .makeEnv as JsonObject
  // Each reset draws new levels: minutes of work are waiting when the signal comes.
  const line = `{"id":"2","reset":{"envId":"${made.envId}","seeds":["1"]}}\n`
  const slow = `{"id":"3","reset":{"envId":"${made.envId}","seed":"5"}}\n`
  session.child.stdin!.on('error', () => undefined)
  const first = session.nextLine()
  session.child.stdin!.write(line + slow.repeat(5000))
  await first
  session.child.kill('SIGTERM')
  expect(await within(STOPPED_WITHIN_MS, exitCode(session.child))).toBe(0)
})
