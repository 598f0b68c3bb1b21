import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { GAMES } from '../../src/games/registry.ts'
import { verifyReplay } from '../../src/replay/verify.ts'
import { digestsOf, playthroughFile, readPlaythrough } from './playthrough.ts'

describe('golden playthroughs', () => {
  it.each(GAMES)('$id has one (npm run golden writes it)', (game) => {
    expect(existsSync(playthroughFile(game))).toBe(true)
  })

  it('belong to games', () => {
    const files = readdirSync(new URL('.', playthroughFile(GAMES[0]!))).filter((name) =>
      name.endsWith('.json'),
    )
    expect(files.sort()).toEqual(GAMES.map(({ id }) => `${id}.json`).sort())
  })

  // A playthrough that changed is another game: it needs a new rules version, not a new golden alone.
  it.each(GAMES)('$id plays its own to the same bytes', (game) => {
    const { replay, digests } = readPlaythrough(game)
    const verdict = verifyReplay(replay, GAMES)
    if (!verdict.ok) throw new Error(`${verdict.fault.reason}: ${verdict.fault.message}`)
    const { seed, actions, game: played } = verdict.replay
    expect(played).toBe(game)
    expect(actions.length).toBeGreaterThan(10)
    expect(digestsOf(verdict.replay, seed, actions)).toEqual(digests)
  })
})
