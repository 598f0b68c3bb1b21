/** One test or more for each sentence of the rules, by heading and position, in our own words: first part. */
import { describe, expect, it } from 'vitest'
import { ACTION_NAMES, DESCEND, END_RUN } from '../../../src/games/hourloom/actions.ts'
import { multiplierPercent } from '../../../src/games/hourloom/difficulty.ts'
import { native } from '../../../src/games/hourloom/native.ts'
import { createRules } from '../../../src/games/hourloom/rules.ts'
import { scriptedAction } from '../../../src/games/hourloom/scripted.ts'
import { RUNNING, SAND_RAN_OUT } from '../../../src/games/hourloom/state.ts'
import { Play } from './draw.ts'
import { plane } from './look.ts'

const rules = createRules({ startChamber: 1, echoLookahead: 1, allowEndRun: true })

const FIELD = `
  1.p.X
  2.q..
  3.r..`

/** Echo 1 stands on the plate on turns 1 and 2. */
const GATE = `
  1aX.p
  .#.#.
  2A.q.`

/** A run of the real generator, driven by its script for a number of actions. */
function scriptedRun(seed: string, actions: number) {
  const state = rules.createState()
  rules.reset(state, seed)
  for (let i = 0; i < actions; i++) rules.step(state, scriptedAction(state)!)
  return state
}

describe('goal', () => {
  it('1: a move crosses one tile', () => {
    const play = new Play(FIELD)
    play.go('E')
    expect(play.player).toBe('0,1')
  })

  it('2: a lap leads from the alcove over the keystone to the exit', () => {
    const play = new Play(FIELD)
    expect([play.player, play.state.lap]).toEqual(['0,0', 0])
    play.go('SEEE')
    play.go('EN')
    expect([play.player, play.state.lap]).toEqual(['0,4', 0])
    play.go('WWEE')
    expect(play.state.lap).toBe(1)
  })

  it('3: the lap just finished runs beside the player in every later lap', () => {
    const play = new Play(FIELD)
    play.go('EEEE')
    play.go('.')
    expect(play.echo(1)).toBe('0,1')
    play.go('.E.EEEN')
    play.go('.')
    expect([play.echo(1), play.echo(2)]).toEqual(['0,1', '1,0'])
  })

  it('4: the last lap seals the chamber; then one descends or keeps the score', () => {
    const play = new Play('1pX')
    play.go('EE')
    expect(play.state.sealed).toBe(1)
    expect([play.reason('DESCEND'), play.reason('END_RUN')]).toEqual([undefined, undefined])
  })

  it('5: nothing but the sandglass of a lap ends a run', () => {
    const state = scriptedRun('11', 6000)
    expect(state.ending).toBe(RUNNING)
    expect(state.chamber.n).toBeGreaterThan(15)
  })
})

describe('scoring', () => {
  it('1: spark 15, keystone 25, lap 50 and 3 a grain', () => {
    expect(new Play('1*pX\n2q..').go('EEE')).toEqual([15, 25, 50 + 3 * 37])
  })

  it('2: a gate pays 25 for each plate that echoes hold', () => {
    const play = new Play(GATE)
    play.go('E..EEEWW')
    expect(play.go('.E')).toEqual([0, 25])
  })

  it('3: the seal pays 150', () => {
    expect(new Play('1pX', { budget: 2 }).go('EE')).toEqual([25, 50 + 150])
  })

  it('4: the multiplier grows by 25 points to 400 percent at chamber 13', () => {
    const percents = Array.from({ length: 15 }, (_, i) => multiplierPercent(i + 1))
    expect(percents).toEqual([100, 125, 150, 175, 200, 225, 250, 275, 300, 325, 350, 375, 400, 400, 400])
    expect(new Play('1*pX', { n: 13 }).go('E')).toEqual([60])
  })

  it('5: points land at once and outlive the run', () => {
    const play = new Play('1*.pX', { budget: 2 })
    play.go('E')
    expect(play.state.score).toBe(15)
    play.go('.')
    expect([play.state.ending, play.state.score]).toEqual([SAND_RAN_OUT, 15])
  })
})

