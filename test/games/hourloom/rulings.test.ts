import { describe, expect, it } from 'vitest'
import { difficulty } from '../../../src/games/hourloom/difficulty.ts'
import { native } from '../../../src/games/hourloom/native.ts'
import { createRules } from '../../../src/games/hourloom/rules.ts'
import { ENDED_BY_PLAYER, RUNNING, SAND_RAN_OUT } from '../../../src/games/hourloom/state.ts'
import { Play } from './draw.ts'
import { look, plane } from './look.ts'

const rules = createRules({ startChamber: 1, echoLookahead: 1, allowEndRun: true })

const FIELD = `
  1.p.X
  2.q..
  .....`

/** Lap 2 passes the gate from the left while echo 1 holds its plate on turns 1 and 2. */
const GATE = `
  1aX.p
  .#.#.
  2A3q.
  r....`

function inGateLap3(): Play {
  const play = new Play(GATE)
  play.go('E..EEEWW')
  play.go('.EEEWNN')
  expect(play.state.lap).toBe(2)
  return play
}

/** Laps 1 and 2 each hold a plate of one gate on turns 1 to 3. */
const TWO_PLATES = `
  1aXp
  2aq.
  3Ar.`

function inTwoPlateLap3(): Play {
  const play = new Play(TWO_PLATES, { n: 2 })
  play.go('E..EEW')
  play.go('E..E.N')
  expect(play.state.lap).toBe(2)
  return play
}

