import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { ServerCredentials } from '@grpc/grpc-js'
import { isLoopback, type ListenAddress, StartError } from '../transport/listen-address.ts'
import type { ServeOptions } from './serve-options.ts'

/** The shortest token, in characters. */
const MIN_TOKEN_LENGTH = 16

/** Who may call: the transport's credentials, and the token that every call has to bring. */
export interface Admission {
  readonly credentials: ServerCredentials
  readonly token: string | undefined
}

/** Reads the TLS and token files; throws StartError, also for an address that needs both and lacks one. */
export function readAdmission(options: ServeOptions, address: ListenAddress): Admission {
  const token = options.tokenFile === undefined ? undefined : readToken(options.tokenFile)
  const credentials = readCredentials(options)
  if (!isLoopback(address) && (credentials === undefined || token === undefined)) {
    throw new StartError(
      `--listen ${options.listen} can be reached from other machines; that needs --tls-cert, --tls-key and --token-file`,
    )
  }
  return { credentials: credentials ?? ServerCredentials.createInsecure(), token }
}

function readCredentials({ tlsCert, tlsKey, tlsClientCa }: ServeOptions): ServerCredentials | undefined {
  if (tlsCert === undefined && tlsKey === undefined) {
    if (tlsClientCa !== undefined) throw new StartError('--tls-client-ca needs --tls-cert and --tls-key')
    return undefined
  }
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new StartError('--tls-cert and --tls-key go together')
  }
  const cert = readPem('tls-cert', tlsCert)
  const key = readPem('tls-key', tlsKey)
  const ca = tlsClientCa === undefined ? null : readPem('tls-client-ca', tlsClientCa)
  try {
    createSecureContext({ cert, key, ...(ca && { ca }) })
  } catch {
    throw new StartError('the TLS files are no PEM certificate with its private key')
  }
  return ServerCredentials.createSsl(ca, [{ cert_chain: cert, private_key: key }], ca !== null)
}

/** A PEM file that a flag names; throws StartError. */
export function readPem(flag: string, path: string): Buffer {
  const bytes = readFlagFile(flag, path)
  if (bytes.includes('-----BEGIN ')) return bytes
  throw new StartError(`--${flag} ${path} is no PEM file`)
}

/** The token in a file; throws StartError. */
export function readToken(path: string): string {
  const token = readFlagFile('token-file', path).toString('utf8').trim()
  if (token.length >= MIN_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(token)) return token
  throw new StartError(
    `--token-file ${path} must hold one line of at least ${MIN_TOKEN_LENGTH} printable characters without spaces`,
  )
}

function readFlagFile(flag: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new StartError(`--${flag} ${path} cannot be read (${code})`)
  }
}
