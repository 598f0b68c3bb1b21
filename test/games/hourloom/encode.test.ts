import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { END_RUN } from '../../../src/games/hourloom/actions.ts'
import { createEncoder, SCALARS } from '../../../src/games/hourloom/encode.ts'
import { hourloom } from '../../../src/games/hourloom/game.ts'
import { createRules } from '../../../src/games/hourloom/rules.ts'
import { scriptedAction } from '../../../src/games/hourloom/scripted.ts'
import { ENDED_BY_PLAYER, SAND_RAN_OUT } from '../../../src/games/hourloom/state.ts'
import { Play } from './draw.ts'
import { look, plane } from './look.ts'

/** Three laps; gate A (one plate) and gate B (two plates); flux of phases 1 and 2; two sparks. */
const PICTURE = `
  1aX.p*
  .#.#..
  2A.q,%
  ###..b
  3rB*.b`

function inLap2(): Play {
  const play = new Play(PICTURE, { n: 3, budget: [40, 30, 20] })
  play.go('E..EEEWW')
  return play
}

describe('planes', () => {
  it('0 to 4, 6 to 11 and 15 stand still: outside, walls, exit, gates, plates, flux', () => {
    const { state } = inLap2()
    expect(plane(state, 0).filter((cell) => cell.startsWith('0,'))).toEqual(['0,6', '0,7', '0,8'])
    expect(plane(state, 0)).toHaveLength(81 - 36)
    expect(plane(state, 1)).toEqual([
      '1,1',
      '1,3',
      '3,0',
      '3,1',
      '3,2',
      ...[0, 1, 2, 3, 4, 5].map((col) => `5,${col}`),
    ])
    expect([plane(state, 2), plane(state, 3), plane(state, 4)]).toEqual([['0,2'], ['2,1'], ['4,2']])
    expect(plane(state, 6)).toEqual(['0,1', '2,1=2'])
    expect(plane(state, 7)).toEqual(['3,5', '4,2=2', '4,5'])
    expect([plane(state, 8), plane(state, 9), plane(state, 10)]).toEqual([[], [], []])
    expect(plane(state, 11)).toEqual(['0,1', '3,5', '4,5'])
    expect(plane(state, 15)).toEqual(['2,4', '2,5'])
  })

  it('5 and 12: open gates and held plates', () => {
    const play = inLap2()
    expect([plane(play.state, 5), plane(play.state, 12)]).toEqual([[], []])
    play.go('.')
    expect([plane(play.state, 5), plane(play.state, 12)]).toEqual([['2,1'], ['0,1']])
  })

  it('5 and 12: the player’s own body holds nothing', () => {
    const play = new Play(PICTURE)
    play.go('E')
    expect([plane(play.state, 5), plane(play.state, 12)]).toEqual([[], []])
  })

  it('13 and 14: flux lit this turn and next', () => {
    const play = inLap2()
    const lit = Array.from('....', (wait) => {
      const now = [plane(play.state, 13), plane(play.state, 14)]
      play.go(wait)
      return now
    })
    expect(lit).toEqual([
      [['2,5'], ['2,4', '2,5']],
      [['2,4', '2,5'], ['2,4']],
      [['2,4'], []],
      [[], ['2,5']],
    ])
  })

  it('16: sparks until they are taken', () => {
    const play = inLap2()
    expect(plane(play.state, 16)).toEqual(['0,5', '4,3'])
    const early = new Play(PICTURE)
    early.go('E.EEEE')
    expect(plane(early.state, 16)).toEqual(['4,3'])
  })

  it('17 to 19: this lap’s keystone, later keystones and alcoves by laps ahead', () => {
    const play = new Play(PICTURE)
    expect([plane(play.state, 17), plane(play.state, 18), plane(play.state, 19)]).toEqual([
      ['0,4'],
      ['2,3', '4,1=2'],
      ['2,0', '4,0=2'],
    ])
    play.go('EEEE')
    expect(plane(play.state, 17)).toEqual([])
    play.go('WW')
    expect([plane(play.state, 17), plane(play.state, 18), plane(play.state, 19)]).toEqual([
      ['2,3'],
      ['4,1'],
      ['4,0'],
    ])
  })

  it('20 to 26: bodies, and where echoes will step', () => {
    const play = inLap2()
    expect([plane(play.state, 20), plane(play.state, 21), plane(play.state, 26)]).toEqual([
      ['2,0'],
      ['0,0'],
      ['0,1'],
    ])
    play.go('.')
    // The echo waits next.
    expect([plane(play.state, 21), plane(play.state, 26)]).toEqual([['0,1'], []])
    play.go('EEE.WNN')
    expect([plane(play.state, 20), plane(play.state, 21), plane(play.state, 22)]).toEqual([
      ['4,0'],
      ['0,0'],
      ['2,0'],
    ])
    expect(play.state.lap).toBe(2)
  })

  it('26 counts echoes that step onto one tile, walls included, and not over the edge', () => {
    const play = new Play('p1X\n23q\nr..')
    play.go('SNWEE')
    play.go('EEN')
    expect(plane(play.state, 26)).toEqual(['1,1=2'])
  })
})

