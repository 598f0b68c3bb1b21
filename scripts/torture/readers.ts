import { residentMib } from '../../test/faults/server.ts'
import {
  GrpcSession,
  type GrpcTestServer,
  type JsonObject,
  StdioSession,
  startTcp,
} from '../../test/transport/connect.ts'
import { type Outcome, percentile, type Row, wait } from './row.ts'

const ROWS = 64
const GAME = 'Stackcraft-v1'

interface Reading {
  readonly growthMib: number
  readonly inOrder: boolean
}

async function makeEnv(session: GrpcSession | StdioSession): Promise<(id: string) => JsonObject> {
  const made = (await session.send({ id: 'm', makeEnv: { gameId: GAME, numEnvs: ROWS } }))
    .makeEnv as JsonObject
  await session.send({ id: 'r', reset: { envId: made.envId!, seed: '1' } })
  const packedActions = Buffer.from(Int32Array.from({ length: ROWS }, (_, i) => i % 40).buffer).toString(
    'base64',
  )
  return (id) => ({ id, step: { envId: made.envId!, packedActions } })
}

async function readSlowly(
  session: GrpcSession | StdioSession,
  output: { pause(): unknown; resume(): unknown },
  pid: number,
  count: number,
): Promise<Reading> {
  const step = await makeEnv(session)
  for (let i = 0; i < 300; i++) await session.send(step('warm'))
  const before = residentMib(pid)
  output.pause()
  const replies = Array.from({ length: count }, (_, i) => session.send(step(`n${i}`)))
  let most = 0
  for (let i = 0; i < 10; i++) {
    await wait(200)
    most = Math.max(most, residentMib(pid) - before)
  }
  output.resume()
  const ids = (await Promise.all(replies)).map((reply) => reply.id)
  return { growthMib: most, inOrder: ids.every((id, i) => id === `n${i}`) }
}

export const slowReader: Row = {
  what: 'slow reader',
  wanted: '10,000 unread requests: RSS at most +64 MiB, then every reply in order',
  async run(scale): Promise<Outcome> {
    const count = scale.count(10_000, 2000)
    const server = (await startTcp()) as GrpcTestServer
    const grpc = new GrpcSession(server.address)
    const overGrpc = await readSlowly(grpc, grpc.stream, server.child.pid!, count)
    await grpc.close()
    await server.stop()
    const stdio = new StdioSession()
    const overStdio = await readSlowly(stdio, stdio.child.stdout!, stdio.child.pid!, count)
    await stdio.close()
    const text = ({ growthMib, inOrder }: Reading) =>
      `RSS +${Math.max(0, growthMib).toFixed(1)} MiB, ${inOrder ? 'all in order' : 'OUT OF ORDER'}`
    return {
      ok: [overGrpc, overStdio].every(({ growthMib, inOrder }) => growthMib <= 64 && inOrder),
      figure: `${count} each: gRPC ${text(overGrpc)}; stdio ${text(overStdio)}`,
    }
  },
}

export const load: Row = {
  what: 'load',
  wanted: '32 sessions x 64 rows for 60 s: 0 errors, latency percentiles printed',
  async run(scale): Promise<Outcome> {
    const seconds = scale.count(60, 6)
    const server = (await startTcp()) as GrpcTestServer
    const end = performance.now() + seconds * 1000
    const latencies: number[] = []
    let errors = 0
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        const session = new GrpcSession(server.address)
        const step = await makeEnv(session)
        while (performance.now() < end) {
          const started = performance.now()
          const reply = await session.send(step('s'))
          latencies.push(performance.now() - started)
          if (reply.error !== undefined) errors++
        }
        await session.close()
      }),
    )
    await server.stop()
    latencies.sort((a, b) => a - b)
    const at = (share: number) => percentile(latencies, share).toFixed(1)
    const rate = Math.round((latencies.length * ROWS) / seconds)
    return {
      ok: errors === 0 && latencies.length > 0,
      figure: `${latencies.length} steps of 64 rows in ${seconds} s (${rate} rows/s, client on the same cores): ${errors} errors, ms p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, p99.9 ${at(0.999)}, most ${at(1)}`,
    }
  },
}
