import { describe, expect, it } from 'vitest'
import { HANDLERS } from '../../src/session/handlers.ts'
import { createHost } from '../../src/session/host.ts'
import { AUTORESET_MODES } from '../../src/session/messages.ts'
import { Session } from '../../src/session/session.ts'
import { ladder } from '../env/ladder-game.ts'

/** A climb of one row, played to the rung below the top. */
function almostThere(mode: (typeof AUTORESET_MODES)[number]) {
  const session = new Session({ ...createHost(), games: [ladder] })
  const { envId } = HANDLERS.makeEnv(session, {
    gameId: ladder.id,
    config: {},
    autoresetMode: AUTORESET_MODES.lastIndexOf(mode),
    illegalAction: 0,
    wireEncoding: 0,
  })
  HANDLERS.reset(session, { envId, seeds: ['1'], episodes: [], options: {} })
  const play = (action: string) => HANDLERS.play(session, { envId, actionJson: JSON.stringify(action) })
  let played = play('up')
  while (!played.text.startsWith('rung 8')) played = play('up')
  return { session, envId, play, played }
}

describe('Play', () => {
  it.each(['next_step', 'disabled'] as const)('refuses every action after the end, in %s', (mode) => {
    const { session, envId, play, played } = almostThere(mode)
    expect(played).toMatchObject({ ok: true, gameOver: false, legalActions: ['"up"', '"up2"', '"down"'] })
    expect(play('up')).toMatchObject({ ok: true, gameOver: true, legalActions: [], reward: 1 })
    for (const action of ['up', 'never', 'sideways'])
      expect(play(action)).toMatchObject({ ok: false, gameOver: true, legalActions: [], reward: 0 })
    expect(play('up').reason).toBe('episode_over')
    const legal = HANDLERS.explain(session, { envId, actions: [0] }).explanations[0]!.legal
    expect(legal).toBe(mode === 'next_step')
  })

  it('tells the end of an episode that is followed by the next at once', () => {
    const { play } = almostThere('same_step')
    const last = play('up2')
    expect(last).toMatchObject({ ok: true, gameOver: true, reward: 2, score: 0 })
    expect(last.text).toMatch(/^rung [012]\n/)
    expect(play('never')).toMatchObject({ ok: false, reason: 'never', gameOver: false })
  })
})
