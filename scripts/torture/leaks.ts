import { episodeSeed } from '../../src/env/seeds.ts'
import { GAMES } from '../../src/games/registry.ts'
import { startWatched } from '../../test/faults/server.ts'
import {
  decodeResponse,
  encodeRequest,
  GrpcSession,
  type JsonObject,
  StdioSession,
} from '../../test/transport/connect.ts'
import type { Outcome, Row } from './row.ts'

/** A seed that turns up nowhere by chance, and what is made of it. */
const CANARY = '84467440737095516'
const ROWS = 4
const TRACES: readonly string[] = Array.from({ length: ROWS }, (_, row) => {
  const seed = (BigInt(CANARY) + BigInt(row)).toString()
  const episodes = Array.from({ length: 6 }, (_, k) => episodeSeed(seed, k))
  const hex = BigInt(seed).toString(16)
  return [...episodes, hex, Buffer.from(seed).toString('base64').slice(0, 20)]
}).flat()

function countTraces(text: string): number {
  return TRACES.filter((trace) => text.includes(trace)).length
}

/** Raw replies to a game played and asked about with the canary as its seed, and to requests that are refused. */
async function* replies(
  send: (request: JsonObject) => Promise<string>,
  gameId: string,
): AsyncGenerator<string> {
  const makeEnv = { gameId, numEnvs: ROWS, autoresetMode: 'AUTORESET_MODE_SAME_STEP', maxEpisodeSteps: 40 }
  const made = await send({ makeEnv: { ...makeEnv, record: true } })
  const envId = /[0-9a-f]{32}/.exec(made)![0]
  yield made
  for (let round = 0; ; round++) {
    yield await send({ reset: { envId, seed: CANARY } })
    yield await send({ reset: { envId, seeds: [CANARY] } })
    yield await send({ reset: { envId, seed: `0${CANARY}` } })
    yield await send({ reset: { envId, seed: CANARY, options: { daily: 'x' } } })
    yield await send({ verifyReplay: { replayJson: `{"schema_version":1,"seed":${CANARY}.0}` } })
    for (const ask of ['getActionMask', 'explain', 'render', 'afterstates'])
      yield await send({ [ask]: { envId } })
    for (let i = 0; i < 200; i++) {
      const actions = Array.from(
        { length: ROWS },
        (_, row) => (i * 13 + row * 5 + round) % (i % 50 === 49 ? 999 : 7),
      )
      yield await send({ step: { envId, actions } })
    }
  }
}

async function hunt(
  count: number,
  senders: readonly ((request: JsonObject) => Promise<string>)[],
): Promise<number> {
  let traces = 0
  const share = Math.ceil(count / (senders.length * GAMES.length))
  for (const send of senders) {
    for (const { id } of GAMES) {
      const stream = replies(send, id)
      for (let i = 0; i < share; i++) traces += countTraces((await stream.next()).value as string)
    }
  }
  return traces
}

/** Seeds 95 and 115 begin with the same seven pieces: replies must be equal until the eighth can be seen. */
async function twinsDiffer(): Promise<readonly [number, boolean]> {
  const games: string[][] = []
  for (const seed of ['95', '115']) {
    const session = new StdioSession()
    const made = (await session.send({ id: '1', makeEnv: { gameId: 'Stackcraft-v1' } })).makeEnv as JsonObject
    const envId = made.envId!
    const texts = [JSON.stringify(await session.send({ id: '2', reset: { envId, seed } }))]
    for (let step = 1; step <= 6; step++) {
      const asks: JsonObject[] = [{ getActionMask: { envId } }, { explain: { envId } }, { render: { envId } }]
      for (const ask of asks) texts.push(JSON.stringify(await session.send({ id: '3', ...ask })))
      texts.push(JSON.stringify(await session.send({ id: '4', step: { envId, actions: [step] } })))
    }
    await session.close()
    games.push(texts)
  }
  const [first, second] = games as [string[], string[]]
  const early = first.slice(0, -1).filter((text, i) => text !== second[i]).length
  return [early, first.at(-1) !== second.at(-1)]
}

export const leaks: Row = {
  what: 'leaks',
  wanted:
    'a canary seed and its derivatives in 0 of 100,000 replies, errors, logs and metrics; seeds 95 and 115 equal until piece 7 is in sight',
  async run(scale): Promise<Outcome> {
    const count = scale.count(100_000, 5000)
    const server = await startWatched(['--log-level', 'debug'])
    const grpc = new GrpcSession(server.address)
    const stdio = new StdioSession(['--log-level', 'debug'])
    let stdioLog = ''
    stdio.child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      stdioLog += text
    })
    const overGrpc = async (request: JsonObject) => {
      const bytes = await grpc.sendBytes(encodeRequest({ id: 'x', ...request }))
      return Buffer.from(bytes).toString('latin1') + JSON.stringify(decodeResponse(bytes))
    }
    const overStdio = async (request: JsonObject) => JSON.stringify(await stdio.send({ id: 'x', ...request }))
    const inReplies = await hunt(count, [overGrpc, overStdio])
    const inMetrics = countTraces(await server.metricsPage())
    await stdio.close()
    await grpc.close()
    await server.stop()
    const log = JSON.stringify(server.log) + stdioLog
    const inLogs = countTraces(log)
    const [early, late] = await twinsDiffer()
    return {
      ok: inReplies + inLogs + inMetrics === 0 && early === 0 && late,
      figure: `${TRACES.length} traces looked for in ${count} replies, ${log.split('"level"').length - 1} log lines and the metrics: ${inReplies + inLogs + inMetrics} found; 95 and 115 differ in ${early} replies before piece 7, ${late ? 'and' : 'NOT'} with it`,
    }
  },
}
