import { lstatSync, unlinkSync } from 'node:fs'
import { connect } from 'node:net'

/** A fault of the command line or of the machine that a person must mend; the message is one line. */
export class StartError extends Error {}

/** Where a server listens. */
export type ListenAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string }

/** Reads `HOST:PORT`, `[IPV6]:PORT` or `unix:PATH` as given with an option; throws StartError. */
export function parseListenAddress(text: string, option = '--listen'): ListenAddress {
  if (text.startsWith('unix:')) {
    const path = text.slice('unix:'.length)
    if (path === '') throw new StartError(`${option} unix: needs a path, such as unix:/tmp/blockloom.sock`)
    return { kind: 'unix', path }
  }
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text)
  const port = Number(match?.[3] ?? Number.NaN)
  if (!match || port > 65_535) {
    throw new StartError(`${option} is ${JSON.stringify(text)}; allowed: HOST:PORT, [IPV6]:PORT or unix:PATH`)
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
  checkSocketPath(path)
  // Not followed: a link to nowhere is in the way too.
  const found = lookUp(path)
  if (found === undefined) return
  if (!found.isSocket()) throw new StartError(`${path} exists and is no socket; choose another path`)
  if (await answers(path)) throw new StartError(`another server is listening on ${path}`)
  unlinkSync(path)
}

/** The most bytes of a socket's path that the platforms take, without the zero behind it. */
const MAX_SOCKET_PATH_BYTES = process.platform === 'darwin' ? 103 : 107

function checkSocketPath(path: string): void {
  const bytes = Buffer.byteLength(path)
  if (bytes <= MAX_SOCKET_PATH_BYTES) return
  throw new StartError(
    `cannot listen on unix:${path}: the path has ${bytes} bytes; a socket takes at most ${MAX_SOCKET_PATH_BYTES}`,
  )
}

function lookUp(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw cannotListen(`unix:${path}`, error)
  }
}

const LISTEN_FAULTS: { readonly [code: string]: string } = {
  EADDRINUSE: 'the address is in use',
  EADDRNOTAVAIL: 'the address is not this machine’s',
  ENOTFOUND: 'there is no host of this name',
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a part of the path is no folder',
  ELOOP: 'the path goes through links in a circle',
  ENAMETOOLONG: 'a part of the path is too long',
}

/** Why a server cannot listen, as far as the error tells by its code or, from the library, in its words. */
export function cannotListen(target: string, error: unknown, what = 'listen'): StartError {
  const { code = '', message = '' } = error as NodeJS.ErrnoException
  const known = Object.keys(LISTEN_FAULTS).find((name) => code === name || message.includes(name))
  const why = known === undefined ? "the address is in use or not this machine's" : LISTEN_FAULTS[known]
  return new StartError(`cannot ${what} on ${target}: ${why}`)
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
