/**
 * Advisories about the packages that the server and the client run with, as far as they were found in public places
 * on the day below. A short list by hand is no audit: it says what these versions are known not to suffer from.
 */

/** The day on which the list was last gone through. */
export const LISTED_ON = '2026-12-01'

export type Severity = 'moderate' | 'high' | 'critical'

export interface Advisory {
  readonly registry: 'npm' | 'PyPI'
  readonly name: string
  readonly id: string
  readonly severity: Severity
  /** The first version of the newest line that is free of it; everything below counts as affected. */
  readonly fixedIn: string
}

type Entry = readonly [name: string, id: string, severity: Severity, fixedIn: string]

const NPM: readonly Entry[] = [
  ['@grpc/grpc-js', 'GHSA-5375-pq7m-f5r2', 'high', '1.14.4'],
  ['@grpc/grpc-js', 'GHSA-99f4-grh7-6pcq', 'high', '1.14.4'],
  ['@grpc/grpc-js', 'GHSA-7v5v-9h63-cj86', 'moderate', '1.10.9'],
  ['protobufjs', 'GHSA-h755-8qp9-cq85', 'critical', '7.2.5'],
  ['protobufjs', 'GHSA-xq3m-2v4x-88gg', 'critical', '7.5.5'],
  ['protobufjs', 'GHSA-66ff-xgx4-vchm', 'high', '7.5.6'],
  ['protobufjs', 'GHSA-75px-5xx7-5xc7', 'high', '7.5.6'],
  ['protobufjs', 'GHSA-jvwf-75h9-cwgg', 'high', '7.5.6'],
  ['protobufjs', 'GHSA-685m-2w69-288q', 'high', '7.5.6'],
  ['protobufjs', 'GHSA-2pr8-phx7-x9h3', 'moderate', '7.5.6'],
  ['protobufjs', 'GHSA-fx83-v9x8-x52w', 'moderate', '7.5.6'],
  ['protobufjs', 'GHSA-q6x5-8v7m-xcrf', 'moderate', '7.5.6'],
  ['protobufjs', 'GHSA-wcpc-wj8m-hjx6', 'high', '7.6.1'],
  ['protobufjs', 'GHSA-f38q-mgvj-vph7', 'high', '7.6.3'],
  ['protobufjs', 'GHSA-j3f2-48v5-ccww', 'high', '7.6.5'],
  ['@protobufjs/utf8', 'GHSA-q6x5-8v7m-xcrf', 'moderate', '1.1.1'],
  ['y18n', 'GHSA-c4w7-xm78-47vh', 'high', '5.0.5'],
  ['yargs-parser', 'GHSA-p9pc-299p-vxgp', 'moderate', '18.1.1'],
  ['ansi-regex', 'GHSA-93q8-gq69-wqmw', 'high', '5.0.1'],
]

const PYPI: readonly Entry[] = [
  ['grpcio', 'GHSA-6628-q6j9-w8vg', 'high', '1.53.0'],
  ['grpcio', 'GHSA-p25m-jpj4-qcrr', 'high', '1.55.3'],
  ['protobuf', 'GHSA-8gq9-2x98-w8hf', 'high', '4.21.6'],
  ['protobuf', 'GHSA-8qvm-5x2c-j2w7', 'high', '6.31.1'],
  ['protobuf', 'GHSA-7gcm-g887-7qv7', 'high', '6.33.5'],
]

function listed(registry: Advisory['registry'], entries: readonly Entry[]): Advisory[] {
  return entries.map(([name, id, severity, fixedIn]) => ({ registry, name, id, severity, fixedIn }))
}

export const ADVISORIES: readonly Advisory[] = [...listed('npm', NPM), ...listed('PyPI', PYPI)]

/** The listed advisories that a locked version is affected by; `locked` gives a package's version, if it is locked. */
export function affecting(
  locked: (registry: Advisory['registry'], name: string) => string | undefined,
): Advisory[] {
  return ADVISORIES.filter(({ registry, name, fixedIn }) => {
    const version = locked(registry, name)
    return version !== undefined && isBelow(version, fixedIn)
  })
}

/** Whether a version comes before another, by their numbers; one before a release, such as 2.0.0-rc1, counts as it. */
export function isBelow(version: string, other: string): boolean {
  const [a, b] = [numbers(version), numbers(other)]
  for (let i = 0; i < 3; i++) if (a[i] !== b[i]) return (a[i] ?? 0) < (b[i] ?? 0)
  return false
}

function numbers(version: string): number[] {
  return version.split('.').map((part) => Number.parseInt(part, 10))
}
