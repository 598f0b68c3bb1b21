import { GAMES } from '../../src/games/registry.ts'
import {
  type JsonObject,
  startInProcess,
  startStdio,
  startTcp,
  startUnix,
  type TestSession,
} from '../../test/transport/connect.ts'
import type { Outcome, Row } from './row.ts'

const ROWS = 50
const MAX_STEPS = 4000

/** An environment that plays itself: its batches, one after another. */
async function* play(session: TestSession, gameId: string): AsyncGenerator<JsonObject> {
  const makeEnv = { gameId, numEnvs: ROWS, maxEpisodeSteps: 300, autoresetMode: 'AUTORESET_MODE_SAME_STEP' }
  const made = (await session.send({ id: 'm', makeEnv })).makeEnv as JsonObject
  const numActions = (made.spec as JsonObject).numActions as number
  const envId = made.envId as string
  let reply = await session.send({ id: 'r', reset: { envId, seed: '4000' } })
  let batch = (reply.reset as JsonObject).batch as JsonObject
  yield batch
  for (let i = 0; i < MAX_STEPS; i++) {
    reply = await session.send({ id: `${i}`, step: { envId, actions: chooseActions(batch, numActions, i) } })
    batch = (reply.step as JsonObject).batch as JsonObject
    yield batch
  }
}

function chooseActions(batch: JsonObject, numActions: number, step: number): number[] {
  const mask = Buffer.from(batch.actionMasks as string, 'base64')
  return Array.from({ length: ROWS }, (_, row) => {
    const start = (step * 7919 + row * 104_729) % numActions
    for (let i = 0; i < numActions; i++) {
      const action = (start + i) % numActions
      if (mask[row * numActions + action] === 1) return action
    }
    return 0
  })
}

export const transports: Row = {
  what: 'transports',
  wanted: '5 games x 400 episodes: in-process = stdio = TCP = unix socket, 0 differences',
  async run(scale): Promise<Outcome> {
    const servers = await Promise.all([startInProcess(), startStdio(), startTcp(), startUnix()])
    const sessions = await Promise.all(servers.map((server) => server.open()))
    const wanted = scale.count(400, 50)
    let differences = 0
    let batches = 0
    const episodes: number[] = []
    for (const { id } of GAMES) {
      const players = sessions.map((session) => play(session, id))
      let finished = 0
      while (finished < wanted) {
        const moves = await Promise.all(players.map((player) => player.next()))
        if (moves.some(({ done }) => done)) break
        const [first, ...rest] = moves.map(({ value }) => JSON.stringify(value))
        differences += rest.filter((other) => other !== first).length
        batches++
        finished += ((moves[0]!.value as JsonObject).finished as JsonObject[]).length
      }
      episodes.push(finished)
    }
    await Promise.all(sessions.map((session) => session.close()))
    await Promise.all(servers.map((server) => server.stop()))
    return {
      ok: differences === 0 && episodes.every((count) => count >= wanted),
      figure: `${episodes.join(' + ')} episodes over 4 transports, ${batches} batches compared: ${differences} differences`,
    }
  },
}
