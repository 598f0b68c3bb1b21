import { randomBytes } from 'node:crypto'
import { GAMES } from '../games/registry.ts'
import { DEFAULT_LIMITS, type Host, type Limits } from './session.ts'

/** The package's version, put in place by the bundler. */
declare const BLOCKLOOM_VERSION: string

/** The version of this server. */
export const VERSION = typeof BLOCKLOOM_VERSION === 'string' ? BLOCKLOOM_VERSION : '0.0.0-source'

/** A host over the registry, with the platform's clock and entropy. Faults go to standard error. */
export function createHost(
  options: { limits?: Partial<Limits>; allowLiveReplay?: boolean; logFault?: Host['logFault'] } = {},
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
    open: { sessions: 0, envs: 0 },
  }
}

/** Writes where a fault happened, without its message, which could hold anything. */
function logFault(fault: unknown): void {
  const where = fault instanceof Error ? (fault.stack ?? '').split('\n').slice(1, 4).join('\n') : ''
  process.stderr.write(`blockloom: fault of the server's own\n${where}\n`)
}
