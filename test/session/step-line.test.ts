import { expect, it } from 'vitest'
import { GAMES } from '../../src/games/registry.ts'
import { answerLine } from '../../src/session/exchange.ts'
import { createHost } from '../../src/session/host.ts'
import { Session } from '../../src/session/session.ts'

/** The same step, in the form of the fast path and in one that takes the general path. */
const SPELLINGS = [
  (envId: string, actions: string) => `{"id":"s","step":{"envId":"${envId}","packedActions":"${actions}"}}`,
  (envId: string, actions: string) => `{"id":"s", "step":{"envId":"${envId}","packedActions":"${actions}"}}`,
]

it.each(GAMES.map((game) => game.id))(
  'answers a step of %s the same on the fast path and on the general one',
  (gameId) => {
    for (const mode of ['NEXT_STEP', 'SAME_STEP']) {
      const sessions = SPELLINGS.map((spell) => {
        const session = new Session(createHost())
        const send = (line: string) => answerLine(session, Buffer.from(line))
        const settings = `"gameId":"${gameId}","numEnvs":5,"autoresetMode":"AUTORESET_MODE_${mode}","maxEpisodeSteps":9`
        const made = send(`{"id":"1","makeEnv":{${settings},"wireEncoding":"WIRE_ENCODING_PACKED"}}`)
        const envId = /"envId":"(\w+)"/.exec(made)![1]!
        send(`{"id":"2","reset":{"envId":"${envId}","seed":"3"}}`)
        return (actions: string) => send(spell(envId, actions))
      })
      for (let i = 0; i < 300; i++) {
        // Some actions are legal, some not, and now and then one is out of range or there is one too many.
        const numbers = Array.from(
          { length: i % 97 === 96 ? 6 : 5 },
          (_, row) => (i * 31 + row * 7) % (i % 50 === 49 ? 999 : 7),
        )
        const actions = Buffer.from(Int32Array.from(numbers).buffer).toString('base64')
        const [fast, general] = sessions.map((send) => send(actions))
        expect(fast).toBe(general)
      }
    }
  },
)
