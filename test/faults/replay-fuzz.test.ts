import { describe, expect, it } from 'vitest'
import { GAMES } from '../../src/games/registry.ts'
import { verifyReplay } from '../../src/replay/verify.ts'
import { answerLine } from '../../src/session/exchange.ts'
import { createHost } from '../../src/session/host.ts'
import { Session } from '../../src/session/session.ts'
import type { JsonObject } from '../transport/connect.ts'
import { Mutator } from './mutations.ts'

const SCALE = process.env.BLOCKLOOM_FULL === '1' ? 10 : 1
const MUTANTS = 300 * SCALE
const SEED = '7311994226588'

/** A replay of a short game in which the first legal action is always taken. */
function record(gameId: string): string {
  const session = new Session(createHost({ allowLiveReplay: true }))
  const send = (request: JsonObject) =>
    JSON.parse(answerLine(session, Buffer.from(JSON.stringify({ id: '1', ...request })))) as JsonObject
  const { envId } = send({ makeEnv: { gameId, record: true } }).makeEnv as { envId: string }
  send({ reset: { envId, seeds: [SEED] } })
  for (let i = 0; i < 12; i++) {
    const masks = (send({ getActionMask: { envId } }).getActionMask as JsonObject).masks as JsonObject[]
    const legal = masks[0]!.legal as JsonObject[]
    if (legal.length > 0) send({ step: { envId, actions: [legal[i % legal.length]!.action!] } })
  }
  return (send({ saveReplay: { envId, row: 0, live: true } }).saveReplay as JsonObject).replayJson as string
}

describe.each(GAMES.map(({ id }) => id))('replays of %s, damaged', (gameId) => {
  const replay = record(gameId)
  const summaryOf = (text: string) => {
    const verdict = verifyReplay(text, GAMES)
    return verdict.ok ? verdict.replay.summary : undefined
  }

  it('verify when they are whole', () => {
    expect(summaryOf(replay)).toEqual((JSON.parse(replay) as JsonObject).final)
  })

  it('never bring the reader down, pass only with a true summary, and keep the seed to themselves', () => {
    const mutator = new Mutator(gameId.length)
    for (let i = 0; i < MUTANTS; i++) {
      const text = mutator.mutate(Buffer.from(replay)).toString('utf8')
      const verdict = verifyReplay(text, GAMES)
      if (verdict.ok) {
        const { final } = JSON.parse(text) as { final?: object }
        if (final !== undefined) expect(verdict.replay.summary).toEqual(final)
      } else {
        expect(verdict.fault.reason).toMatch(/^[a-z_]+$/)
        expect(JSON.stringify(verdict)).not.toContain(SEED)
      }
    }
  })

  it('are refused when one figure of the summary is another, or of another type', () => {
    const parsed = JSON.parse(replay) as { final: Record<string, number | boolean> }
    for (const [key, value] of Object.entries(parsed.final)) {
      const lies =
        typeof value === 'boolean' ? [!value, Number(value)] : [value + 1, String(value), value === 1]
      for (const lie of lies) {
        const text = replay.replace(
          /"final":.*$/,
          `"final":${JSON.stringify({ ...parsed.final, [key]: lie })}}`,
        )
        expect(summaryOf(text), `${key}: ${lie}`).toBeUndefined()
      }
    }
  })
})