describe('echoes', () => {
  it('show the next inputs, as many as asked for, and 5 past the end', () => {
    const play = inLap2()
    expect(Array.from(look(play.state, 1).echoes.subarray(0, 10))).toEqual([1, 0, 0, 8, 1, 0, 0, 0, 0, 5])
    const far = look(play.state, 96).echoes
    expect(far).toHaveLength(5 * 100)
    expect(Array.from(far.subarray(0, 14))).toEqual([1, 0, 0, 8, 1, 4, 4, 1, 1, 1, 3, 3, 5, 5])
    play.go('.....')
    expect(Array.from(look(play.state, 4).echoes.subarray(0, 8))).toEqual([1, 0, 3, 3, 1, 3, 3, 5])
  })
})

describe('scalars', () => {
  it('are in the order of the list', () => {
    const play = inLap2()
    play.go('.E')
    const { scalars } = look(play.state)
    expect(Object.fromEntries(SCALARS.map(([name], i) => [name, scalars[i]]))).toEqual({
      sand: 28,
      lap_budget: 30,
      turn: 2,
      lap: 1,
      laps: 3,
      has_keystone: 0,
      sealed: 0,
      chamber: 3,
      multiplier_percent: 150,
      width: 6,
      height: 6,
      sparks_left: 2,
      echoes_alive: 1,
      score: 38 + 219 + 38,
    })
  })

  it('at a seal: no echo, the player on the exit, the last lap’s figures', () => {
    const rules = createRules({ startChamber: 2, echoLookahead: 1, allowEndRun: true })
    const state = rules.createState()
    rules.reset(state, '2')
    while (state.sealed === 0) rules.step(state, scriptedAction(state)!)
    const { scalars, echoes } = look(state)
    const { laps, budget, scriptLength, exit } = state.chamber
    const turns = scriptLength[laps - 1]!
    expect(Array.from(scalars.subarray(0, 7))).toEqual([
      budget[laps - 1]! - turns,
      budget[laps - 1],
      turns,
      laps,
      laps,
      1,
      1,
    ])
    expect(scalars[12]).toBe(0)
    expect(Array.from(echoes.subarray(0, 5))).toEqual([0, 0, 0, 0, 5])
    expect(plane(state, 20)).toEqual([`${Math.floor(exit / 9)},${exit % 9}`])
    for (const empty of [5, 12, 13, 14, 17, 18, 19, 21, 22, 23, 24, 25, 26])
      expect(plane(state, empty)).toEqual([])
    expect(plane(state, 15)).not.toEqual([])
  })
})

