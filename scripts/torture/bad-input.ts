import { CANONICAL_CODES, countLines, Mutator, validRequests } from '../../test/faults/mutations.ts'
import { startWatched } from '../../test/faults/server.ts'
import {
  decodeResponse,
  encodeRequest,
  GrpcSession,
  type JsonObject,
  StdioSession,
  startInProcess,
  type TestSession,
} from '../../test/transport/connect.ts'
import type { Outcome, Row, Scale } from './row.ts'

const GAME = 'Stackcraft-v1'
const BATCH = 50

interface Tally {
  replies: number
  strange: number
  slowestMs: number
  controlDiffers: number
}

async function makeEnv(session: TestSession): Promise<string> {
  const made = (await session.send({ id: 'm', makeEnv: { gameId: GAME, numEnvs: 2 } })).makeEnv as JsonObject
  await session.send({ id: 'r', reset: { envId: made.envId!, seed: '5' } })
  return made.envId as string
}

/** Sends bad input in batches; `sendBatch` sends one and gives the replies with the time each took. */
async function attack(
  session: TestSession,
  count: number,
  sendBatch: (mutator: Mutator, envId: string) => Promise<{ reply: JsonObject; ms: number }[]>,
): Promise<Tally> {
  const clean = await (await startInProcess()).open()
  const [controlEnv, cleanEnv, target] = [
    await makeEnv(session),
    await makeEnv(clean),
    await makeEnv(session),
  ]
  const mutator = new Mutator(20_260)
  const tally: Tally = { replies: 0, strange: 0, slowestMs: 0, controlDiffers: 0 }
  for (let sent = 0; sent < count; sent += BATCH) {
    for (const { reply, ms } of await sendBatch(mutator, target)) {
      tally.replies++
      const code = (reply.error as JsonObject | undefined)?.code
      if (code !== undefined && !CANONICAL_CODES.includes(code as string)) tally.strange++
      tally.slowestMs = Math.max(tally.slowestMs, ms)
    }
    const actions = [sent % 40, (sent * 7) % 40]
    const control = await session.send({ id: 'c', step: { envId: controlEnv, actions } })
    const expected = await clean.send({ id: 'c', step: { envId: cleanEnv, actions } })
    if (JSON.stringify(control) !== JSON.stringify(expected)) tally.controlDiffers++
  }
  return tally
}

async function attackStdio(count: number): Promise<Tally> {
  const session = new StdioSession()
  const tally = await attack(session, count, async (mutator, envId) => {
    const valid = validRequests(envId, GAME).map((request) => Buffer.from(JSON.stringify(request)))
    const lines = Array.from({ length: BATCH }, () => badBytes(mutator, valid))
    const bytes = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]))
    const started = performance.now()
    const timed = async () => ({ reply: await session.nextLine(), ms: performance.now() - started })
    const replies = Array.from({ length: countLines(bytes) }, timed)
    session.child.stdin!.write(bytes)
    return Promise.all(replies)
  })
  await session.close()
  if (session.child.exitCode !== 0) throw new Error('the stdio server crashed')
  return tally
}

async function attackGrpc(count: number): Promise<Tally> {
  const server = await startWatched()
  const session = new GrpcSession(server.address)
  const tally = await attack(session, count, (mutator, envId) => {
    const valid = validRequests(envId, GAME).map(encodeRequest)
    return Promise.all(
      Array.from({ length: BATCH }, async () => {
        const started = performance.now()
        const reply = decodeResponse(await session.sendBytes(badBytes(mutator, valid)))
        return { reply, ms: performance.now() - started }
      }),
    )
  })
  await session.close()
  if ((await server.stop()) !== 0) throw new Error('the gRPC server crashed')
  return tally
}

function badBytes(mutator: Mutator, valid: readonly Uint8Array[]): Buffer {
  return mutator.pick(5) === 0 ? mutator.noise(300) : mutator.mutate(valid[mutator.pick(valid.length)]!)
}

export const badInput: Row = {
  what: 'bad input',
  wanted:
    '20,000 lines, 5,000 messages: 0 crashes, 0 replies later than 2 s, codes canonical, control unchanged',
  async run(scale: Scale): Promise<Outcome> {
    const lines = await attackStdio(scale.count(20_000, 2000))
    const messages = await attackGrpc(scale.count(5000, 1000))
    const slowest = Math.max(lines.slowestMs, messages.slowestMs)
    const strange = lines.strange + messages.strange
    const differs = lines.controlDiffers + messages.controlDiffers
    return {
      ok: strange === 0 && differs === 0 && slowest < 2000,
      figure: `${lines.replies} replies to lines, ${messages.replies} to messages: 0 crashes, slowest ${slowest.toFixed(0)} ms, ${strange} other codes, control differs ${differs} times`,
    }
  },
}
