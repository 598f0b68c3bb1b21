import { existsSync } from 'node:fs'
import { socketPath, startWatched } from '../../test/faults/server.ts'
import { GrpcSession, type JsonObject } from '../../test/transport/connect.ts'
import { type Outcome, type Row, wait } from './row.ts'

/** Every so many servers have the largest request in hand when the signal comes. */
const BUSY_EVERY = 5

/** Starts the largest request, of which most is still to be done a while later. */
async function keepBusy(session: GrpcSession): Promise<void> {
  const makeEnv = { gameId: 'Hourloom-v1', numEnvs: 20_000 }
  const { envId } = (await session.send({ id: 'm', makeEnv })).makeEnv as JsonObject
  session.send({ id: 'r', reset: { envId: envId!, seed: '1' } }).catch(() => undefined)
  await wait(300)
}

export const stop: Row = {
  what: 'stop',
  wanted:
    '50 SIGTERMs with 20 open streams, every fifth with the largest request in hand: exit 0 within 2 s, socket file gone',
  async run(scale): Promise<Outcome> {
    const count = scale.count(50, 3)
    let bad = 0
    let slowestMs = 0
    for (let i = 0; i < count; i++) {
      const path = socketPath()
      const server = await startWatched([], `unix:${path}`)
      const sessions = Array.from({ length: 20 }, () => new GrpcSession(server.address))
      for (const session of sessions) session.stream.on('error', () => undefined)
      const makeEnv = { gameId: 'LumenBlocks-v1', numEnvs: 4 }
      await Promise.all(sessions.map((session) => session.send({ id: 'm', makeEnv })))
      if (i % BUSY_EVERY === 0) await keepBusy(sessions[0]!)
      const started = performance.now()
      const code = await server.stop()
      slowestMs = Math.max(slowestMs, performance.now() - started)
      if (code !== 0 || existsSync(path)) bad++
      await Promise.all(sessions.map((session) => session.close()))
    }
    return {
      ok: bad === 0 && slowestMs <= 2000,
      figure: `${count} SIGTERMs: ${bad} with another exit code or a socket file left, slowest ${(slowestMs / 1000).toFixed(2)} s`,
    }
  },
}