describe('actions', () => {
  it('1: there are four kinds, seven in all', () => {
    expect(ACTION_NAMES.map((_, action) => native.toNative(action))).toEqual([
      { type: 'MOVE', dir: 'N' },
      { type: 'MOVE', dir: 'E' },
      { type: 'MOVE', dir: 'S' },
      { type: 'MOVE', dir: 'W' },
      { type: 'WAIT' },
      { type: 'DESCEND' },
      { type: 'END_RUN' },
    ])
  })

  it('2: nothing throws, and a refusal changes neither state nor generator', () => {
    const state = scriptedRun('4', 30)
    const before = structuredClone(state)
    const play = (json: Parameters<typeof native.fromNative>[0]) => native.fromNative(json, state)
    const hostile = [
      null,
      [],
      'N',
      4,
      {},
      { type: 'MOVE', dir: null },
      JSON.parse('{"__proto__":{"type":"WAIT"}}'),
    ]
    for (const json of hostile) expect(play(json)).toMatchObject({ reason: 'unknown_action' })
    for (let action = -2; action < 10; action++) rules.explain(state, action)
    expect(state).toEqual(before)
  })
})

describe('the clock', () => {
  it('1 and 2: the world moves only when the player acts', () => {
    const play = new Play(FIELD)
    play.go('EEEE')
    const before = structuredClone(play.state)
    for (const name of ACTION_NAMES) play.reason(name)
    expect(play.state).toEqual(before)
  })
})

describe('geometry', () => {
  it('1 and 2: rows count from the top, and N leads toward row 0', () => {
    const play = new Play('p..\n.1.\n..X')
    const seen = Array.from('NSESWWNN', (input) => {
      play.go(input)
      return play.player
    })
    expect(seen).toEqual(['0,1', '1,1', '1,2', '2,2', '2,1', '2,0', '1,0', '0,0'])
  })
})

describe('movement', () => {
  it('1: into the chamber, on no wall, on no body, and through open gates only', () => {
    const play = new Play(GATE)
    expect([play.reason('N'), play.reason('E'), play.reason('S')]).toEqual([
      'edge_of_chamber',
      undefined,
      undefined,
    ])
    play.go('E')
    expect(play.reason('S')).toBe('wall')
    play.go('..EEEWW')
    expect(play.reason('E')).toBe('gate_shut')
    play.go('.')
    expect(play.reason('E')).toBeUndefined()
  })

  it('2: one body to a tile', () => {
    const play = new Play(FIELD)
    play.go('EEEE')
    play.go('.E')
    expect([play.player, play.echo(1), play.reason('N')]).toEqual(['1,1', '0,2', undefined])
    play.go('E')
    expect(play.reason('N')).toBeUndefined()
    const beside = new Play(FIELD)
    beside.go('EEEE')
    expect(beside.reason('N')).toBe('echo_in_the_way')
  })

  it('3: a refused move costs nothing and is not recorded', () => {
    const play = new Play(FIELD)
    expect(play.reason('N')).toBe('edge_of_chamber')
    expect([play.state.sand, play.state.turn]).toEqual([40, 0])
    play.go('EEEE')
    expect(Array.from(play.state.log.subarray(0, 4))).toEqual([1, 1, 1, 1])
  })
})

describe('recording', () => {
  it('1: moves and waits are appended to the lap’s log', () => {
    const play = new Play(FIELD)
    play.go('E.SNEEE')
    expect(play.state.logLength[0]).toBe(7)
    expect(Array.from(play.state.log.subarray(0, 7))).toEqual([1, 4, 2, 0, 1, 1, 1])
  })

  it('2: neither END_RUN nor DESCEND is recorded', () => {
    for (const actions of [30, 500]) {
      const state = rules.createState()
      rules.reset(state, '4')
      for (let i = 0; i < actions && state.sealed === 0; i++) rules.step(state, scriptedAction(state)!)
      expect(state.sealed).toBe(actions === 500 ? 1 : 0)
      const { log, logLength, turn } = structuredClone(state)
      rules.step(state, END_RUN)
      expect([state.log, state.logLength, state.turn]).toEqual([log, logLength, turn])
    }
    const state = rules.createState()
    rules.reset(state, '4')
    while (state.sealed === 0) rules.step(state, scriptedAction(state)!)
    rules.step(state, DESCEND)
    expect([...state.log, ...state.logLength].every((entry) => entry === 0)).toBe(true)
    const first = scriptedAction(state)!
    rules.step(state, first)
    expect(Array.from(state.log.subarray(0, 2))).toEqual([first, 0])
    expect(state.turn).toBe(1)
  })

  it('2: an echo is nothing but inputs: held once, it walks on from where it stands', () => {
    const play = new Play('1.p.X\n2q...')
    play.go('SNEEEE')
    // The player on its alcove holds the step S; the step N then leads over the edge.
    play.go('..')
    expect([play.echo(1), play.state.sand]).toEqual(['0,0', 40 - 2 - 1])
    play.go('.')
    expect(play.echo(1)).toBe('0,1')
  })
})