describe('text', () => {
  it('draws the chamber and lists what the glyphs hide', () => {
    const play = inLap2()
    play.go('.E')
    expect(look(play.state).text.split('\n')).toEqual([
      '.1X..*',
      '.#.#..',
      '.@.K~_',
      '###..b',
      'ukB*.b',
      '######',
      'you: row 2, col 1, on A',
      'echo 1: next WAIT, 6 left, row 0, col 1, on a',
      'gate A: open for you, 1 plate a',
      'gate B: shut for you, 2 plates b',
      'sand: 28 of 30, turn 2',
      'lap: 2 of 3, keystone not taken',
      'chamber: 3, awards at 150 percent, 2 sparks left',
      'score: 295',
    ])
  })

  it('says why the run is over', () => {
    const play = inLap2()
    play.state.ending = SAND_RAN_OUT
    expect(look(play.state).text).toMatch(/The run is over: the sandglass is empty\.$/)
    play.state.ending = ENDED_BY_PLAYER
    expect(look(play.state).text).toMatch(/The run is over: it was ended with END_RUN\.$/)
  })

  it('is ASCII, with a line for each row', () => {
    const rules = createRules({ startChamber: 10, echoLookahead: 1, allowEndRun: true })
    const state = rules.createState()
    rules.reset(state, '6')
    for (let i = 0; i < 150; i++) {
      rules.step(state, scriptedAction(state)!)
      const { text } = look(state)
      expect(text).toMatch(/^[\n -~]*$/)
      expect(
        text
          .split('\n')
          .slice(0, 9)
          .every((line) => line.length === 9),
      ).toBe(true)
    }
  })
})

describe('flux in the text', () => {
  it('shows its phase in a lap, and none at a seal, where the planes show none', () => {
    const rules = createRules({ startChamber: 10, echoLookahead: 1, allowEndRun: true })
    const state = rules.createState()
    rules.reset(state, '2')
    const counts = () => {
      const grid = look(state).text.split('\n').slice(0, state.chamber.size).join('')
      return ['_', ',', '%', '~', '='].map((glyph) => grid.split(glyph).length - 1)
    }
    const phases = [0, 1, 2, 3].map(
      (phase) => state.chamber.fluxPhase.filter((each) => each === phase).length,
    )
    expect(counts()).toEqual([...phases, 0])
    while (state.sealed === 0) rules.step(state, scriptedAction(state)!)
    expect(counts()).toEqual([0, 0, 0, 0, state.chamber.flux])
    rules.step(state, END_RUN)
    expect(counts()).toEqual([0, 0, 0, 0, 8])
  })
})

describe('the README', () => {
  const readme = readFileSync(new URL('../../../src/games/hourloom/README.md', import.meta.url), 'utf8')
  const rows = readme
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    )

  it('shows a chamber as the text form has it', () => {
    const rules = createRules({ startChamber: 6, echoLookahead: 1, allowEndRun: true })
    const state = rules.createState()
    rules.reset(state, '7')
    for (let i = 0; i < 70; i++) rules.step(state, scriptedAction(state)!)
    const lines = look(state).text.split('\n')
    const [grid, rest] = [lines.slice(0, 9), lines.slice(9)]
    const picture = rest.map((line, i) => `${(grid[i] ?? '').padEnd(15)}${line}`).join('\n')
    expect(readme).toContain(`\`\`\`\n${picture}\n\`\`\``)
  })

  it('lists the scalars with their bounds, in order', () => {
    const start = rows.findIndex(([first]) => first === 'scalar')
    const listed = rows.slice(start + 2, start + 2 + SCALARS.length).map((row) => row.slice(0, 3))
    expect(listed).toEqual(SCALARS.map(([name, low, high]) => [name, String(low), String(high)]))
  })

  it('lists the arrays as specified', () => {
    const { spec } = createEncoder({ startChamber: 1, echoLookahead: 1, allowEndRun: true })
    for (const { name, dtype, shape } of spec) {
      const text = `${dtype} (${shape.join(', ')}${shape.length === 1 ? ',' : ''})`
      expect(rows.find(([first]) => first === name)?.[1]).toBe(text)
    }
  })

  it('lists the configuration as accepted', () => {
    for (const [key, spec] of Object.entries(hourloom.configSchema)) {
      expect(rows.find(([first]) => first === key)?.slice(1, 3)).toEqual([spec.type, String(spec.default)])
    }
  })

  it('has a row for each ruling', () => {
    const rulings = rows.map(([first]) => first!).filter((first) => /^A\d+$/.test(first))
    expect(rulings).toEqual(Array.from({ length: 23 }, (_, i) => `A${i + 1}`))
  })
})
