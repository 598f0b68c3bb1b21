import { symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { cannotListen } from '../../src/transport/listen-address.ts'
import { socketPath } from '../faults/server.ts'
import { runCli } from './run-cli.ts'

const folder = dirname(socketPath())
const file = join(folder, 'file')
writeFileSync(file, '')
const link = join(folder, 'link')
symlinkSync(join(folder, 'nowhere'), link)

function expectRefused(listen: string, says: RegExp): void {
  const done = runCli(['serve', '--listen', listen])
  expect(done).toMatchObject({ status: 2, stderr: expect.stringMatching(says) })
}

it.each([
  ['a folder that is not there', `unix:${folder}/none/socket`, /there is no such folder\n$/],
  ['a file for a folder', `unix:${file}/socket`, /a part of the path is no folder\n$/],
  [
    'a path of 108 bytes',
    `unix:/tmp/${'x'.repeat(103)}`,
    /the path has 108 bytes; a socket takes at most 10[37]\n$/,
  ],
  ['a link to nowhere', `unix:${link}`, /link exists and is no socket; choose another path\n$/],
  ['a file', `unix:${file}`, /file exists and is no socket; choose another path\n$/],
])('serve says why it cannot listen: %s', (_, listen, says) => {
  expectRefused(listen, says)
})

it('serve says why it cannot listen: a port in use', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  expectRefused(`127.0.0.1:${port}`, /the address is in use\n$/)
  server.close()
})

it('serve says why it cannot serve metrics: a port in use, named as the port of the metrics', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const done = runCli(['serve', '--listen', '127.0.0.1:0', '--metrics', `127.0.0.1:${port}`])
  expect(done).toMatchObject({
    status: 2,
    stderr: `blockloom: cannot serve metrics on 127.0.0.1:${port}: the address is in use\n`,
  })
  server.close()
})

it('tells a folder that is closed to this user', () => {
  const error = Object.assign(new Error('bind EACCES'), { code: 'EACCES' })
  expect(cannotListen('unix:/x', error).message).toBe('cannot listen on unix:/x: this user may not')
})
