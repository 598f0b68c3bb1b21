import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ADVISORIES, affecting, isBelow } from '../../scripts/torture/advisories.ts'
import { readLocks } from '../../scripts/torture/locks.ts'

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

it('locks every package to one version, and names no registry host', () => {
  const lock = text('package-lock.json')
  expect(lock).not.toMatch(/https?:\/\/[^"]*registry|"resolved"/)
  const { packages } = JSON.parse(lock) as {
    packages: { [path: string]: { version?: string; integrity?: string } }
  }
  for (const [path, { version, integrity }] of Object.entries(packages)) {
    if (path === '') continue
    expect(version, path).toMatch(/^\d+\.\d+\.\d+/)
    expect(integrity, path).toMatch(/^sha512-/)
  }
})

it('uses a grpc-js that withstands malformed messages: 1.14.4 or newer', () => {
  const { packages } = JSON.parse(text('package-lock.json')) as {
    packages: { [path: string]: { version: string } }
  }
  const [major, minor, patch] = packages['node_modules/@grpc/grpc-js']!.version.split('.').map(Number)
  expect([major! * 1e6 + minor! * 1e3 + patch!, 1_014_004]).toSatisfy(
    ([has, least]: number[]) => has! >= least!,
  )
})

it('pins the Python packages of the tests, and names no host', () => {
  const lines = text('python-client/requirements-dev.lock').split('\n')
  const pins = lines.filter((line) => line !== '' && !line.startsWith('#'))
  expect(pins.length).toBeGreaterThan(5)
  for (const pin of pins) expect(pin).toMatch(/^[a-z0-9._-]+==[0-9][a-z0-9.]*(; .+)?$/i)
})

it('runs with few packages, one copy of each, none of which runs a script unknown here when it is installed', () => {
  const locks = readLocks()
  expect(locks.faults).toEqual([])
  expect(locks.serverPackages).toBeGreaterThan(20)
  expect(
    Object.keys(JSON.parse(text('package-lock.json')).packages).filter((path) =>
      /(^|\/)protobufjs$/.test(path),
    ),
  ).toEqual(['node_modules/protobufjs'])
})

it('locks no version that a listed advisory is about, and would notice one', () => {
  const locks = readLocks()
  expect(affecting(locks.version)).toEqual([])
  for (const { registry, name, id } of ADVISORIES) {
    expect(locks.version(registry, name), name).toMatch(/^\d/)
    const one = affecting((of, candidate) => (of === registry && candidate === name ? '0.9.9' : undefined))
    expect(one.map((advisory) => advisory.id)).toContain(id)
  }
  expect([isBelow('7.6.4', '7.6.5'), isBelow('7.10.0', '7.6.5'), isBelow('7.6', '7.6.0')]).toEqual([
    true,
    false,
    false,
  ])
})
