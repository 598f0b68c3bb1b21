import fc from 'fast-check'
import { expect, it } from 'vitest'
import { GAMES } from '../../src/games/registry.ts'
import { answerLine } from '../../src/session/exchange.ts'
import { createHost } from '../../src/session/host.ts'
import { Session } from '../../src/session/session.ts'
import type { JsonObject } from '../transport/connect.ts'
import { REFUSED_REQUESTS } from '../transport/refused-requests.ts'
import { Mutator, validRequests } from './mutations.ts'

const RUNS = process.env.BLOCKLOOM_FULL === '1' ? 400 : 40

class Player {
  readonly session: Session
  readonly envId: string
  readonly #numActions: number

  constructor(gameId: string) {
    this.session = new Session(createHost())
    const makeEnv = { gameId, numEnvs: 2, illegalAction: 'ILLEGAL_ACTION_REJECT' }
    const made = this.send({ id: 'm', makeEnv }).makeEnv as JsonObject
    this.envId = made.envId as string
    this.#numActions = (made.spec as JsonObject).numActions as number
    this.send({ id: 'r', reset: { envId: this.envId, seed: '95' } })
  }

  send(request: JsonObject): JsonObject {
    return this.sendBytes(Buffer.from(JSON.stringify(request)))
  }

  sendBytes(bytes: Buffer): JsonObject {
    return JSON.parse(answerLine(this.session, bytes)) as JsonObject
  }

  /** The next ten steps, each with the legal actions that the number picks. */
  tenSteps(pick: number): JsonObject[] {
    return Array.from({ length: 10 }, (_, i) => {
      const { masks } = this.send({ id: 'k', getActionMask: { envId: this.envId } })
        .getActionMask as JsonObject
      const actions = (masks as JsonObject[]).map(({ legal }) => {
        const list = legal as JsonObject[]
        return list.length === 0 ? 0 : (list[(pick + i) % list.length]!.action as number)
      })
      return this.send({ id: `s${i}`, step: { envId: this.envId, actions } })
    })
  }

  /** An action that is not legal in row 0 now, or undefined. */
  illegalAction(): number | undefined {
    const { masks } = this.send({ id: 'k', getActionMask: { envId: this.envId, rows: [0] } })
      .getActionMask as JsonObject
    const mask = Buffer.from((masks as JsonObject[])[0]!.mask as string, 'base64')
    const action = mask.indexOf(0)
    return action >= 0 && action < this.#numActions ? action : undefined
  }
}

it.each(GAMES.map(({ id }) => id))(
  'a refused request of any kind changes nothing in %s: the next ten steps are those of a control session',
  (gameId) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), fc.nat(1000), (seed, pick) => {
        const [tested, control] = [new Player(gameId), new Player(gameId)]
        expect(tested.tenSteps(pick)).toEqual(control.tenSteps(pick))
        const mutator = new Mutator(seed)
        const bad = validRequests(tested.envId, gameId).map((request) => Buffer.from(JSON.stringify(request)))
        for (let i = 0; i < 30; i++) {
          const refused = REFUSED_REQUESTS[mutator.pick(REFUSED_REQUESTS.length)]!
          const reply = tested.send({ id: 'bad', ...refused.request(tested.envId, gameId) })
          expect(reply.error).toBeDefined()
          // Damaged beyond the first byte, a line is never a request.
          expect(
            tested.sendBytes(
              Buffer.concat([Buffer.from(','), mutator.mutate(bad[mutator.pick(bad.length)]!)]),
            ).error,
          ).toBeDefined()
        }
        const illegal = tested.illegalAction()
        if (illegal !== undefined) {
          const reply = tested.send({ id: 'bad', step: { envId: tested.envId, actions: [illegal, illegal] } })
          expect(reply.error).toMatchObject({ code: 'FAILED_PRECONDITION' })
        }
        expect(tested.tenSteps(pick)).toEqual(control.tenSteps(pick))
      }),
      { numRuns: RUNS / 4, seed: 6 },
    )
  },
)
