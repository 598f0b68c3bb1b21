import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Game, Json } from '../../src/env/game.ts'
import { GAMES } from '../../src/games/registry.ts'
import { type JsonObject, startInProcess, type TestServer, type TestSession } from './connect.ts'
import { REFUSED_REQUESTS } from './refused-requests.ts'

const NUM_ENVS = 8

/** The legal actions of each row of a batch, its masks in bytes or in bits. */
function legalActions(batch: JsonObject, numActions: number, packed = false): number[][] {
  const mask = Buffer.from(batch.actionMasks as string, 'base64')
  const stride = packed ? 8 * Math.ceil(numActions / 64) : numActions
  const isLegal = (at: number, action: number) =>
    packed ? ((mask[at + (action >> 3)]! >> (action & 7)) & 1) === 1 : mask[at + action] === 1
  const actions = Array.from({ length: numActions }, (_, action) => action)
  return Array.from({ length: mask.length / stride }, (_, row) =>
    actions.filter((action) => isLegal(row * stride, action)),
  )
}

/** A reply without the one field that is random by design. */
function comparable(reply: JsonObject): JsonObject {
  const { makeEnv } = reply
  return makeEnv ? { ...reply, makeEnv: { ...(makeEnv as JsonObject), envId: '' } } : reply
}

function envIdOf(reply: JsonObject): string {
  const made = (reply.makeEnv ?? {}) as JsonObject
  if (typeof made.envId !== 'string') throw new Error(`no environment was made: ${JSON.stringify(reply)}`)
  return made.envId
}

/** Runs the same requests on two sessions and holds their replies to be equal. */
class Pair {
  readonly #sessions: readonly [TestSession, TestSession]
  #envIds: string[] = []

  constructor(tested: TestSession, control: TestSession) {
    this.#sessions = [tested, control]
  }

