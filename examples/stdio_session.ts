/**
 * One session over standard input and output, a line of JSON a message: makes two rows of Stackcraft and plays
 * the first legal action in each until both games are over.
 *
 * Run: npx tsx examples/stdio_session.ts
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

type Fields = { [key: string]: unknown }

const serverFile = fileURLToPath(
  new URL('../python-client/src/blockloom/_server/blockloom.cjs', import.meta.url),
)
const server = spawn(process.execPath, [serverFile, 'stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()

let requests = 0

/** Sends one call and gives its answer; throws when the server refuses it. */
async function call<Answer>(name: string, fields: Fields): Promise<Answer> {
  server.stdin.write(`${JSON.stringify({ id: String(++requests), [name]: fields })}\n`)
  const reply = JSON.parse((await lines.next()).value as string) as { error?: { message: string } } & Fields
  if (reply.error) throw new Error(reply.error.message)
  return reply[name] as Answer
}

interface Batch {
  readonly actionMasks: string
  readonly finished: readonly { readonly row: number; readonly return: number; readonly length: number }[]
}

const numEnvs = 2
const { envId, spec } = await call<{ envId: string; spec: { numActions: number } }>('makeEnv', {
  gameId: 'Stackcraft-v1',
  numEnvs,
})
let { batch } = await call<{ batch: Batch }>('reset', { envId, seed: '7' })
const over = new Set<number>()
while (over.size < numEnvs) {
  const masks = Buffer.from(batch.actionMasks, 'base64')
  const actions = Array.from({ length: numEnvs }, (_, row) => {
    const from = row * spec.numActions
    return masks.subarray(from, from + spec.numActions).indexOf(1)
  })
  batch = (await call<{ batch: Batch }>('step', { envId, actions })).batch
  for (const episode of batch.finished) {
    if (over.has(episode.row)) continue
    over.add(episode.row)
    console.log(`row ${episode.row}: score ${episode.return} after ${episode.length} pieces`)
  }
}
await call('closeEnv', { envId })
server.stdin.end()
const [exitCode] = await once(server, 'exit')
console.log(`the server exited with code ${exitCode}`)
