/** One test or more for each sentence of the rules, by heading and position, in our own words: what is shown and told. */
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { DESCEND, END_RUN, NUM_ACTIONS } from '../../../src/games/hourloom/actions.ts'
import { native } from '../../../src/games/hourloom/native.ts'
import { scriptedAction } from '../../../src/games/hourloom/scripted.ts'
import { type HourloomState, SAND_RAN_OUT } from '../../../src/games/hourloom/state.ts'
import { HANDLERS } from '../../../src/session/handlers.ts'
import { createHost } from '../../../src/session/host.ts'
import { Session } from '../../../src/session/session.ts'
import { Play } from './draw.ts'
import { look } from './look.ts'

const DISABLED = 3

const FIELD = `
  1.p.X
  2.q..
  3.r..`

type Part = 'planes' | 'echoes' | 'scalars'

/** Leaves but one of two sparks. */
function takeSpark(state: HourloomState, which: number): void {
  const { sparkTile } = state.chamber
  state.sparkAt[sparkTile[which]!] = 0
  state.sparkAt[sparkTile[1 - which]!] = 1
  state.sparksLeft = 1
}

/** Stands echo 1 a tile to the right of where it is. */
function moveEcho({ body, echoTile }: HourloomState): void {
  const from = echoTile[0]!
  body[from + 1] = body[from]!
  body[from] = 0
  echoTile[0] = from + 1
}

/** An environment of one run, asked in the rules' own words. */
function openRun(config: { [key: string]: string } = {}) {
  const session = new Session(createHost())
  const { envId } = HANDLERS.makeEnv(session, {
    gameId: 'Hourloom-v1',
    config,
    autoresetMode: DISABLED,
    illegalAction: 0,
    wireEncoding: 0,
  })
  const { env } = session.get(envId)
  env.reset([{ seed: '7', episode: 0 }])
  return {
    state: () => env.state(0) as HourloomState,
    play: (action: object) => HANDLERS.play(session, { envId, actionJson: JSON.stringify(action) }),
    legal: () => HANDLERS.getActionMask(session, { envId, rows: [] }).masks[0]!.legal,
  }
}

/** Actions that are refused somewhere, and two that are refused everywhere. */
const TRIED = [
  ...Array.from({ length: NUM_ACTIONS }, (_, action) => native.toNative(action) as object),
  { type: 'MOVE', dir: 'up' },
  { type: 'JUMP' },
]

describe('observation', () => {
  it('1 and 2: the text has a line for each row and each echo’s next input', () => {
    const play = new Play(FIELD)
    play.go('.EEEE')
    const lines = look(play.state).text.split('\n')
    expect(lines.slice(0, 5)).toEqual(['1...X', '@.K..', 'u.k..', '#####', '#####'])
    expect(lines).toContain('echo 1: next WAIT, 5 left, row 0, col 0')
    play.go('.')
    expect(look(play.state).text).toContain('echo 1: next E, 4 left')
  })

  it('3: whatever differs on screen differs in the observation', () => {
    const a = new Play(FIELD)
    const b = new Play(FIELD)
    a.go('EEEE')
    b.go('EE.EE')
    // The same but for the echo's third input, two turns from now.
    const seen = (play: Play, ahead: number) => look(play.state, ahead).echoes
    expect(seen(a, 3)).not.toEqual(seen(b, 3))
  })

  const changes: readonly (readonly [string, readonly Part[], (state: HourloomState) => void])[] = [
    ['which spark is left', ['planes'], (state) => takeSpark(state, 1)],
    ['where an echo stands', ['planes', 'echoes'], (state) => moveEcho(state)],
    [
      'whether the keystone is taken',
      ['planes', 'scalars'],
      (state) => Object.assign(state, { hasKeystone: 1 }),
    ],
    ['where a later keystone lies', ['planes'], (state) => state.chamber.keystone.set([5 * 9 + 1], 2)],
    ['an echo’s next input', ['planes', 'echoes'], (state) => state.log.set([2], 2)],
    ['an echo’s next input, a wait', ['planes', 'echoes'], (state) => state.log.set([4], 2)],
    ['how many inputs an echo has left', ['echoes'], (state) => state.logLength[0]!++],
    ['the phase of a flux tile', ['planes'], (state) => state.chamber.fluxPhase[5 * 9]!++],
    ['the grains left', ['scalars'], (state) => state.sand--],
    ['the grains of the lap', ['scalars'], (state) => state.chamber.budget[1]!--],
    ['the score', ['scalars'], (state) => state.score++],
    ['the multiplier', ['scalars'], (state) => Object.assign(state.chamber, { multiplier: 125 })],
  ]

  it.each(changes)('3: %s shows in arrays and text', (_, parts, change) => {
    const play = new Play('1..p.X\n2..q..\n3..r..\n.*.#..\n.....*\n_.....')
    play.go('EEEEE')
    play.go('..')
    takeSpark(play.state, 0)
    const other = structuredClone(play.state)
    change(other)
    const [seen, changed] = [look(play.state), look(other)]
    expect(changed.text).not.toBe(seen.text)
    for (const part of ['planes', 'echoes', 'scalars'] as const) {
      if (parts.includes(part)) expect(changed[part], part).not.toEqual(seen[part])
      else expect(changed[part], part).toEqual(seen[part])
    }
  })

  it('1: every answer carries text, legal actions, score and whether the run is over', () => {
    const run = openRun()
    let sum = 0
    const answer = (action: number) => {
      const answered = run.play(native.toNative(action) as object)
      const state = run.state()
      const over = state.ending !== 0
      sum += answered.reward
      const legal = over ? [] : run.legal().map((each) => JSON.stringify(native.toNative(each.action)))
      expect(answered).toMatchObject({ score: sum, gameOver: over, legalActions: legal })
      expect([answered.text, answered.score]).toEqual([look(state).text, state.score])
      return answered
    }
    for (let plies = 0; run.state().chamber.n < 2; plies++) {
      const { ok } = answer(
        plies % 5 === 0 && run.state().sealed === 0 ? DESCEND : scriptedAction(run.state())!,
      )
      expect(ok).toBe(plies % 5 !== 0 || run.state().chamber.n === 2)
    }
    expect(answer(0).gameOver).toBe(false)
    expect([answer(END_RUN).gameOver, answer(4).gameOver, answer(4).ok]).toEqual([true, true, false])
    expect(sum).toBeGreaterThan(400)
  })
})

