import { closeSync, openSync, readSync } from 'node:fs'
import type { Game } from '../env/game.ts'
import { MAX_REPLAY_BYTES, type PlayedReplay } from '../replay/format.ts'
import { verifyReplay } from '../replay/verify.ts'
import { StartError } from '../transport/listen-address.ts'

const CHUNK_BYTES = 1 << 16

/** The text of a replay file, `-` for standard input; throws StartError. */
export function readReplayText(file: string): string {
  try {
    if (file === '-') return readBounded(0)
    const fd = openSync(file, 'r')
    try {
      return readBounded(fd)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    throw new StartError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Pipes and devices do not tell how much they hold, so the bytes are counted as they come. */
function readBounded(fd: number): string {
  const chunks: Buffer[] = []
  let total = 0
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    const length = readSome(fd, chunk)
    if (length === 0) return Buffer.concat(chunks).toString('utf8')
    total += length
    if (total > MAX_REPLAY_BYTES) throw new Error(`it is larger than ${MAX_REPLAY_BYTES} bytes`)
    chunks.push(chunk.subarray(0, length))
  }
}

/** Waits where a standard input does not block; 0 at the end. */
function readSome(fd: number, chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(fd, chunk)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EOF') return 0
      if (code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    }
  }
}

/** A replay that verified; throws StartError with the reason for any other. */
export function loadReplayFile(file: string, games: readonly Game[]): PlayedReplay {
  const verdict = verifyReplay(readReplayText(file).trimEnd(), games)
  if (verdict.ok) return verdict.replay
  throw new StartError(`${file} is no good replay: ${verdict.fault.reason}: ${verdict.fault.message}`)
}
