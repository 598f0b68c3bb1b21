/**
 * Steps a second of the layers above an engine, on one core, without a wire: the vector environment alone, then
 * with requests and replies as protobuf, then as lines of JSON. Actions are drawn from packed masks.
 *
 * Run: npx tsx bench/session.ts [GAME] [ROWS]
 */
import { parseConfig } from '../src/env/config.ts'
import { VectorEnv } from '../src/env/vector-env.ts'
import { GAMES } from '../src/games/registry.ts'
import { SessionRequestType, SessionResponseType } from '../src/session/contract.ts'
import { answerBytes, answerLine } from '../src/session/exchange.ts'
import { createHost } from '../src/session/host.ts'
import { Session } from '../src/session/session.ts'

const SECONDS = 2
const game = GAMES.find(({ id }) => id === (process.argv[2] ?? 'Stackcraft-v1'))!
const rows = Number(process.argv[3] ?? 1024)
const { numActions } = game.create(parseConfig(game.configSchema, {}))
const maskBytes = 8 * Math.ceil(numActions / 64)

let random = 1
/** Fills in one random legal action a row, by rejection. */
function sample(masks: Uint8Array, actions: Int32Array): void {
  for (let row = 0; row < actions.length; row++) {
    let action: number
    do {
      random = (Math.imul(random, 1664525) + 1013904223) | 0
      action = ((random >>> 8) * numActions) >>> 24
    } while (((masks[row * maskBytes + (action >> 3)]! >> (action & 7)) & 1) === 0)
    actions[row] = action
  }
}

function measure(name: string, step: (actions: Int32Array) => Uint8Array, masks: Uint8Array): void {
  const actions = new Int32Array(rows)
  let current = masks
  const run = (seconds: number) => {
    const end = performance.now() + 1000 * seconds
    let steps = 0
    let sampling = 0
    const start = performance.now()
    while (performance.now() < end) {
      const from = performance.now()
      sample(current, actions)
      sampling += performance.now() - from
      current = step(actions)
      steps += rows
    }
    return steps / (performance.now() - start - sampling) / 1000
  }
  run(1)
  console.log(`${name.padEnd(12)} ${run(SECONDS).toFixed(2)} M steps/s`)
}

console.log(`${game.id}, ${rows} rows`)
{
  const env = new VectorEnv(game.create(parseConfig(game.configSchema, {})), {
    numEnvs: rows,
    maxEpisodeSteps: 0,
    autoresetMode: 'same_step',
    illegalAction: 'refuse',
    reward: 'score',
    packed: true,
    record: false,
  })
  env.reset(Array.from({ length: rows }, (_, row) => ({ seed: String(row), episode: 0 })))
  const step = (actions: Int32Array) => {
    env.step(actions)
    return env.batch.actionMasks
  }
  measure('vector env', step, env.batch.actionMasks)
}
const makeEnv = {
  gameId: game.id,
  numEnvs: rows,
  wireEncoding: 'WIRE_ENCODING_PACKED',
  autoresetMode: 'AUTORESET_MODE_SAME_STEP',
}
{
  const session = new Session(createHost())
  const send = (request: object) =>
    SessionResponseType.toObject(
      SessionResponseType.decode(
        answerBytes(session, SessionRequestType.encode(SessionRequestType.fromObject(request)).finish()),
      ),
    ) as {
      makeEnv?: { envId: string }
      reset?: { batch: { actionMasks: Uint8Array } }
      step?: { batch: { actionMasks: Uint8Array } }
    }
  const { envId } = send({ id: '1', makeEnv }).makeEnv!
  const masks = send({ id: '2', reset: { envId, seed: '0' } }).reset!.batch.actionMasks
  measure(
    'protobuf',
    (actions) =>
      send({ id: '3', step: { envId, packedActions: new Uint8Array(actions.buffer) } }).step!.batch
        .actionMasks,
    masks,
  )
}
{
  const session = new Session(createHost())
  const send = (request: object) => answerLine(session, Buffer.from(JSON.stringify(request)))
  const { envId } = (JSON.parse(send({ id: '1', makeEnv })) as { makeEnv: { envId: string } }).makeEnv
  const masksOf = (line: string) => Buffer.from(/"actionMasks":"([^"]*)"/.exec(line)![1]!, 'base64')
  const masks = masksOf(send({ id: '2', reset: { envId, seed: '0' } }))
  measure(
    'json',
    (actions) =>
      masksOf(
        send({ id: '3', step: { envId, packedActions: Buffer.from(actions.buffer).toString('base64') } }),
      ),
    masks,
  )
}