describe('rejections', () => {
  it('1: another shape is unknown_action', () => {
    const { state } = new Play(FIELD)
    for (const json of [
      { type: 'move', dir: 'N' },
      { type: 'JUMP' },
      { dir: 'N' },
      [{ type: 'WAIT' }],
      true,
    ]) {
      expect(native.fromNative(json, state)).toMatchObject({ reason: 'unknown_action', cells: [] })
    }
  })

  it('2: each refusal has its reason', () => {
    const play = new Play('1#aX\n2Apq')
    expect(play.reason('N')).toBe('edge_of_chamber')
    expect(play.reason('E')).toBe('wall')
    expect(play.reason('DESCEND')).toBe('chamber_not_sealed')
    play.go('S')
    expect(play.reason('E')).toBe('gate_shut')
    expect(native.fromNative({ type: 'MOVE', dir: 'up' }, play.state)).toMatchObject({
      reason: 'bad_direction',
    })
    const sealed = new Play('1pX')
    sealed.go('EE')
    expect([sealed.reason('WAIT'), sealed.reason('N')]).toEqual(['lap_not_running', 'lap_not_running'])
    const beside = new Play(FIELD)
    beside.go('EEEE')
    expect(beside.reason('N')).toBe('echo_in_the_way')
    beside.state.ending = SAND_RAN_OUT
    expect(beside.reason('N')).toBe('run_ended')
  })

  it('2: is told with a reason and what is legal, and changes neither state, nor log, nor generator', () => {
    const reasons = new Map<string, number>()
    const tryAll = (run: ReturnType<typeof openRun>) => {
      for (const action of TRIED) {
        const number = native.fromNative(action as Parameters<typeof native.fromNative>[0], run.state())
        if (typeof number === 'number' && run.legal().some((each) => each.action === number)) continue
        const before = structuredClone(run.state())
        const legal = run.legal().map((each) => JSON.stringify(native.toNative(each.action)))
        const { ok, reason, message, reward, legalActions } = run.play(action)
        expect({ ok, reward, legalActions }).toEqual({ ok: false, reward: 0, legalActions: legal })
        expect(message).not.toBe('')
        if (!isDeepStrictEqual(run.state(), before)) expect.fail(`${reason}: the refusal changed something`)
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
      }
    }
    const run = openRun()
    for (let ply = 0; run.state().chamber.n < 3; ply++) {
      if (ply % 4 === 0 || run.state().sealed === 1) tryAll(run)
      run.play(native.toNative(scriptedAction(run.state())!) as object)
    }
    run.play({ type: 'END_RUN' })
    tryAll(run)
    tryAll(openRun({ allow_end_run: 'false' }))
    expect([...reasons.keys()].sort()).toEqual([
      'bad_direction',
      'chamber_not_sealed',
      'echo_in_the_way',
      'edge_of_chamber',
      'end_run_disabled',
      'gate_shut',
      'lap_not_running',
      'run_ended',
      'unknown_action',
      'wall',
    ])
  })
})
