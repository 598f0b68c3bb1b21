import { expect, test } from 'vitest'
import { parseConfig } from '../../src/env/config.ts'
import { VectorEnv } from '../../src/env/vector-env.ts'
import { GAMES } from '../../src/games/registry.ts'
import { writeBatch } from '../../src/session/batch-line.ts'
import { SessionResponseType } from '../../src/session/contract.ts'
import { LineBuffer } from '../../src/session/line-buffer.ts'
import { batchMessage } from '../../src/session/messages.ts'
import { messageToJson } from '../../src/session/proto-json.ts'

test.each(GAMES.map(({ id }) => id))('writes what the general JSON writer writes: %s', (id) => {
  const game = GAMES.find((one) => one.id === id)!
  const rows = 5
  const seen = { refusals: 0, finished: 0 }
  for (const packed of [true, false]) {
    for (const autoresetMode of ['same_step', 'next_step'] as const) {
      const env = new VectorEnv(game.create(parseConfig(game.configSchema, {})), {
        numEnvs: rows,
        maxEpisodeSteps: 7,
        autoresetMode,
        illegalAction: 'refuse',
        reward: 'score',
        packed,
        record: false,
      })
      env.reset(Array.from({ length: rows }, (_, row) => ({ seed: String(row), episode: 0 })))
      const out = new LineBuffer()
      for (let turn = 0; turn < 30; turn++) {
        const actions = Int32Array.from(
          { length: rows },
          (_, row) => (turn * 5 + row) % env.instance.numActions,
        )
        env.step(actions)
        const response = { batch: batchMessage(env.batch, rows) }
        seen.refusals += response.batch.refusals.length
        seen.finished += response.batch.finished.length
        out.clear()
        out.ascii('{"id":"7"')
        writeBatch(',"step":', response, out)
        const expected = JSON.stringify(messageToJson(SessionResponseType, { id: '7', step: response }))
        expect(out.line().toString()).toBe(expected)
      }
    }
  }
  expect(seen.finished).toBeGreaterThan(0)
  expect(seen.refusals).toBeGreaterThan(0)
})
