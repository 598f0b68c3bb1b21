/**
 * Records playthroughs of every game into test/golden/. One that still plays to the same bytes is kept; a changed
 * one means a new rules version.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { GAMES } from '../src/games/registry.ts'
import { verifyReplay } from '../src/replay/verify.ts'
import { digestsOf, playthroughFile, RECORDINGS, readPlaythrough } from '../test/games/playthrough.ts'

for (const { name, record } of RECORDINGS) {
  const file = playthroughFile(name)
  if (existsSync(file)) {
    const { replay, digests } = readPlaythrough(name)
    const verdict = verifyReplay(replay, GAMES)
    if (verdict.ok) {
      const { seed, actions } = verdict.replay
      const same = JSON.stringify(digestsOf(verdict.replay, seed, actions)) === JSON.stringify(digests)
      if (same) {
        process.stdout.write(`${name}: unchanged\n`)
        continue
      }
    }
  }
  writeFileSync(file, `${JSON.stringify(record(), null, 2)}\n`)
  process.stdout.write(`${name}: recorded\n`)
}
