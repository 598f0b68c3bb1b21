import type { Auditor, Failure } from './audit.ts'
import type { EpisodePlayer } from './player.ts'

/** The most positions that are looked at to make a failure shorter. */
const MAX_AUDITS = 600

/** Episodes of each length that are tried from the same seed. */
const TRIES_A_LENGTH = 20

/** The shortest episode found, of the same seed, that shows a failure: any failure, not only the first one's. */
export async function shrink(auditor: Auditor, player: EpisodePlayer, found: Failure): Promise<Failure> {
  let left = MAX_AUDITS
  let best = found
  const improves = async (actions: readonly number[]): Promise<boolean> => {
    if (left-- <= 0) return false
    const verdict = await auditor.audit(best.seed, actions)
    if (verdict === undefined || verdict === 'unreachable') return false
    if (verdict.actions.length < best.actions.length) best = verdict
    return true
  }
  const whole = found.actions
  for (let ply = 0; ply < whole.length; ply++) if (await improves(whole.slice(0, ply))) break
  for (let length = 0; length < best.actions.length; length++) {
    for (let variation = 0; variation < TRIES_A_LENGTH && length < best.actions.length; variation++) {
      await improves(await player.play(best.seed, length, variation))
    }
  }
  for (let i = best.actions.length - 1; i >= 0; i--) await improves(best.actions.toSpliced(i, 1))
  return best
}
