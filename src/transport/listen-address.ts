import { existsSync, lstatSync, unlinkSync } from 'node:fs'
import { connect } from 'node:net'

/** A fault of the command line or of the machine that a person must mend; the message is one line. */
export class StartError extends Error {}

/** Where a server listens. */
export type ListenAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string }

/** Reads `HOST:PORT`, `[IPV6]:PORT` or `unix:PATH`; throws StartError. */
export function parseListenAddress(text: string): ListenAddress {
  if (text.startsWith('unix:')) {
    const path = text.slice('unix:'.length)
    if (path === '') throw new StartError('--listen unix: needs a path, such as unix:/tmp/blockloom.sock')
    return { kind: 'unix', path }
  }
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text)
  const port = Number(match?.[3] ?? Number.NaN)
  if (!match || port > 65_535) {
    throw new StartError(`--listen is ${JSON.stringify(text)}; allowed: HOST:PORT, [IPV6]:PORT or unix:PATH`)
  }
  return { kind: 'tcp', host: match[1] ?? match[2]!, port }
}

/** Whether only this machine can reach the address. */
export function isLoopback(address: ListenAddress): boolean {
  if (address.kind === 'unix') return true
  return address.host === 'localhost' || address.host === '::1' || /^127(\.\d{1,3}){3}$/.test(address.host)
}

/** The address as grpc-js takes it. */
export function grpcTarget(address: ListenAddress): string {
  if (address.kind === 'unix') return `unix:${address.path}`
  return address.host.includes(':') ? `[${address.host}]:${address.port}` : `${address.host}:${address.port}`
}

/** Removes a socket file that no server answers on; throws StartError for a live one or any other file. */
export async function clearStaleSocket(path: string): Promise<void> {
  if (!existsSync(path)) return
  if (!lstatSync(path).isSocket())
    throw new StartError(`${path} exists and is no socket; choose another path`)
  if (await answers(path)) throw new StartError(`another server is listening on ${path}`)
  unlinkSync(path)
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'))
  })
}