  async make(makeEnv: JsonObject): Promise<JsonObject> {
    const [a, b] = await Promise.all(this.#sessions.map((s) => s.send({ id: 'make', makeEnv })))
    this.#envIds = [envIdOf(a!), envIdOf(b!)]
    expect(comparable(a!)).toEqual(comparable(b!))
    return (a!.makeEnv as JsonObject).spec as JsonObject
  }

  /** The reply that both sessions gave. */
  async send(id: string, name: string, fields: JsonObject = {}): Promise<JsonObject> {
    const [a, b] = await Promise.all(
      this.#sessions.map((s, i) => s.send({ id, [name]: { envId: this.#envIds[i]!, ...fields } })),
    )
    expect(a).toEqual(b)
    expect(a!.id).toBe(id)
    return a!
  }

  /** The answer that both sessions gave to a call that they accept. */
  async call(id: string, name: string, fields: JsonObject = {}): Promise<JsonObject> {
    const reply = await this.send(id, name, fields)
    if (!(name in reply)) throw new Error(`${name} was refused: ${JSON.stringify(reply)}`)
    return reply[name] as JsonObject
  }
}

/** Plays mostly legal actions, and now and then any; in DISABLED finished rows are reset by a mask. */
async function playBoth(pair: Pair, game: Game, settings: JsonObject, steps: number): Promise<void> {
  const spec = await pair.make({ gameId: game.id, numEnvs: NUM_ENVS, ...settings })
  const numActions = spec.numActions as number
  const packed = spec.wireEncoding === 'WIRE_ENCODING_PACKED'
  const disabled = spec.autoresetMode === 'AUTORESET_MODE_DISABLED'
  let batch = (await pair.call('reset', 'reset', { seed: '95' })).batch as JsonObject
  let random = 12345
  let refused = 0
  for (let i = 0; i < steps; i++) {
    random = (random * 1103515245 + 12345) & 0x7fffffff
    const actions = legalActions(batch, numActions, packed).map((legal, row) =>
      legal.length > 0 && i % 17 !== row
        ? legal[(random + row) % legal.length]!
        : (random + row) % numActions,
    )
    // Programs send packed actions, people lists; half of the runs send each.
    const packedActions = Buffer.from(Int32Array.from(actions).buffer).toString('base64')
    const reply = await pair.send(`s${i}`, 'step', packed ? { packedActions } : { actions })
    if (reply.error) refused++
    else batch = (reply.step as JsonObject).batch as JsonObject
    const finished = new Set((batch.finished as JsonObject[]).map(({ row }) => row as number))
    if (!disabled || reply.error || finished.size === 0) continue
    const rows = Buffer.from(Array.from({ length: NUM_ENVS }, (_, row) => (finished.has(row) ? 1 : 0)))
    batch = (await pair.call(`r${i}`, 'reset', { resetMask: rows.toString('base64') })).batch as JsonObject
  }
  expect(refused > 0).toBe(settings.illegalAction === 'ILLEGAL_ACTION_REJECT')
}

/** The suite that every transport passes: the same replies, byte for byte, as a session without a wire. */
export function sessionContract(name: string, start: () => Promise<TestServer>): void {
  describe(`a session over ${name}`, () => {
    let server: TestServer
    let control: TestServer
    let session: TestSession
    let controlSession: TestSession

    beforeAll(async () => {
      server = await start()
      control = await startInProcess()
      session = await server.open()
      controlSession = await control.open()
    })
    afterAll(async () => {
      await session.close()
      await server.stop()
    })

    it('lists the games', async () => {
      const pair = await Promise.all([session, controlSession].map((s) => s.send({ id: '1', listGames: {} })))
      const [games, expected] = pair.map((reply) => (reply.listGames as JsonObject).games)
      expect(games).toEqual(expected)
      expect((games as JsonObject[]).map((game) => game.gameId)).toEqual(GAMES.map((game) => game.id))
    })

    for (const game of GAMES) {
      it.each(['WIRE_ENCODING_PACKED', 'WIRE_ENCODING_DENSE'])(
        `plays ${game.id} to the same bytes, %s: 1,000 steps of ${NUM_ENVS} rows`,
        async (wireEncoding) => {
          await playBoth(new Pair(session, controlSession), game, { wireEncoding }, 1000)
        },
      )

      it.each([
        ['AUTORESET_MODE_SAME_STEP', 'ILLEGAL_ACTION_TERMINATE', 'WIRE_ENCODING_PACKED'],
        ['AUTORESET_MODE_SAME_STEP', 'ILLEGAL_ACTION_REFUSE', 'WIRE_ENCODING_DENSE'],
        ['AUTORESET_MODE_NEXT_STEP', 'ILLEGAL_ACTION_REJECT', 'WIRE_ENCODING_PACKED'],
        ['AUTORESET_MODE_DISABLED', 'ILLEGAL_ACTION_TERMINATE', 'WIRE_ENCODING_DENSE'],
      ])(`plays ${game.id} the same with %s, %s, %s`, async (autoresetMode, illegalAction, wireEncoding) => {
        const settings = { autoresetMode, illegalAction, wireEncoding, maxEpisodeSteps: 30 }
        await playBoth(new Pair(session, controlSession), game, settings, 200)
      })

      it(`answers questions about ${game.id} the same`, async () => {
        const pair = new Pair(session, controlSession)
        await pair.make({ gameId: game.id, numEnvs: 2, autoresetMode: 'AUTORESET_MODE_DISABLED' })
        await pair.call('r', 'reset', { seeds: ['-53', '12345678901234567890123'] })
        const masks = (await pair.call('m', 'getActionMask')).masks as JsonObject[]
        const explanations = (await pair.call('e', 'explain', { row: 1 })).explanations as JsonObject[]
        const mask = Buffer.from(masks[1]!.mask as string, 'base64')
        explanations.forEach((explanation, action) => {
          expect(explanation.legal).toBe(mask[action] === 1)
          expect(explanation.reason === '').toBe(explanation.legal)
        })
        expect((await pair.call('t', 'render', { row: 1 })).text).toMatch(/\n/)
        const legal = masks[1]!.legal as JsonObject[]
        const native = game.create(defaults(game)).native.toNative(legal[0]!.action as number)
        const play = await pair.call('p', 'play', { row: 1, actionJson: JSON.stringify(native) })
        expect(play).toMatchObject({ ok: true, reason: '', gameOver: false })
        const refused = await pair.call('p2', 'play', { row: 0, actionJson: '{"nonsense":1}' })
        expect(refused).toMatchObject({ ok: false, reason: 'unknown_action' })
      })

      it(`saves, verifies and loads a game of ${game.id}, and tells its afterstates, the same`, async () => {
        const pair = new Pair(session, controlSession)
        const settings = { gameId: game.id, record: true, autoresetMode: 'AUTORESET_MODE_DISABLED' }
        const { numActions } = await pair.make(settings)
        let batch = (await pair.call('reset', 'reset', { seed: '-7' })).batch as JsonObject
        for (let i = 0; i < 9 && legalActions(batch, numActions as number)[0]!.length > 1; i++) {
          const legal = legalActions(batch, numActions as number)[0]!
          const actions = [legal[(legal.length - 1) >> 1]!]
          batch = (await pair.call(`step ${i}`, 'step', { actions })).batch as JsonObject
        }
        if (game.create(defaults(game)).afterstates) {
          const { actions, boards } = await pair.call('after', 'afterstates', {})
          expect((actions as string).length).toBeGreaterThan(0)
          expect((boards as string).length).toBeGreaterThan((actions as string).length)
        }
        await pair.call('close', 'reset', { seed: '1' })
        const { replayJson } = await pair.call('save', 'saveReplay', {})
        const verified = await session.send({ id: 'v', verifyReplay: { replayJson: replayJson! } })
        expect(verified).toEqual(
          await controlSession.send({ id: 'v', verifyReplay: { replayJson: replayJson! } }),
        )
        expect(verified.verifyReplay).toMatchObject({ ok: true, reason: '' })
        const load = { id: 'l', loadReplay: { replayJson: replayJson!, ply: 1 } }
        const [loaded, control] = [await session.send(load), await controlSession.send(load)]
        expect({ ...(loaded.loadReplay as JsonObject), envId: '' }).toEqual({
          ...(control.loadReplay as JsonObject),
          envId: '',
        })
      })
    }

    it('refuses bad requests with the reason, and they change nothing', async () => {
      const game = GAMES[0]!
      const pair = new Pair(session, controlSession)
      await pair.make({ gameId: game.id, numEnvs: 2 })
      await pair.call('reset', 'reset', { seed: '1' })
      const envId = envIdOf(await session.send({ id: 'x', makeEnv: { gameId: game.id, numEnvs: 2 } }))
      const fresh = await session.send({ id: 'y', step: { envId, actions: [0, 0] } })
      expect(fresh.error).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'RESET_REQUIRED' })
      await session.send({ id: 'r', reset: { envId, seed: '1' } })
      for (const { request, code, reason, says } of REFUSED_REQUESTS) {
        const reply = await session.send({ id: 'bad', ...request(envId, game.id) })
        expect(reply.error, JSON.stringify(request(envId, game.id))).toMatchObject({ code, reason })
        expect((reply.error as JsonObject).message).toMatch(says)
        const { metadata } = reply.error as JsonObject
        expect(metadata, JSON.stringify(reply.error)).not.toEqual({})
      }
      const again = await session.send({ id: 'after', step: { envId, actions: [0, 1] } })
      const clean = await controlSession.send({ id: 'x', makeEnv: { gameId: game.id, numEnvs: 2 } })
      const cleanId = envIdOf(clean)
      await controlSession.send({ id: 'r', reset: { envId: cleanId, seed: '1' } })
      expect(again).toEqual(
        await controlSession.send({ id: 'after', step: { envId: cleanId, actions: [0, 1] } }),
      )
    })

    it('answers a burst of requests in order, one each', async () => {
      const requests = Array.from({ length: 500 }, (_, i) => session.send({ id: `n${i}`, listGames: {} }))
      const ids = (await Promise.all(requests)).map((reply) => reply.id as Json)
      expect(ids).toEqual(Array.from({ length: 500 }, (_, i) => `n${i}`))
    })

    it('keeps its environments to itself', async () => {
      const envId = envIdOf(await session.send({ id: '1', makeEnv: { gameId: GAMES[0]!.id } }))
      const other = await server.open()
      const reply = await other.send({ id: '2', reset: { envId, seed: '1' } })
      expect(reply.error).toMatchObject({ code: 'NOT_FOUND', reason: 'UNKNOWN_ENV' })
      await other.close()
      expect(await session.send({ id: '3', closeEnv: { envId } })).toEqual({ id: '3', closeEnv: {} })
      const closed = await session.send({ id: '4', closeEnv: { envId } })
      expect(closed.error).toMatchObject({ code: 'NOT_FOUND', reason: 'UNKNOWN_ENV' })
    })
  })
}

function defaults(game: Game) {
  return Object.fromEntries(
    Object.entries(game.configSchema).map(([key, { default: value }]) => [key, value]),
  )
}
