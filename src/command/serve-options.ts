import { DEFAULT_LIMITS, type Limits } from '../session/session.ts'
import { StartError } from '../transport/listen-address.ts'
import type { Arguments, DeclaredCommand } from './command.ts'
import { LOG_LEVELS, type LogLevel } from './logging.ts'

type CommandOptions = DeclaredCommand['options']

/** What `serve` is started with. */
export interface ServeOptions {
  readonly listen: string
  readonly reflection: boolean
  readonly idleTimeoutS: number
  readonly keepaliveS: number
  readonly allowLiveReplay: boolean
  readonly limits: Partial<Limits>
  readonly logLevel: LogLevel
  readonly metrics: string | undefined
  readonly tlsCert: string | undefined
  readonly tlsKey: string | undefined
  readonly tlsClientCa: string | undefined
  readonly tokenFile: string | undefined
}

/** What `stdio` is started with. */
export interface StdioOptions {
  readonly allowLiveReplay: boolean
  readonly limits: Partial<Limits>
  readonly logLevel: LogLevel
  /** The process whose end is this one's too; undefined: the parent. */
  readonly parentPid: number | undefined
  /** Whether to read and write without an event loop. */
  readonly blocking: boolean
}

/** A flag that sets a limit: which, and the values it takes; the least is 1 if not told. */
interface LimitFlag {
  readonly limit: keyof Limits
  readonly min?: number
  readonly max: number
}

/** The description of an environment has to fit into a message. */
const LEAST_MESSAGE_BYTES = 64 * 1024

const SHARED_LIMITS: { readonly [flag: string]: LimitFlag } = {
  'max-envs': { limit: 'maxEnvs', max: 10_000_000 },
  'max-env-rows': { limit: 'maxNumEnvs', max: 1_048_576 },
  'max-rows': { limit: 'maxRows', max: 1_000_000_000 },
  'max-message-bytes': { limit: 'maxMessageBytes', min: LEAST_MESSAGE_BYTES, max: 512 * 1024 * 1024 },
}

const SERVE_LIMITS: { readonly [flag: string]: LimitFlag } = {
  'max-sessions': { limit: 'maxSessions', max: 1_000_000 },
  'max-session-envs': { limit: 'maxEnvsPerSession', max: 10_000_000 },
  ...SHARED_LIMITS,
  'max-in-flight': { limit: 'maxInFlight', max: 1_000_000 },
}

const LIMIT_OPTIONS: CommandOptions = {
  'max-envs': { value: 'N', help: [`environments in all (default ${DEFAULT_LIMITS.maxEnvs})`] },
  'max-env-rows': { value: 'N', help: [`rows of one environment (default ${DEFAULT_LIMITS.maxNumEnvs})`] },
  'max-rows': { value: 'N', help: [`rows of all environments together (default ${DEFAULT_LIMITS.maxRows})`] },
  'max-message-bytes': {
    value: 'N',
    help: [`bytes of one message, in or out (default ${DEFAULT_LIMITS.maxMessageBytes})`],
  },
}

const ALLOW_LIVE_REPLAY = { help: ['give replays of episodes that are still in play'] }

function logLevelOption(level: LogLevel) {
  return {
    value: 'LEVEL',
    help: [`${LOG_LEVELS.join(', ')} (default ${level}):`, 'lines of JSON on standard error'],
  }
}

/** The options of `stdio`. */
export const STDIO_OPTIONS: CommandOptions = {
  'allow-live-replay': ALLOW_LIVE_REPLAY,
  ...LIMIT_OPTIONS,
  'log-level': logLevelOption('warn'),
  'parent-pid': {
    value: 'N',
    help: ['end with this process too, not only with the one that started the server'],
  },
  blocking: {
    help: [
      'read and write without an event loop: quicker for small batches on the core of',
      'the client; SIGTERM then ends the server at once',
    ],
  },
}

