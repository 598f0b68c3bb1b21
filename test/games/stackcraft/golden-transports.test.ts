import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type JsonObject,
  startStdio,
  startTcp,
  startUnix,
  type TestServer,
  type TestSession,
} from '../../transport/connect.ts'

interface GoldenStep {
  readonly board: string
  readonly current: string
  readonly next: string
  readonly score: number
  readonly lines: number
  readonly pieces: number
  readonly legal: string
  readonly action?: string
}

interface GoldenGame {
  readonly seed: string
  readonly steps: readonly GoldenStep[]
}

const GAMES = JSON.parse(
  readFileSync(new URL('../../golden/stackcraft/stackcraft-trajectories.json', import.meta.url), 'utf8'),
) as GoldenGame[]

/** What the recorded game shows of row 0, read from a batch on the wire. */
function look(batch: JsonObject): Omit<GoldenStep, 'action'> {
  const bytes = (name: string) => Buffer.from(batch[name] as string, 'base64')
  const [board, current, next] = (batch.observations as string[]).map((text) => Buffer.from(text, 'base64'))
  const rows = Array.from({ length: 20 }, (_, y) => Array.from(board!.subarray(10 * y, 10 * y + 10)).join(''))
  const outcomes = bytes('outcomes')
  return {
    board: rows.join('/'),
    current: '.IOTSZJL'[current!.readInt32LE()]!,
    next: '.IOTSZJL'[next!.readInt32LE()]!,
    score: outcomes.readInt32LE(0),
    lines: outcomes.readInt32LE(4),
    pieces: outcomes.readInt32LE(8),
    legal: Array.from(bytes('actionMasks'), (bit) => '.#'[bit]).join(''),
  }
}

function expected({ board, current, next, score, lines, pieces, legal }: GoldenStep) {
  return { board, current, next, score, lines, pieces, legal }
}

describe.each([
  ['stdio', startStdio],
  ['TCP', startTcp],
  ['a unix socket', startUnix],
])('recorded games over %s', (_, start) => {
  let server: TestServer
  let session: TestSession

  beforeAll(async () => {
    server = await start()
    session = await server.open()
  })
  afterAll(async () => {
    await session.close()
    await server.stop()
  })

  it.each(GAMES.map((game, i) => [`${i} (${game.steps.length} states)`, game] as const))(
    'game %s',
    async (_name, game) => {
      const made = await session.send({
        id: 'make',
        makeEnv: { gameId: 'Stackcraft-v1', autoresetMode: 'AUTORESET_MODE_DISABLED' },
      })
      const envId = (made.makeEnv as JsonObject).envId!
      let reply = await session.send({ id: 'reset', reset: { envId, seed: game.seed } })
      let batch = (reply.reset as JsonObject).batch as JsonObject
      for (const step of game.steps) {
        expect(look(batch)).toEqual(expected(step))
        if (step.action === undefined) break
        const [, rotation, x] = /^r(\d)x(\d)$/.exec(step.action)!
        reply = await session.send({
          id: 'step',
          step: { envId, actions: [10 * Number(rotation) + Number(x)] },
        })
        batch = (reply.step as JsonObject).batch as JsonObject
      }
      const over = !game.steps.at(-1)!.legal.includes('#')
      expect(Buffer.from(batch.terminations as string, 'base64')[0]).toBe(over ? 1 : 0)
      await session.send({ id: 'close', closeEnv: { envId } })
    },
  )
})
