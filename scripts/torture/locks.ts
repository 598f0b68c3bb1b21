import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Advisory } from './advisories.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const PYTHON_LOCK = 'python-client/requirements-dev.lock'

/** Packages that the server may run with: few enough to know them all. */
const MOST_PACKAGES = 70

/** Runs a script when it is installed, which looks at the range that it was asked for and does nothing else. */
const KNOWN_SCRIPTS = ['node_modules/protobufjs']

interface LockedPackage {
  readonly version: string
  readonly integrity?: string
  readonly resolved?: string
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
}

/** What the lock files pin, and what is wrong with them. */
export interface Locks {
  /** Packages that the server runs with. */
  readonly serverPackages: number
  readonly pythonPackages: number
  readonly faults: readonly string[]
  /** The version that a registry's package is locked to. */
  version(registry: Advisory['registry'], name: string): string | undefined
}

export function readLocks(): Locks {
  const lock = read('package-lock.json')
  const { packages } = JSON.parse(lock) as { packages: { [path: string]: LockedPackage } }
  const server = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true)
  const pins = readPins()
  return {
    serverPackages: server.length,
    pythonPackages: pins.size,
    faults: [...serverFaults(server), ...hostFaults(lock), ...pythonFaults(pins)],
    version: (registry, name) =>
      registry === 'npm' ? packages[`node_modules/${name}`]?.version : pins.get(normal(name)),
  }
}

function serverFaults(server: readonly [string, LockedPackage][]): string[] {
  const faults: string[] = []
  if (server.length > MOST_PACKAGES) faults.push(`${server.length} packages for the server`)
  for (const [path, { version, integrity, hasInstallScript }] of server) {
    // A package within another's folder is a second copy of it.
    if (path.split('node_modules/').length > 2) faults.push(`a second copy at ${path}`)
    if (!/^\d+\.\d+\.\d+/.test(version) || !/^sha512-/.test(integrity ?? ''))
      faults.push(`${path} is not pinned`)
    if (hasInstallScript === true && !KNOWN_SCRIPTS.includes(path))
      faults.push(`${path} runs a script when it is installed`)
  }
  return faults
}

function hostFaults(lock: string): string[] {
  const texts = { 'package-lock.json': lock, [PYTHON_LOCK]: read(PYTHON_LOCK) }
  return Object.entries(texts)
    .filter(([, text]) =>
      /"resolved"|https?:\/\/[^"\s]*(npmjs|pypi|pythonhosted|registry)|--(extra-)?index-url/.test(text),
    )
    .map(([file]) => `${file} names a host`)
}

/** Every Python package and its version. */
function readPins(): Map<string, string> {
  const pins = new Map<string, string>()
  for (const line of read(PYTHON_LOCK).split('\n')) {
    const [, name, version] = /^([A-Za-z0-9._-]+)==([0-9][A-Za-z0-9.]*)(?:;.*)?$/.exec(line) ?? []
    if (name !== undefined && version !== undefined) pins.set(normal(name), version)
    else if (line !== '' && !line.startsWith('#')) pins.set(line, '')
  }
  return pins
}

function pythonFaults(pins: ReadonlyMap<string, string>): string[] {
  const faults = [...pins].filter(([, version]) => version === '').map(([line]) => `${line} is not pinned`)
  const needed = /^dependencies = \[([^\]]*)\]/m.exec(read('python-client/pyproject.toml'))?.[1] ?? ''
  for (const [, name] of needed.matchAll(/"([A-Za-z0-9._-]+)/g)) {
    if (!pins.has(normal(name!))) faults.push(`${name} is not pinned`)
  }
  return faults
}

/** PyPI takes these for one name. */
function normal(name: string): string {
  return name.toLowerCase().replace(/[._-]+/g, '-')
}

function read(path: string): string {
  return readFileSync(ROOT + path, 'utf8')
}
