/** One test or more for each sentence of the rules, by heading and position, in our own words: second part. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DESCEND, END_RUN } from '../../../src/games/hourloom/actions.ts'
import { budgetFor, createChamber } from '../../../src/games/hourloom/chamber.ts'
import { difficulty, multiplierPercent } from '../../../src/games/hourloom/difficulty.ts'
import { generateChamber } from '../../../src/games/hourloom/generate.ts'
import { createRules } from '../../../src/games/hourloom/rules.ts'
import { scriptedAction } from '../../../src/games/hourloom/scripted.ts'
import {
  ENDED_BY_PLAYER,
  type HourloomState,
  RUNNING,
  SAND_RAN_OUT,
} from '../../../src/games/hourloom/state.ts'
import { nextBits53, seedState } from '../../../src/random/seeded.ts'
import { isSameChamber } from './chamber-properties.ts'
import { Play } from './draw.ts'
import { look, plane } from './look.ts'

const rules = createRules({ startChamber: 1, echoLookahead: 1, allowEndRun: true })

function sealFirst(seed: string): HourloomState {
  const state = rules.createState()
  rules.reset(state, seed)
  while (state.sealed === 0) rules.step(state, scriptedAction(state)!)
  return state
}

describe('jostles', () => {
  it('1: an echo that the player’s body blocks costs a grain', () => {
    const play = new Play('1.p.X\n2q...')
    play.go('SNEEEE')
    play.go('.')
    expect(play.state.sand).toBe(38)
  })

  it('2: walls and other echoes that block an echo cost nothing', () => {
    const edge = new Play('1.p.X\n2q...')
    edge.go('SNEEEE')
    // Held on turn 0 by the player, echo 1 walks against the edge on turn 1.
    edge.go('..')
    expect([edge.echo(1), edge.state.sand]).toEqual(['0,0', 37])
    const echoes = new Play('1.p.X\n.....\n2q...\n3r...')
    echoes.go('SNEEEE')
    echoes.go('NSEEEENN')
    echoes.go('.')
    expect([echoes.echo(1), echoes.echo(2), echoes.state.sand]).toEqual(['1,0', '2,0', 39])
  })
})

describe('flux', () => {
  it('1: two turns calm, two turns lit, by turn and phase', () => {
    for (let phase = 0; phase < 4; phase++) {
      const play = new Play(`1..pX\n${'_,%~'[phase]}....`)
      const lit = Array.from({ length: 8 }, () => {
        const now = plane(play.state, 13).length
        play.go('.')
        return now
      })
      expect(lit).toEqual(Array.from({ length: 8 }, (_, turn) => ((turn + phase) % 4 >= 2 ? 1 : 0)))
    }
  })

  it('2: ending a move or a wait on a lit tile costs 3 grains more', () => {
    const play = new Play('1_pX')
    play.go('E')
    expect(play.state.sand).toBe(39)
    play.go('.')
    expect(play.state.sand).toBe(38)
    play.go('..')
    expect(play.state.sand).toBe(38 - 4 - 4)
    play.go('.')
    expect(play.state.sand).toBe(29)
  })

  it('3: echoes pay nothing on flux', () => {
    const play = new Play('1%pX\n2q..')
    play.go('EEE')
    play.go('.')
    expect([play.echo(1), play.state.sand]).toEqual(['0,1', 39])
  })

  it('4: flux stops nobody', () => {
    expect(new Play('1%pX').reason('E')).toBeUndefined()
  })
})

describe('sandglass', () => {
  it('1: a turn costs 1 grain, and jostles and flux on top', () => {
    const play = new Play('1.p.X\n%2q..')
    play.go('SNEEEE')
    // Onto lit flux, in the way of echo 1.
    play.go('W')
    expect(play.state.sand).toBe(40 - 1 - 1 - 3)
  })

  it('2: each lap has a budget of its own, from the turns of the script and slack', () => {
    const state = rules.createState()
    rules.reset(state, '5')
    const { budget, scriptLength, laps } = state.chamber
    for (let lap = 0; lap < laps; lap++) {
      expect(budget[lap]).toBe(scriptLength[lap]! + 4 + Math.ceil(scriptLength[lap]! / 4))
      expect(budget[lap]).toBe(budgetFor(scriptLength[lap]!))
      expect(look(state).scalars.subarray(0, 2)).toEqual(Int32Array.of(budget[lap]!, budget[lap]!))
      while (state.lap === lap) rules.step(state, scriptedAction(state)!)
    }
  })

  it('3: an empty glass ends the run and leaves the score', () => {
    const play = new Play('1*%pX', { budget: 4 })
    play.go('E')
    expect(play.state.ending).toBe(RUNNING)
    // One grain and a toll of three, of three that are left: the glass shows 0.
    play.go('E')
    expect([play.state.ending, play.state.sand, play.state.score]).toEqual([SAND_RAN_OUT, 0, 15])
    expect(rules.isTerminal(play.state)).toBe(true)
  })
})

describe('pickups', () => {
  it('1: the player takes what lies on a tile by entering it', () => {
    const play = new Play('1*pX')
    play.go('EE')
    expect([play.state.sparksLeft, play.state.hasKeystone]).toEqual([0, 1])
  })

  it('3: an echo that comes over a keystone leaves it', () => {
    const play = new Play('2...\n1qpX')
    play.go('EEE')
    play.go('.')
    expect([play.echo(1), play.state.hasKeystone, plane(play.state, 17)]).toEqual(['1,1', 0, ['1,1']])
  })

  it('3: an echo that comes over a spark leaves it', () => {
    const play = new Play('2...\n1.pX\n.*..\nq...')
    play.go('NESEE')
    // Held on its first step, the echo goes a row lower than lap 1 did.
    play.go('...')
    expect([play.echo(1), play.state.sparksLeft, plane(play.state, 16)]).toEqual(['2,1', 1, ['2,1']])
    expect(play.state.score).toBe(25 + 50 + 3 * 35)
  })

  it('2: a spark is gone for the chamber; the exit needs the keystone', () => {
    const play = new Play('1*X.p\n2q...')
    expect(play.go('EEWE')).toEqual([15, 0, 0, 0])
    expect(play.state.lap).toBe(0)
    play.go('EEWW')
    expect([play.state.lap, play.state.sparksLeft, plane(play.state, 16)]).toEqual([1, 0, []])
  })
})

describe('sealing', () => {
  it('1: the last lap seals the chamber', () => {
    const state = sealFirst('8')
    expect([state.lap, state.sealed]).toEqual([state.chamber.laps, 1])
    expect(Array.from(state.echoTile)).toEqual([255, 255, 255, 255, 255])
  })

  it('2: DESCEND builds the next chamber, without echoes and logs, and only at a seal', () => {
    const state = rules.createState()
    rules.reset(state, '8')
    expect(rules.explain(state, DESCEND)?.reason).toBe('chamber_not_sealed')
    while (state.sealed === 0) rules.step(state, scriptedAction(state)!)
    expect(rules.explain(state, DESCEND)).toBeUndefined()
    const { score } = state
    expect(rules.step(state, DESCEND)).toBe(0)
    expect([state.chamber.n, state.lap, state.turn, state.sealed, state.score]).toEqual([2, 0, 0, 0, score])
    expect(state.log.every((input) => input === 0) && state.logLength.every((turns) => turns === 0)).toBe(
      true,
    )
    expect(state.body.filter((body) => body !== 0)).toEqual(Uint8Array.of(1))
  })
})

describe('keeping a score', () => {
  it('1 and 2: END_RUN is legal in a lap and at a seal, and keeps every point', () => {
    const lap = rules.createState()
    rules.reset(lap, '8')
    for (let i = 0; i < 12; i++) rules.step(lap, scriptedAction(lap)!)
    for (const state of [lap, sealFirst('8')]) {
      const { score, sealed, turn } = state
      expect(rules.explain(state, END_RUN)).toBeUndefined()
      expect(rules.step(state, END_RUN)).toBe(0)
      expect([state.ending, state.score, state.sealed, state.turn]).toEqual([
        ENDED_BY_PLAYER,
        score,
        sealed,
        turn,
      ])
    }
  })
})

describe('difficulty', () => {
  it('1: the table for chambers 1, 3, 6, 10 and 15', () => {
    const rows = [1, 3, 6, 10, 15].map((n) => {
      const { size, laps, gates, twoPlateGates, flux, sparks } = difficulty(n)
      return [n, size, laps, gates, twoPlateGates, flux, sparks, multiplierPercent(n)]
    })
    expect(rows).toEqual([
      [1, 7, 3, 1, 0, 0, 3, 100],
      [3, 8, 4, 2, 0, 2, 3, 150],
      [6, 9, 5, 4, 2, 5, 4, 225],
      [10, 9, 6, 5, 3, 8, 6, 325],
      [15, 9, 6, 5, 3, 8, 6, 400],
    ])
  })

  it('2: each formula reaches its ceiling and stays; chamber 1,000 is played like any other', () => {
    const deep = createRules({ startChamber: 1000, echoLookahead: 1, allowEndRun: true })
    const state = deep.createState()
    deep.reset(state, '1')
    for (let chamber = 0; chamber < 3; chamber++) {
      while (state.sealed === 0) deep.step(state, scriptedAction(state)!)
      deep.step(state, DESCEND)
    }
    expect([state.chamber.n, state.chamber.multiplier]).toEqual([1003, 400])
    expect(difficulty(1_000_000)).toEqual(difficulty(10))
  })
})

describe('determinism', () => {
  it('1: a lap never moves the generator, and a seed and its actions replay', () => {
    const [a, b] = [rules.createState(), rules.createState()]
    rules.reset(a, '77')
    rules.reset(b, '77')
    const before = structuredClone(a.random)
    while (a.sealed === 0) {
      const action = scriptedAction(a)!
      rules.step(a, action)
      rules.step(b, action)
      expect(a.random).toEqual(before)
    }
    expect(a).toEqual(b)
    rules.step(a, DESCEND)
    rules.step(b, DESCEND)
    expect(a.random).not.toEqual(before)
    expect(a).toEqual(b)
  })

  it('1: a chamber takes one value from the generator, and nothing else does', () => {
    const state = rules.createState()
    const expected = createChamber()
    const random = { c: 1, s0: 0, s1: 0, s2: 0 }
    rules.reset(state, '78')
    seedState(random, '78')
    for (let n = 1; n <= 4; n++) {
      generateChamber(expected, nextBits53(random), n)
      expect(state.random).toEqual(random)
      expect(isSameChamber(state.chamber, expected)).toBe(true)
      while (state.sealed === 0) rules.step(state, scriptedAction(state)!)
      rules.step(state, DESCEND)
    }
  })

  it('2: the rules read no clock and no other source of chance', () => {
    const folder = new URL('../../../src/games/hourloom/', import.meta.url)
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts'))) {
      expect(readFileSync(new URL(file, folder), 'utf8'), file).not.toMatch(
        /\bDate\b|performance|Math\.random|hrtime|process\./,
      )
    }
  })
})
