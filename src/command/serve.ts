import { accessSync, chmodSync, constants, unlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ServerCredentials } from '@grpc/grpc-js'
import type { Logger } from 'pino'
import { createHost } from '../session/host.ts'
import { GrpcServer } from '../transport/grpc.ts'
import {
  cannotListen,
  clearStaleSocket,
  grpcTarget,
  type ListenAddress,
  parseListenAddress,
} from '../transport/listen-address.ts'
import { type Command, declareCommand } from './command.ts'
import { createLogger, exitOnFault, faultLogger, loggingObserver, observeAll } from './logging.ts'
import { createMetrics } from './metrics.ts'
import { readAdmission } from './serve-credentials.ts'
import { readServeOptions, SERVE_OPTIONS, type ServeOptions } from './serve-options.ts'

/** `blockloom serve`. */
export const serveCommand: Command = declareCommand({
  name: 'serve',
  usage: '[OPTIONS]',
  maxPositionals: 0,
  summary: 'serve gRPC clients',
  options: SERVE_OPTIONS,
  run: (given) => runServe(readServeOptions(given)),
})

/** Serves gRPC until SIGTERM or SIGINT. Port 0 prints the chosen port as the one line on standard output. */
async function runServe(options: ServeOptions): Promise<number> {
  const address = parseListenAddress(options.listen)
  const { credentials, token } = readAdmission(options, address)
  const log = createLogger(options.logLevel)
  exitOnFault(log)
  const metrics = options.metrics === undefined ? undefined : await createMetrics(options.metrics)
  const observer = observeAll([metrics?.observer, loggingObserver(log)])
  const host = createHost({ ...options, logFault: faultLogger(log), observer })
  const server = new GrpcServer(host, {
    reflection: options.reflection,
    idleTimeoutMs: options.idleTimeoutS * 1000,
    keepaliveMs: options.keepaliveS * 1000,
    token,
  })
  const signal = stopSignal()
  // The metrics first: were their port in use, a socket file would be left behind.
  const metricsPort = await metrics?.listen(host)
  const port = await listen(server, address, credentials)
  if (address.kind === 'tcp' && address.port === 0) process.stdout.write(`${port}\n`)
  const tls = credentials._isSecure()
  log.info({ listen: shown(address, port), tls, token: token !== undefined, metricsPort }, 'serving')
  await stop(server, log, await signal)
  metrics?.close()
  removeSocket(address)
  return 0
}

async function stop(server: GrpcServer, log: Logger, signal: string): Promise<void> {
  log.info({ signal }, 'stopping')
  await server.stop()
  log.info('stopped')
}

/** Resolves to the first signal to stop; later ones do not cut the stop short. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal))
  })
}

function shown(address: ListenAddress, port: number): string {
  return grpcTarget(address.kind === 'tcp' ? { ...address, port } : address)
}

async function listen(
  server: GrpcServer,
  address: ListenAddress,
  credentials: ServerCredentials,
): Promise<number> {
  if (address.kind === 'unix') await clearStaleSocket(address.path)
  const umask = process.umask(0o177)
  try {
    const port = await server.listen(grpcTarget(address), credentials)
    if (address.kind === 'unix') chmodSync(address.path, 0o600)
    return port
  } catch (error) {
    if (address.kind === 'unix') requireFolder(address.path)
    throw cannotListen(grpcTarget(address), error)
  } finally {
    process.umask(umask)
  }
}

/** The library tells of a folder that is missing or closed to this user in one word; the folder itself tells more. */
function requireFolder(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK | constants.X_OK)
  } catch (error) {
    throw cannotListen(`unix:${path}`, error)
  }
}

function removeSocket(address: ListenAddress): void {
  if (address.kind !== 'unix') return
  try {
    unlinkSync(address.path)
  } catch {
    // The library has removed it already.
  }
}
