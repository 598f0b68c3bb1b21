import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type ChannelCredentials,
  Client,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SERVICE_NAME } from '../../src/session/contract.ts'
import { decodeResponse, encodeRequest, exitCode, type JsonObject, SERVER } from '../transport/connect.ts'
import { startWatched, type WatchedServer } from './server.ts'

const TOKEN = 'a-token-for-the-tests-only'
const certificate = (name: string) => fileURLToPath(new URL(`certificates/${name}`, import.meta.url))
const read = (name: string) => readFileSync(certificate(name))
const tokenFile = writeToken(`${TOKEN}\n`)

function writeToken(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'blockloom-')), 'token')
  writeFileSync(path, text)
  return path
}

function bearer(token: string | undefined): Metadata {
  const metadata = new Metadata()
  if (token !== undefined) metadata.set('authorization', token)
  return metadata
}

const asBytes = (bytes: Uint8Array) => Buffer.from(bytes)

/** The status of one unary call whose message is not even protobuf, so that parsing it would show. */
function callUnary(client: Client, token: string | undefined): Promise<number> {
  return new Promise((resolve) => {
    const done = (error: ServiceError | null) => resolve(error ? error.code : status.OK)
    const garbage = new Uint8Array([0xff])
    client.makeUnaryRequest(
      `/${SERVICE_NAME}/ListGames`,
      asBytes,
      asBytes,
      token === 'right' ? new Uint8Array(0) : garbage,
      bearer(token === 'right' ? `Bearer ${TOKEN}` : token),
      { deadline: Date.now() + 30_000 },
      done,
    )
  })
}

/** The answer to one request on a session, or the status that the stream ended with. */
function callSession(client: Client, token: string | undefined): Promise<JsonObject | number> {
  const options = { deadline: Date.now() + 30_000 }
  const path = `/${SERVICE_NAME}/Session`
  const stream = client.makeBidiStreamRequest(path, asBytes, asBytes, bearer(token), options)
  return new Promise((resolve) => {
    stream.once('data', (bytes: Buffer) => {
      resolve(decodeResponse(bytes))
      stream.end()
    })
    stream.on('error', (error: { code?: number }) => resolve(error.code!))
    stream.write(encodeRequest({ id: '1', listGames: {} }))
  })
}

async function withClient<T>(
  server: WatchedServer,
  creds: ChannelCredentials,
  run: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client(server.address, creds, { 'grpc.use_local_subchannel_pool': 1 })
  try {
    return await run(client)
  } finally {
    client.close()
  }
}

describe('a server with TLS and a token', () => {
  let server: WatchedServer

  beforeAll(async () => {
    const tls = ['--tls-cert', certificate('server.pem'), '--tls-key', certificate('server.key')]
    server = await startWatched([...tls, '--token-file', tokenFile])
  })
  afterAll(() => server.stop())

  const tls = credentials.createSsl(read('ca.pem'))

  it('answers calls that bring the token', async () => {
    await withClient(server, tls, async (client) => {
      expect(await callUnary(client, 'right')).toBe(status.OK)
      expect(await callSession(client, `Bearer ${TOKEN}`)).toMatchObject({ id: '1' })
    })
  })

  it.each([undefined, 'Bearer', TOKEN, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, `bearer ${TOKEN}`])(
    'turns away %s before the request is parsed',
    async (token) => {
      const refused = 'blockloom_refusals_total{reason="UNAUTHENTICATED"}'
      const before = await server.metric(refused)
      await withClient(server, tls, async (client) => {
        expect(await callUnary(client, token)).toBe(status.UNAUTHENTICATED)
        expect(await callSession(client, token)).toBe(status.UNAUTHENTICATED)
      })
      expect(await server.metric(refused)).toBe(before + 2)
      expect(await server.metric('blockloom_refusals_total{reason="MALFORMED_MESSAGE"}')).toBe(0)
      expect(await server.metric('blockloom_sessions')).toBe(0)
    },
  )

  it('does not talk to clients without TLS, or with another authority', async () => {
    for (const creds of [credentials.createInsecure(), credentials.createSsl(read('client.pem'))]) {
      await withClient(server, creds, async (client) => {
        expect(await callUnary(client, 'right')).toBe(status.UNAVAILABLE)
      })
    }
  })

  it('does not write the token to its log', () => {
    expect(JSON.stringify(server.log)).not.toContain(TOKEN)
  })
})

it('lets in only clients with a certificate of the authority, when one is given', async () => {
  const server = await startWatched([
    ...['--tls-cert', certificate('server.pem'), '--tls-key', certificate('server.key')],
    ...['--tls-client-ca', certificate('ca.pem')],
  ])
  const withCertificate = credentials.createSsl(read('ca.pem'), read('client.key'), read('client.pem'))
  await withClient(server, withCertificate, async (client) => {
    expect(await callSession(client, undefined)).toMatchObject({ id: '1' })
  })
  await withClient(server, credentials.createSsl(read('ca.pem')), async (client) => {
    expect(await callSession(client, undefined)).toBe(status.UNAVAILABLE)
  })
  await server.stop()
})

describe('beyond loopback', () => {
  const tls = ['--tls-cert', certificate('server.pem'), '--tls-key', certificate('server.key')]

  it('serves with TLS and a token', async () => {
    const server = await startWatched([...tls, '--token-file', tokenFile], '0.0.0.0:0')
    expect(server.log[0]).toMatchObject({ tls: true, token: true })
    await server.stop()
  })

  it.each([
    ['nothing', [], /that needs --tls-cert/],
    ['TLS alone', tls, /that needs .* --token-file/],
    ['a token alone', ['--token-file', tokenFile], /that needs --tls-cert/],
    ['half of TLS', tls.slice(0, 2), /go together/],
    ['an authority alone', ['--tls-client-ca', certificate('ca.pem')], /needs --tls-cert/],
    ['a key of another certificate', [...tls.slice(0, 3), certificate('client.key')], /no PEM certificate/],
    ['a file that is not there', [...tls.slice(0, 3), '/nowhere'], /cannot be read \(ENOENT\)/],
    ['a file that is no PEM', [...tls.slice(0, 3), certificate('README.md')], /is no PEM file/],
    ['a short token', [...tls, '--token-file', writeToken('short')], /at least 16/],
    ['a token of two lines', [...tls, '--token-file', writeToken(`${TOKEN}\n${TOKEN}`)], /one line/],
    ['metrics for everyone', [...tls, '--token-file', tokenFile, '--metrics', '0.0.0.0:0'], /--metrics/],
  ])('does not serve with %s, says why in one line, and exits 2', async (_, args, why) => {
    const child = spawn(process.execPath, [SERVER, 'serve', '--listen', '0.0.0.0:0', ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    expect(await exitCode(child)).toBe(2)
    expect(errors).toMatch(/^blockloom: [^\n]+\n$/)
    expect(errors).toMatch(why)
  })
})
