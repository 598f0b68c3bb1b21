import { readFileSync, statSync } from 'node:fs'
import type { Game } from '../env/game.ts'
import { MAX_REPLAY_BYTES, type PlayedReplay } from '../replay/format.ts'
import { verifyReplay } from '../replay/verify.ts'
import { StartError } from '../transport/listen-address.ts'

/** The text of a replay file, `-` for standard input; throws StartError. */
export function readReplayText(file: string): string {
  try {
    if (file === '-') return readFileSync(0, 'utf8')
    if (statSync(file).size > MAX_REPLAY_BYTES) throw new Error(`it is larger than ${MAX_REPLAY_BYTES} bytes`)
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new StartError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** A replay that verified; throws StartError with the reason for any other. */
export function loadReplayFile(file: string, games: readonly Game[]): PlayedReplay {
  const verdict = verifyReplay(readReplayText(file).trimEnd(), games)
  if (verdict.ok) return verdict.replay
  throw new StartError(`${file} is no good replay: ${verdict.fault.reason}: ${verdict.fault.message}`)
}
