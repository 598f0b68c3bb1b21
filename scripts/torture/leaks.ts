import { GAMES } from '../../src/games/registry.ts'
import { handle } from '../../src/session/handlers.ts'
import { createHost } from '../../src/session/host.ts'
import type { CallName, Calls } from '../../src/session/message-types.ts'
import { Session } from '../../src/session/session.ts'
import { CANARY, spoiled, TRACE_COUNT, tracesIn } from '../../test/faults/canary.ts'
import { startWatched } from '../../test/faults/server.ts'
import {
  decodeResponse,
  encodeRequest,
  GrpcSession,
  type JsonObject,
  StdioSession,
} from '../../test/transport/connect.ts'
import type { Outcome, Row } from './row.ts'

const ROWS = 4

function countTraces(text: string): number {
  return tracesIn(text).length
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
  const replays = spoiled(canaryReplay(gameId))
  for (let round = 0; ; round++) {
    yield await send({ reset: { envId, seed: CANARY } })
    yield await send({ reset: { envId, seeds: [CANARY] } })
    yield await send({ reset: { envId, seed: `0${CANARY}` } })
    yield await send({ reset: { envId, seed: CANARY, options: { daily: 'x' } } })
    yield await send({ saveReplay: { envId, live: true } })
    yield await send({ saveReplay: { envId, row: ROWS } })
    for (const replayJson of replays) {
      yield await send({ verifyReplay: { replayJson } })
      yield await send({ loadReplay: { replayJson } })
    }
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

/** A complete replay of three actions from the canary. */
function canaryReplay(gameId: string): string {
  const session = new Session(createHost())
  const ask = <Name extends CallName>(name: Name, request: object) =>
    handle(session, name, request) as Calls[Name][1]
  const unset = { config: {}, autoresetMode: 0, illegalAction: 0, wireEncoding: 0 }
  const { envId } = ask('makeEnv', { ...unset, gameId, record: true })
  const reset = { envId, seed: CANARY, seeds: [], episodes: [], options: {} }
  ask('reset', reset)
  for (let i = 0; i < 3; i++) {
    const { mask } = ask('getActionMask', { envId, rows: [] }).masks[0]!
    ask('step', { envId, actions: [mask.indexOf(1)] })
  }
  ask('reset', reset)
  return ask('saveReplay', { envId }).replayJson
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
      figure: `${TRACE_COUNT} traces looked for in ${count} replies, ${log.split('"level"').length - 1} log lines and the metrics: ${inReplies + inLogs + inMetrics} found; 95 and 115 differ in ${early} replies before piece 7, ${late ? 'and' : 'NOT'} with it`,
    }
  },
}