describe('rulings', () => {
  it('A1: turns count from 0 in each lap, and on turn T an echo plays entry T', () => {
    const play = new Play(FIELD)
    play.go('EE.EE')
    expect(play.state.turn).toBe(0)
    const steps = Array.from('.....', (wait) => {
      play.go(wait)
      return [play.state.turn, play.echo(1)]
    })
    expect(steps).toEqual([
      [1, '0,1'],
      [2, '0,2'],
      [3, '0,2'],
      [4, '0,3'],
      [5, 'gone'],
    ])
  })

  it('A2: flux that is shown as lit is lit for the move being made', () => {
    for (const [glyph, cost] of [
      ['_', 1],
      [',', 1],
      ['%', 4],
      ['~', 4],
    ] as const) {
      const play = new Play(`1${glyph}pX`)
      expect(plane(play.state, 13)).toEqual(cost === 4 ? ['0,1'] : [])
      play.go('E')
      expect(play.state.sand).toBe(40 - cost)
    }
  })

  it('A3: a lap ends at the player’s own move; no echo acts on that turn', () => {
    const play = new Play(FIELD)
    play.go('.EEEE')
    play.go('EEEE')
    expect([play.echo(1), play.player]).toEqual(['0,3', '1,4'])
    // Echo 1 would walk into the player on the exit.
    expect(play.go('N')).toEqual([50 + 3 * 35 + 150])
  })

  it('A4: the last turn costs its grain before the bonus is counted', () => {
    expect(new Play('1pX').go('EE')[1]).toBe(50 + 3 * 38 + 150)
  })

  it('A5: the lap is finished, with bonus 0, when the last grain falls on its last turn', () => {
    const play = new Play(FIELD, { budget: [4, 9] })
    expect(play.go('EEEE')).toEqual([0, 25, 0, 50])
    expect([play.state.lap, play.state.sand, play.state.ending]).toEqual([1, 9, RUNNING])
  })

  it('A6: a lap starts with every body on its own alcove, and alcoves are floor', () => {
    const play = new Play(`${FIELD}\n3r...`)
    play.go('SNEEEE')
    play.go('EEEEN')
    expect([play.player, play.echo(1), play.echo(2)]).toEqual(['3,0', '0,0', '1,0'])
  })

  it('A7: the keystones of other laps are floor', () => {
    const play = new Play(FIELD)
    expect(play.go('SEENEE')).toEqual([0, 0, 0, 25, 0, 50 + 3 * 34])
    play.go('S.....NNE')
    expect(play.go('ES')).toEqual([0, 25])
  })

  it('A8: without the keystone the exit is floor; an echo on it refuses the player', () => {
    const play = new Play(`
      1..p
      ...X
      2q..`)
    expect(play.go('SEEE..')).toEqual([0, 0, 0, 0, 0, 0])
    expect([play.player, play.state.lap]).toEqual(['1,3', 0])
    play.go('NS')
    play.go('EEE.')
    expect(play.echo(1)).toBe('1,3')
    expect(play.reason('N')).toBe('echo_in_the_way')
  })

  it('A9: the player’s body on a plate opens the gate for echoes', () => {
    const play = new Play(`
      1a3.p
      r#.#.
      2AqX.`)
    play.go('E..EEESSW')
    play.go('.EEE')
    // The player takes the plate before echo 1 can.
    play.go('W.')
    expect([play.echo(1), play.echo(2)]).toEqual(['0,0', '2,1'])
  })

  it('A10: a two-plate gate pays 50 in one award', () => {
    const play = inTwoPlateLap3()
    play.go('.')
    // 62.5 rounded; two awards of 31.25 would make 62.
    expect(play.go('E')).toEqual([63])
  })

  it('A11: stepping onto a gate again pays again', () => {
    const play = inTwoPlateLap3()
    expect(play.go('.EWE')).toEqual([0, 63, 0, 63])
  })

  it('A12: an echo that walks into the player on a shut gate is a jostle', () => {
    const play = inGateLap3()
    play.go('.W.')
    expect(play.state.sand).toBe(40 - 1 - 2 - 2)
    // Echo 1 leaves the plate, then echo 2 tries the gate.
    play.go('.')
    expect([play.echo(1), play.echo(2), plane(play.state, 5)]).toEqual(['0,2', '2,0', []])
    expect(play.state.sand).toBe(40 - 1 - 2 - 2 - 2)
  })

  it('A13: two echoes that walk into the player on one turn cost a grain each', () => {
    const play = new Play(`
      p1X
      23q
      r..`)
    play.go('SNWEE')
    play.go('EEN')
    play.go('.')
    expect(play.state.sand).toBe(40 - 1 - 2)
  })

  it('A14: a recorded wait never jostles', () => {
    const play = new Play(FIELD)
    play.go('..EEEE')
    play.go('..')
    expect([play.echo(1), play.player, play.state.sand]).toEqual(['0,0', '1,0', 38])
  })

  it('A15: an echo on its last turn is a body for later echoes', () => {
    const play = new Play(`
      1pX.
      2..q
      r3..`)
    play.go('.EE')
    play.go('EENESNW')
    play.go('...')
    // Echo 1 stepped onto the exit and was gone at the end of the turn; echo 2 found it there.
    expect([play.echo(1), play.echo(2)]).toEqual(['gone', '1,2'])
  })

  it('A15: and a body for gates', () => {
    const picture = `
      p1aX
      2Aq3
      r...`
    const results = ['....', 'N...'].map((inputs) => {
      const play = new Play(picture)
      play.go('WEEE')
      play.go('...EEEN')
      play.go(inputs)
      return [play.echo(1), play.echo(2)]
    })
    // With the player on the exit, echo 1 is held on the plate for its last turn.
    expect(results).toEqual([
      ['gone', '1,0'],
      ['gone', '1,1'],
    ])
  })

  it('A16: each award is rounded by itself, halves up', () => {
    expect(new Play('1*pX', { n: 2 }).go('EE')).toEqual([19, 31])
    expect(new Play('1*pX', { n: 3 }).go('EE')).toEqual([23, 38])
    // 158 and 150 points at 125 percent are 197.5 and 187.5: 198 + 188, not 385.
    expect(new Play('1pX', { n: 2, budget: 38 }).go('EE')[1]).toBe(386)
  })

  it('A17: a spark stays taken in later laps', () => {
    const play = new Play(`
      1*pX
      2q..`)
    expect(play.go('EEE').slice(0, 2)).toEqual([15, 25])
    expect(plane(play.state, 16)).toEqual([])
    // Past echo 1 onto the spark's old tile.
    expect(play.go('.EN')).toEqual([0, 25, 0])
    expect([play.player, play.state.sparksLeft]).toEqual(['0,1', 0])
  })

  it('A19: the next lap starts at once with its own budget', () => {
    const play = new Play(FIELD, { budget: [40, 25] })
    play.go('EEEE')
    expect([play.state.lap, play.state.sand, play.state.turn, play.state.hasKeystone]).toEqual([1, 25, 0, 0])
  })

  it('A20: DESCEND and END_RUN are legal at a seal, nothing is after the end', () => {
    const play = new Play('1pX')
    play.go('EE')
    const mask = new Uint8Array(7)
    rules.writeMask(play.state, mask, 0)
    expect(Array.from(mask)).toEqual([0, 0, 0, 0, 0, 1, 1])
    play.state.ending = ENDED_BY_PLAYER
    rules.writeMask(play.state, mask, 0)
    expect(Array.from(mask)).toEqual([0, 0, 0, 0, 0, 0, 0])
  })

  it('A21: generator and script show nowhere', () => {
    const state = rules.createState()
    rules.reset(state, '3')
    const seen = look(state, 96)
    state.random.s0 = 0.5
    state.chamber.value = 1
    state.chamber.script.fill(1)
    state.chamber.scriptLength.fill(9)
    expect(look(state, 96)).toEqual(seen)
  })

  it('A22: no chamber has more than 6 laps', () => {
    for (let n = 1; n <= 2000; n++) expect(difficulty(n).laps).toBeLessThanOrEqual(6)
    expect(difficulty(1e9).laps).toBe(6)
  })
})

