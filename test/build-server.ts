import { execFileSync } from 'node:child_process'

/** Builds the one-file server that the tests of the transports start. */
export function setup(): void {
  execFileSync(process.execPath, ['--import', 'tsx', 'scripts/build.ts'], { stdio: 'inherit' })
}
