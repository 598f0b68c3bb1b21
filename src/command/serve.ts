import { chmodSync, unlinkSync } from 'node:fs'
import { ServerCredentials } from '@grpc/grpc-js'
import { createHost } from '../session/host.ts'
import { GrpcServer } from '../transport/grpc.ts'
import {
  clearStaleSocket,
  grpcTarget,
  isLoopback,
  type ListenAddress,
  parseListenAddress,
  StartError,
} from '../transport/listen-address.ts'

export interface ServeOptions {
  readonly listen: string
  readonly reflection: boolean
  readonly idleTimeoutS: number
  readonly allowLiveReplay: boolean
}

/** Serves gRPC until SIGTERM or SIGINT. Port 0 prints the chosen port as the one line on standard output. */
export async function runServe(options: ServeOptions): Promise<number> {
  const address = parseListenAddress(options.listen)
  if (!isLoopback(address)) {
    throw new StartError(
      `--listen ${options.listen} can be reached from other machines; only loopback is served`,
    )
  }
  const server = new GrpcServer(createHost(options), {
    reflection: options.reflection,
    idleTimeoutMs: options.idleTimeoutS * 1000,
  })
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
  const port = await listen(server, address)
  if (address.kind === 'tcp' && address.port === 0) process.stdout.write(`${port}\n`)
  else process.stderr.write(`blockloom: serving on ${options.listen}\n`)
  await stopped
  await server.stop()
  removeSocket(address)
  return 0
}

async function listen(server: GrpcServer, address: ListenAddress): Promise<number> {
  if (address.kind === 'unix') await clearStaleSocket(address.path)
  const umask = process.umask(0o177)
  try {
    const port = await server.listen(grpcTarget(address), ServerCredentials.createInsecure())
    if (address.kind === 'unix') chmodSync(address.path, 0o600)
    return port
  } catch {
    throw new StartError(
      `cannot listen on ${grpcTarget(address)}: the address is in use or not this machine's`,
    )
  } finally {
    process.umask(umask)
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
