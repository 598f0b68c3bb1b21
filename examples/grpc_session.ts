/**
 * The same contract over gRPC, with a client made from the .proto file: asks why an action is not legal.
 *
 * Run: npx tsx examples/grpc_session.ts
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Client, credentials, loadPackageDefinition, type ServiceError } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'

const serverFile = fileURLToPath(
  new URL('../python-client/src/blockloom/_server/blockloom.cjs', import.meta.url),
)
const server = spawn(process.execPath, [serverFile, 'serve', '--listen', '127.0.0.1:0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const [port] = (await once(server.stdout, 'data')) as [Buffer]

const proto = fileURLToPath(new URL('../proto/blockloom/v1/environment.proto', import.meta.url))
const { blockloom } = loadPackageDefinition(loadSync(proto, { defaults: true })) as unknown as {
  blockloom: { v1: { EnvironmentService: new (address: string, creds: unknown) => Client } }
}
const client = new blockloom.v1.EnvironmentService(
  `127.0.0.1:${String(port).trim()}`,
  credentials.createInsecure(),
)

/** Calls a unary method. */
function call<Answer>(method: string, request: object): Promise<Answer> {
  type Method = (request: object, callback: (error: ServiceError | null, answer: Answer) => void) => void
  const stub = client as unknown as { [method: string]: Method }
  return new Promise((resolve, reject) => {
    stub[method]!(request, (error, answer) => (error ? reject(error) : resolve(answer)))
  })
}

const { games } = await call<{ games: { gameId: string; title: string }[] }>('listGames', {})
console.log(`games: ${games.map((game) => game.title).join(', ')}`)

const { envId } = await call<{ envId: string }>('makeEnv', { gameId: 'Stackcraft-v1' })
await call('reset', { envId, seed: '7' })
const { text } = await call<{ text: string }>('render', { envId })
console.log(text)

interface Explanation {
  readonly name: string
  readonly legal: boolean
  readonly message: string
}
const { explanations } = await call<{ explanations: Explanation[] }>('explain', {
  envId,
  actions: [0, 9, 25],
})
for (const { name, legal, message } of explanations) console.log(`${name}: ${legal ? 'legal' : message}`)

client.close()
server.kill('SIGTERM')
await once(server, 'exit')
