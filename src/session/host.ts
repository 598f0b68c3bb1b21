import { randomBytes } from 'node:crypto'
import { GAMES } from '../games/registry.ts'
import { DEFAULT_LIMITS, type Host, type Limits, type Observer } from './session.ts'

/** The package's version, put in place by the bundler. */
declare const BLOCKLOOM_VERSION: string

/** The version of this server. */
export const VERSION = typeof BLOCKLOOM_VERSION === 'string' ? BLOCKLOOM_VERSION : '0.0.0-source'

/** A host over the registry, with the platform's clock and entropy. Faults go to standard error. */
export function createHost(
  options: {
    limits?: Partial<Limits>
    allowLiveReplay?: boolean
    logFault?: Host['logFault']
    observer?: Observer | undefined
  } = {},
): Host {
  return {
    games: GAMES,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    allowLiveReplay: options.allowLiveReplay ?? false,
    version: VERSION,
    nowMs: () => Date.now(),
    drawSeed: () => (randomBytes(8).readBigUInt64BE() & 0x7fffffffffffffffn).toString(),
    newEnvId: () => randomBytes(16).toString('hex'),
    logFault: options.logFault ?? logFault,
    open: { sessions: 0, envs: 0, rows: 0 },
    observer: options.observer,
  }
}

/** Where a fault happened, innermost frame first, without its message, which could hold anything. */
export function faultFrames(fault: unknown): string[] {
  if (!(fault instanceof Error)) return []
  const lines = (fault.stack ?? '').split('\n').map((line) => line.trim())
  return lines.filter((line) => line.startsWith('at ')).slice(0, 4)
}

function logFault(fault: unknown): void {
  process.stderr.write(`blockloom: fault of the server's own\n${faultFrames(fault).join('\n')}\n`)
}