describe('echoes', () => {
  it('1: on turn T entry T is played, by the same rules as for the player', () => {
    const play = new Play(GATE)
    play.go('E..EEEWW')
    play.go('.EE')
    expect([play.player, play.echo(1)]).toEqual(['2,2', '0,1'])
  })

  it('2: a blocked entry becomes a hold and its turn is gone', () => {
    const play = new Play('1.p.X\n2q...')
    play.go('SNEEEE')
    play.go('......')
    // Two entries were held; four steps E remain, and the last plays on turn 5.
    expect([play.echo(1), play.state.turn]).toEqual(['gone', 6])
  })

  it('3: an echo is gone after the turn of its last entry; a slow lap lasts longer', () => {
    const slow = new Play(FIELD)
    slow.go('...EEEE')
    slow.go('......')
    expect(slow.echo(1)).toBe('0,3')
    slow.go('.')
    expect(slow.echo(1)).toBe('gone')
    const quick = new Play(FIELD)
    quick.go('EEEE')
    quick.go('....')
    expect(quick.echo(1)).toBe('gone')
  })
})

describe('order', () => {
  it('1: the player, then echo 1, then echo 2', () => {
    const play = new Play('1.p.X\n.....\n2q...\n3r...')
    play.go('SNEEEE')
    play.go('NSEEEENN')
    // Both want 1,0 on turn 0: echo 1 gets it.
    play.go('.')
    expect([play.echo(1), play.echo(2)]).toEqual(['1,0', '2,0'])
  })

  it('2: a tile that an echo is about to leave is closed; one the player left is open to an echo', () => {
    const play = new Play('12p.X\nq....')
    play.go('EEEE')
    // Echo 1 stands on 0,0 and will leave it for the player's own tile.
    expect(play.reason('W')).toBe('echo_in_the_way')
    play.go('E')
    expect([play.player, play.echo(1)]).toEqual(['0,2', '0,1'])
  })
})

describe('gates and plates', () => {
  it('1: a gate is open when every plate carries another body', () => {
    const play = new Play('1aXp\n2aq.\n3Ar.')
    play.go('E..EEW')
    play.go('E..E.N')
    expect(play.reason('E')).toBe('gate_shut')
    play.go('.')
    expect([play.reason('E'), plane(play.state, 5)]).toEqual([undefined, ['2,1']])
  })

  it('1: one plate of two is not enough', () => {
    const play = new Play('1aXp\n2aq.\n3Ar.')
    play.go('E..EEW')
    play.go('....EEN')
    play.go('.')
    expect([play.echo(1), play.echo(2), play.reason('E')]).toEqual(['0,1', '1,0', 'gate_shut'])
  })

  it('2: the player’s own body does not open a gate for the player', () => {
    const play = new Play('pX.\n1aA')
    play.go('E')
    expect(play.reason('E')).toBe('gate_shut')
    expect(plane(play.state, 5)).toEqual([])
  })

  it('3: a shut gate does not move who stands on it', () => {
    const play = new Play(GATE)
    play.go('E..EEEWW')
    play.go('.E.')
    play.go('.')
    expect([play.echo(1), play.player, plane(play.state, 5)]).toEqual(['0,2', '2,1', []])
    expect(play.reason('E')).toBeUndefined()
  })
})
