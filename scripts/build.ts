/** Writes the one-file server, the contract's descriptor set and the ids of the games into the Python package. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { GAMES } from '../src/games/registry.ts'
import { fileDescriptorSet } from '../src/session/descriptors.ts'

const OUT = new URL('../python-client/src/blockloom/_server/', import.meta.url)
const proto = readFileSync(new URL('../proto/blockloom/v1/environment.proto', import.meta.url), 'utf8')
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

mkdirSync(OUT, { recursive: true })
writeFileSync(
  new URL('descriptor_set.binpb', OUT),
  fileDescriptorSet('blockloom/v1/environment.proto', proto),
)
writeFileSync(new URL('games.json', OUT), `${JSON.stringify(GAMES.map(({ id }) => id))}\n`)
await build({
  entryPoints: [fileURLToPath(new URL('../src/cli.ts', import.meta.url))],
  outfile: new URL('blockloom.cjs', OUT).pathname,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  banner: { js: '#!/usr/bin/env node' },
  define: {
    BLOCKLOOM_PROTO: JSON.stringify(proto),
    BLOCKLOOM_VERSION: JSON.stringify(version),
    'import.meta.url': '"file:///"',
  },
  logLevel: 'warning',
})
