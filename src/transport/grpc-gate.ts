import { createHash, timingSafeEqual } from 'node:crypto'
import { ServerInterceptingCall, type ServerInterceptor, ServerListenerBuilder } from '@grpc/grpc-js'
import { type EnvError, envError } from '../env/env-error.ts'
import type { Host } from '../session/session.ts'
import { grpcStatus } from './grpc-status.ts'

type Method = Parameters<ServerInterceptor>[0]
type Call = Parameters<ServerInterceptor>[1]

/** Bytes of answers to unary calls that may wait to be read, over all clients. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024

/**
 * Turns calls away before any of their messages is read: those without the token, if there is one, and unary
 * calls while too many are under way or too much of their answers waits to be read.
 */
export function gate(host: Host, token: string | undefined): ServerInterceptor {
  const wanted = token === undefined ? undefined : digest(`Bearer ${token}`)
  const underWay = { calls: 0, bytes: 0 }
  return (method, call) => {
    const counted = !isStream(method)
    // A stream that needs no token is let through as it is: a wrapper would cost time with every message.
    if (!counted && wanted === undefined) return call as ServerInterceptingCall
    let open = false
    let bytes = 0
    const leave = () => {
      if (!open) return
      open = false
      underWay.calls--
      underWay.bytes -= bytes
    }
    const hold = (answer: Uint8Array) => {
      bytes = answer.length
      underWay.bytes += bytes
    }
    const refuse = (error: EnvError) => {
      host.observer?.refused(error.reason, 0)
      call.sendStatus(grpcStatus(error))
    }
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        const given = String(metadata.get('authorization')[0] ?? '')
        if (wanted !== undefined && !timingSafeEqual(digest(given), wanted)) return refuse(unauthenticated())
        if (counted && underWay.calls >= host.limits.maxInFlight) return refuse(tooMany(host))
        if (counted && underWay.bytes >= MAX_WAITING_BYTES) return refuse(tooMuch())
        if (counted) underWay.calls++
        open = counted
        next(metadata)
      })
      .withOnCancel(leave)
      .build()
    return watched(call, listener, counted ? { hold, leave } : undefined)
  }
}

/** What happens when an answer is given out, and when the call is over. */
interface Watch {
  hold(answer: Uint8Array): void
  leave(): void
}

function watched(call: Call, listener: object, watch: Watch | undefined): ServerInterceptingCall {
  return new ServerInterceptingCall(call, {
    start: (next) => next(listener),
    ...(watch && {
      sendMessage: (message, next) => {
        watch.hold(message as Uint8Array)
        next(message)
      },
      // The status follows the answer once that has been handed over.
      sendStatus: (status, next) => {
        watch.leave()
        next(status)
      },
    }),
  })
}

function isStream({ requestStream, responseStream }: Method): boolean {
  return requestStream || responseStream
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function unauthenticated(): EnvError {
  return envError(
    'UNAUTHENTICATED',
    'the call needs the header "authorization: Bearer" with the server’s token',
  )
}

function tooMany(host: Host): EnvError {
  return envError(
    'TOO_MANY_REQUESTS',
    `the server has ${host.limits.maxInFlight} unary calls under way already`,
  )
}

function tooMuch(): EnvError {
  return envError('TOO_MANY_REQUESTS', 'too much of the answers to unary calls waits to be read')
}
