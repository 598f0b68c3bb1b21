import { createSecureContext } from 'node:tls'
import { type ChannelCredentials, credentials } from '@grpc/grpc-js'
import { StartError } from '../../transport/listen-address.ts'
import type { Arguments, DeclaredCommand } from '../command.ts'
import { readPem, readToken } from '../serve-credentials.ts'
import type { Admission } from './contract-client.ts'

const NAMES = ['token-file', 'tls-ca', 'tls-cert', 'tls-key'] as const

/** The options of a client that a server has to let in. */
export const ADMISSION_OPTIONS: DeclaredCommand['options'] = {
  'token-file': { value: 'FILE', help: ['the token that the server asks for'] },
  'tls-ca': { value: 'FILE', help: ['TLS: the authority that has signed the server’s certificate, PEM'] },
  'tls-cert': { value: 'FILE', help: ['TLS: the certificate of this client, PEM'] },
  'tls-key': { value: 'FILE', help: ['TLS: the key of that certificate, PEM'] },
}

/** Reads the files of the options; throws StartError, also for options that need another. */
export function readClientAdmission(given: Arguments): Admission {
  const useless = NAMES.find((name) => given.text(name) !== undefined)
  if (useless !== undefined && given.text('server') === undefined) {
    throw new StartError(`--${useless} needs --server`)
  }
  const tokenFile = given.text('token-file')
  return {
    credentials: readCredentials(given),
    token: tokenFile === undefined ? undefined : readToken(tokenFile),
  }
}

function readCredentials(given: Arguments): ChannelCredentials {
  const [ca, cert, key] = [given.text('tls-ca'), given.text('tls-cert'), given.text('tls-key')]
  if ((cert === undefined) !== (key === undefined))
    throw new StartError('--tls-cert and --tls-key go together')
  if (ca === undefined) {
    if (cert !== undefined) throw new StartError('--tls-cert and --tls-key need --tls-ca')
    return credentials.createInsecure()
  }
  const authority = readPem('tls-ca', ca)
  const own =
    cert === undefined ? undefined : { cert: readPem('tls-cert', cert), key: readPem('tls-key', key!) }
  try {
    createSecureContext({ ca: authority, ...own })
  } catch {
    throw new StartError('the TLS files are no PEM certificates with the private key')
  }
  return credentials.createSsl(authority, own?.key, own?.cert)
}
