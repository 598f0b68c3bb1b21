import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { type DestinationStream, type Logger, pino } from 'pino'
import { faultFrames } from '../session/host.ts'
import type { Observer } from '../session/session.ts'

/** How much is logged, from most to nothing. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]

/**
 * Lines of JSON on standard error, written at once; those that find it full are dropped. They never hold a value
 * that came in with a request, and so no seed.
 */
export function createLogger(level: LogLevel): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    openStandardError(),
  )
}

/** A standard error that is closed, full or read by nobody is no reason to stop serving. */
function openStandardError(): DestinationStream {
  const stat = fstatSync(2)
  if (stat.isSocket()) return streamWriter(2)
  if (!stat.isFIFO()) return fileWriter(2)
  try {
    // Opened once more: whoever shares the pipe keeps a standard error that blocks. A line is short enough to be
    // written whole or not at all.
    return fileWriter(openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK))
  } catch {
    return streamWriter(2)
  }
}

function fileWriter(fd: number): DestinationStream {
  return {
    write: (line) => {
      try {
        writeSync(fd, line)
      } catch {
        // The line is dropped.
      }
    },
  }
}

/**
 * The same for what cannot be opened once more. A socket takes as much of a line as it has room for: the rest of it
 * goes before the next one, without an event loop, which some servers do without.
 */
function streamWriter(fd: number): DestinationStream {
  // Taking it as a socket makes it one that does not block; it is held so that it stays open.
  const socket = new Socket({ fd, readable: false })
  socket.on('error', () => undefined)
  socket.unref()
  let rest: Uint8Array = new Uint8Array(0)
  const written = (bytes: Uint8Array) => {
    try {
      return writeSync(fd, bytes)
    } catch {
      return 0
    }
  }
  return {
    write: (line) => {
      if (rest.length > 0) rest = rest.subarray(written(rest))
      // A line that finds no room at all is dropped.
      if (rest.length > 0) return
      const bytes = Buffer.from(line)
      const length = written(bytes)
      if (length > 0) rest = bytes.subarray(length)
    },
  }
}

/** Logs faults of the server's own: where they happened, without their messages, which could hold anything. */
export function faultLogger(log: Logger): (fault: unknown) => void {
  return (fault) => log.error({ frames: faultFrames(fault) }, 'a fault of the server’s own')
}

/** Ends the process with exit code 1 on a fault that nothing caught, and with a log line instead of a message. */
export function exitOnFault(log: Logger): void {
  process.on('uncaughtException', (fault) => {
    log.fatal({ frames: faultFrames(fault) }, 'a fault of the server’s own; it ends')
    process.exit(1)
  })
}

/** Logs sessions and refusals, at level debug; undefined when that is not wanted. */
export function loggingObserver(log: Logger): Observer | undefined {
  if (!log.isLevelEnabled('debug')) return undefined
  return {
    answered: () => undefined,
    actionRefused: () => undefined,
    refused: (reason) => log.debug({ reason }, 'request refused'),
    sessionOpened: (sessions) => log.debug({ sessions }, 'session opened'),
    sessionClosed: (sessions) => log.debug({ sessions }, 'session closed'),
  }
}

/** An observer that tells several; undefined when there is none. */
export function observeAll(observers: readonly (Observer | undefined)[]): Observer | undefined {
  const present = observers.filter((observer) => observer !== undefined)
  if (present.length <= 1) return present[0]
  return {
    answered: (call, rows, seconds) => {
      for (const observer of present) observer.answered(call, rows, seconds)
    },
    refused: (reason, seconds) => {
      for (const observer of present) observer.refused(reason, seconds)
    },
    actionRefused: (reason) => {
      for (const observer of present) observer.actionRefused(reason)
    },
    sessionOpened: (sessions) => {
      for (const observer of present) observer.sessionOpened(sessions)
    },
    sessionClosed: (sessions) => {
      for (const observer of present) observer.sessionClosed(sessions)
    },
  }
}
