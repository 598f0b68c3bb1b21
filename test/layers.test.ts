import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../src')

/** Which layers a layer may import from, itself aside; `node` stands for Node's own modules. */
const ALLOWED: { readonly [layer: string]: readonly string[] } = {
  env: ['random'],
  random: ['seedrandom'],
  games: ['env', 'random'],
  replay: ['env', 'games'],
  session: ['env', 'games', 'replay', 'random', 'node', 'protobufjs'],
  transport: ['env', 'session', 'node', 'protobufjs', '@grpc/grpc-js'],
  command: [
    'env',
    'games',
    'random',
    'replay',
    'session',
    'transport',
    'node',
    '@grpc/grpc-js',
    'pino',
    'prom-client',
  ],
  'cli.ts': ['command', 'session', 'transport', 'node'],
}

/** Folders of games/ that another game's folder may import from. */
const SHARED_BY_GAMES = ['tray']

function sources(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return sources(path)
    return name.endsWith('.ts') ? [path] : []
  })
}

function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  return Array.from(text.matchAll(/(?:\bfrom\s|\bimport\s*\(?)\s*'([^']+)'/g), (match) => match[1]!)
}

function layerOf(path: string): string {
  return relative(SRC, path).split('/')[0]!
}

/** The layer or package that an import line reaches. */
function target(path: string, specifier: string): string {
  if (specifier.startsWith('.')) return layerOf(resolve(dirname(path), specifier))
  if (specifier.startsWith('node:')) return 'node'
  return specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : specifier.split('/')[0]!
}

describe('layers', () => {
  const files = sources(SRC)

  it('has files in every layer that is named here', () => {
    expect(new Set(files.map(layerOf))).toEqual(new Set(Object.keys(ALLOWED)))
  })

  it.each(files.map((path) => [relative(SRC, path), path]))(
    '%s imports only from the layers below it',
    (_, path) => {
      const layer = layerOf(path)
      for (const specifier of importsOf(path)) {
        const reached = target(path, specifier)
        expect([layer, ...ALLOWED[layer]!], `${specifier}`).toContain(reached)
      }
    },
  )

  it.each(files.filter((path) => layerOf(path) === 'games').map((path) => [relative(SRC, path), path]))(
    '%s knows no other game',
    (name, path) => {
      if (name === 'games/registry.ts') return
      const own = name.split('/')[1]!
      for (const specifier of importsOf(path).filter((text) => text.startsWith('.'))) {
        const reached = relative(SRC, resolve(dirname(path), specifier)).split('/')
        if (reached[0] === 'games') expect([own, ...SHARED_BY_GAMES]).toContain(reached[1])
      }
    },
  )
})