/** The options of `serve`. */
export const SERVE_OPTIONS: CommandOptions = {
  listen: {
    value: 'ADDRESS',
    help: [
      'HOST:PORT or unix:PATH (default 127.0.0.1:50051); port 0 picks a free port',
      'and prints it as one line; beyond this machine only with TLS and a token',
    ],
  },
  reflection: { help: ['serve the gRPC reflection service, for grpcurl and the like'] },
  'allow-live-replay': ALLOW_LIVE_REPLAY,
  'idle-timeout-s': {
    value: 'N',
    help: ['free environments of unary calls after N seconds without use (default 600)'],
  },
  'keepalive-s': {
    value: 'N',
    help: [
      'ask each client for a sign of life every N seconds and cut it when none comes',
      'in N more: a client that was stopped is gone, and its environments free,',
      'after 2 N seconds at most (default 120)',
    ],
  },
  'max-sessions': { value: 'N', help: [`sessions open at once (default ${DEFAULT_LIMITS.maxSessions})`] },
  'max-session-envs': {
    value: 'N',
    help: [`environments of one session (default ${DEFAULT_LIMITS.maxEnvsPerSession})`],
  },
  ...LIMIT_OPTIONS,
  'max-in-flight': {
    value: 'N',
    help: [
      'answers of one session that may wait to be read, past which its requests',
      `wait too; unary calls under way, past which they are refused (default ${DEFAULT_LIMITS.maxInFlight})`,
    ],
  },
  'tls-cert': { value: 'FILE', help: ['certificate chain, PEM; goes with --tls-key'] },
  'tls-key': { value: 'FILE', help: ['private key of the certificate, PEM'] },
  'tls-client-ca': {
    value: 'FILE',
    help: ['let in only clients with a certificate of this authority, PEM'],
  },
  'token-file': {
    value: 'FILE',
    help: [
      'let in only calls with the header "authorization: Bearer TOKEN", where TOKEN',
      'is the file’s one line',
    ],
  },
  metrics: { value: 'HOST:PORT', help: ['Prometheus metrics over HTTP at /metrics, on loopback only'] },
  'log-level': logLevelOption('info'),
}

/** Reads the arguments of `serve`; throws StartError. */
export function readServeOptions(given: Arguments): ServeOptions {
  return {
    listen: given.text('listen') ?? '127.0.0.1:50051',
    reflection: given.flag('reflection'),
    idleTimeoutS: readSeconds('idle-timeout-s', 600, given),
    keepaliveS: readSeconds('keepalive-s', 120, given),
    allowLiveReplay: given.flag('allow-live-replay'),
    limits: readLimits(SERVE_LIMITS, given),
    logLevel: readLogLevel(given.text('log-level') ?? 'info'),
    metrics: given.text('metrics'),
    tlsCert: given.text('tls-cert'),
    tlsKey: given.text('tls-key'),
    tlsClientCa: given.text('tls-client-ca'),
    tokenFile: given.text('token-file'),
  }
}

/** Reads the arguments of `stdio`; throws StartError. */
export function readStdioOptions(given: Arguments): StdioOptions {
  const limits = readLimits(SHARED_LIMITS, given)
  return {
    allowLiveReplay: given.flag('allow-live-replay'),
    // One client has it all: what the process may have, its session may have too.
    limits: limits.maxEnvs === undefined ? limits : { ...limits, maxEnvsPerSession: limits.maxEnvs },
    logLevel: readLogLevel(given.text('log-level') ?? 'warn'),
    parentPid: given.integer('parent-pid', 1, 2 ** 31 - 1),
    blocking: given.flag('blocking'),
  }
}

function readLimits(flags: { readonly [flag: string]: LimitFlag }, given: Arguments): Partial<Limits> {
  const limits: Partial<Record<keyof Limits, number>> = {}
  for (const [flag, { limit, min, max }] of Object.entries(flags)) {
    const value = given.integer(flag, min ?? 1, max)
    if (value !== undefined) limits[limit] = value
  }
  return limits
}

function readLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((name) => name === text)
  if (level !== undefined) return level
  throw new StartError(`--log-level is ${JSON.stringify(text)}; allowed: ${LOG_LEVELS.join(', ')}`)
}

function readSeconds(flag: string, byDefault: number, given: Arguments): number {
  const text = given.text(flag) ?? String(byDefault)
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  throw new StartError(`--${flag} is ${JSON.stringify(text)}; allowed: a number above 0`)
}
