import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { exitCode, GrpcSession } from '../transport/connect.ts'
import { socketPath, startWatched, until } from './server.ts'

const CONNECT = fileURLToPath(new URL('../transport/connect.ts', import.meta.url))

/** How often the server asks for a sign of life, and how long it waits for one. */
const KEEPALIVE_S = 0.5

it.each(['TCP', 'unix'])(
  'frees the environments of a client that was stopped, and no others: %s',
  async (kind) => {
    const address = kind === 'unix' ? `unix:${socketPath()}` : undefined
    const server = await startWatched(['--keepalive-s', String(KEEPALIVE_S)], address)
    const quiet = new GrpcSession(server.address)
    await quiet.send({ id: '1', makeEnv: { gameId: 'Stackcraft-v1' } })
    const client = spawnClient(server.address)
    await new Promise((resolve) => client.stdout!.once('data', resolve))
    expect(await server.metric('blockloom_envs')).toBe(2)
    client.kill('SIGSTOP')
    // Twice the time at most, and one more second to free; a loaded machine gets some more.
    await until(async () => (await server.metric('blockloom_sessions')) === 1, 2000 * KEEPALIVE_S + 4000)
    expect(await server.metric('blockloom_envs')).toBe(1)
    expect(await server.metric('blockloom_rows')).toBe(1)
    // The other client was asked just as often and has answered, though it sends nothing.
    expect((await quiet.send({ id: '2', listGames: {} })).id).toBe('2')
    client.kill('SIGCONT')
    expect(await exitCode(client)).toBe(14)
    await quiet.close()
    expect(await server.stop()).toBe(0)
  },
)

/** A client with one environment, which exits with the status code that its stream ends with. */
function spawnClient(address: string) {
  const script = `
    import { GrpcSession } from ${JSON.stringify(CONNECT)}
    const session = new GrpcSession(${JSON.stringify(address)})
    session.stream.on('error', ({ code }) => process.exit(code))
    await session.send({ id: '1', makeEnv: { gameId: 'Stackcraft-v1' } })
    process.stdout.write('made')
    setInterval(() => undefined, 1000)
  `
  return spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
