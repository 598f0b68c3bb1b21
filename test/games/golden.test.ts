import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { GAMES } from '../../src/games/registry.ts'
import { verifyReplay } from '../../src/replay/verify.ts'
import { digestsOf, playthroughFile, RECORDINGS, readPlaythrough } from './playthrough.ts'

describe('golden playthroughs', () => {
  it.each(RECORDINGS)('$name is there (npm run golden writes it)', ({ name }) => {
    expect(existsSync(playthroughFile(name))).toBe(true)
  })

  it('belong to games', () => {
    const files = readdirSync(new URL('.', playthroughFile('any'))).filter((name) => name.endsWith('.json'))
    expect(files.sort()).toEqual(RECORDINGS.map(({ name }) => `${name}.json`).sort())
    for (const { id } of GAMES) expect(files).toContain(`${id}.json`)
  })

  // A playthrough that changed is another game: it needs a new rules version, not a new golden alone.
  it.each(RECORDINGS)('$name plays to the same bytes', ({ name, game }) => {
    const { replay, digests } = readPlaythrough(name)
    const verdict = verifyReplay(replay, GAMES)
    if (!verdict.ok) throw new Error(`${verdict.fault.reason}: ${verdict.fault.message}`)
    const { seed, actions, game: played } = verdict.replay
    expect(played).toBe(game)
    expect(actions.length).toBeGreaterThan(10)
    expect(digestsOf(verdict.replay, seed, actions)).toEqual(digests)
  })

  it('show a daily game, with its date', () => {
    const verdict = verifyReplay(readPlaythrough('BlockPuzzle8-v1-daily').replay, GAMES)
    expect(verdict).toMatchObject({ ok: true, replay: { options: { daily: '2026-01-31' } } })
  })

  it('show a new set that is taken, and a game that is ended with one left', () => {
    const { actions, final } = JSON.parse(readPlaythrough('BlockPuzzle10-v1-new-set').replay)
    const types = actions.map(({ type }: { type: string }) => type)
    expect(types.indexOf('new_set')).toBeGreaterThan(0)
    expect(types.indexOf('end_game')).toBe(types.length - 1)
    expect(final.terminal).toBe(true)
  })
})