describe('A18: of several reasons the first counts', () => {
  const reason = (play: Play, json: Parameters<typeof native.fromNative>[0]) => {
    const action = native.fromNative(json, play.state)
    return typeof action === 'number' ? rules.explain(play.state, action)?.reason : action.reason
  }

  const over = () => {
    const play = new Play(FIELD, { budget: 1 })
    play.go('.')
    expect(play.state.ending).toBe(SAND_RAN_OUT)
    return play
  }

  const sealed = () => {
    const play = new Play('1pX')
    play.go('EE')
    return play
  }

  it('unknown_action before run_ended', () => {
    for (const json of [
      { type: 'MOVE' },
      { type: 'MOVE', dir: 7 },
      { type: 'MOVE', dir: 'N', now: true },
      { type: 'WAIT', dir: 'N' },
    ]) {
      expect(reason(over(), json)).toBe('unknown_action')
    }
  })

  it('run_ended before bad_direction and everything else', () => {
    for (const json of [
      { type: 'MOVE', dir: 'X' },
      { type: 'MOVE', dir: 'N' },
      { type: 'WAIT' },
      { type: 'DESCEND' },
      { type: 'END_RUN' },
    ]) {
      expect(reason(over(), json)).toBe('run_ended')
    }
  })

  it('bad_direction before lap_not_running', () => {
    expect(reason(sealed(), { type: 'MOVE', dir: 'n' })).toBe('bad_direction')
    expect(reason(new Play(FIELD), { type: 'MOVE', dir: '' })).toBe('bad_direction')
  })

  it('lap_not_running before edge_of_chamber', () => {
    expect(reason(sealed(), { type: 'MOVE', dir: 'N' })).toBe('lap_not_running')
    expect(reason(sealed(), { type: 'WAIT' })).toBe('lap_not_running')
  })

  it('edge_of_chamber and wall', () => {
    const play = new Play('1pX')
    expect(reason(play, { type: 'MOVE', dir: 'N' })).toBe('edge_of_chamber')
    expect(reason(play, { type: 'MOVE', dir: 'S' })).toBe('wall')
  })

  it('echo_in_the_way before gate_shut', () => {
    const play = inGateLap3()
    // Echo 2 steps onto the gate, is held there by the player, and echo 1 leaves the plate.
    play.go('....')
    expect([play.echo(2), plane(play.state, 5)]).toEqual(['2,1', []])
    expect(reason(play, { type: 'MOVE', dir: 'W' })).toBe('echo_in_the_way')
    expect(reason(new Play('2A1pX\na....'), { type: 'MOVE', dir: 'W' })).toBe('gate_shut')
  })

  it('end_run_disabled after run_ended', () => {
    const strict = createRules({ startChamber: 1, echoLookahead: 1, allowEndRun: false })
    const play = sealed()
    expect(strict.explain(play.state, 6)?.reason).toBe('end_run_disabled')
    expect(strict.explain(play.state, 5)).toBeUndefined()
    play.state.ending = SAND_RAN_OUT
    expect(strict.explain(play.state, 6)?.reason).toBe('run_ended')
  })
})
