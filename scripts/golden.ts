/**
 * Records one playthrough of every game into test/golden/. A game whose recorded playthrough still plays to the
 * same bytes keeps it; a changed one means a new rules version.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { GAMES } from '../src/games/registry.ts'
import { verifyReplay } from '../src/replay/verify.ts'
import { digestsOf, playthroughFile, readPlaythrough, recordPlaythrough } from '../test/games/playthrough.ts'

for (const game of GAMES) {
  const file = playthroughFile(game)
  if (existsSync(file)) {
    const { replay, digests } = readPlaythrough(game)
    const verdict = verifyReplay(replay, GAMES)
    if (verdict.ok) {
      const { seed, actions } = verdict.replay
      const same = JSON.stringify(digestsOf(verdict.replay, seed, actions)) === JSON.stringify(digests)
      if (same) {
        process.stdout.write(`${game.id}: unchanged\n`)
        continue
      }
    }
  }
  writeFileSync(file, `${JSON.stringify(recordPlaythrough(game), null, 2)}\n`)
  process.stdout.write(`${game.id}: recorded\n`)
}
