import { describe, expect, it } from 'vitest'
import { inspectActions, maskPicture } from '../../src/command/inspection.ts'
import { GAMES } from '../../src/games/registry.ts'
import { saveReplay } from '../../src/replay/save.ts'
import { ladder } from '../env/ladder-game.ts'
import { defaultGame, playRandomly, stateAfter } from '../replay/random-play.ts'
import { runCli, temporaryFile } from './run-cli.ts'

const stackcraft = defaultGame(GAMES[0]!)

/** The symbols of the grids and lists of a picture, by action number; reads the labels and nothing else. */
function symbolsOf(picture: string): Map<number, string> {
  const symbols = new Map<number, string>()
  let columns: number[] = []
  for (const line of picture.split('\n')) {
    const header = /^ +\+((?: +\d+)+)$/.exec(line)
    const row = /^ *(\d+)((?: {2,3}| )(?: ?[a-z])+)$/.exec(line)
    const single = /^ *(\d+) {2}([a-z]) {2}\S/.exec(line)
    if (header) columns = header[1]!.trim().split(/ +/).map(Number)
    else if (single) symbols.set(Number(single[1]), single[2]!)
    else if (row) {
      const letters = row[2]!.trim().split(' ')
      expect(letters.length).toBe(columns.length)
      letters.forEach((letter, i) => {
        symbols.set(Number(row[1]) + columns[i]!, letter)
      })
    }
  }
  return symbols
}

describe('the picture of a mask', () => {
  it.each([...GAMES, ladder])('of $id shows every action once, with the letter of its reason', (game) => {
    const made = defaultGame(game)
    const letters = new Set<string>()
    for (const seed of ['1', '2', '3']) {
      const played = playRandomly(made, seed, 60)
      for (const ply of [0, played.length >> 1, played.length]) {
        const actions = inspectActions(made.instance, stateAfter(made, seed, played.slice(0, ply)))
        const picture = maskPicture(actions, made.instance.maskLayout)
        const legend = new Map(
          [...picture.matchAll(/^([a-z]) ([a-z_]+)( \(\d+ of \d+\))?$/gm)].map((m) => [m[1]!, m[2]!]),
        )
        const symbols = symbolsOf(picture)
        expect(symbols.size).toBe(made.instance.numActions)
        for (const { action, legal, reason } of actions) {
          const meaning = legend.get(symbols.get(action)!)
          expect(meaning, `action ${action}`).toBe(legal ? 'legal' : reason)
          letters.add(meaning!)
        }
      }
    }
    expect(letters.size).toBeGreaterThan(1)
  })

  it('draws the columns of each rotation', () => {
    const state = stateAfter(stackcraft, '1', [])
    const picture = maskPicture(inspectActions(stackcraft.instance, state), stackcraft.instance.maskLayout)
    const { current } = state as { current: number }
    expect(current).toBe(4)
    expect(picture).toBe(
      [
        'rotation 0',
        '  + 0 1 2 3 4 5 6 7 8 9',
        '0   o o o o o o o o u u',
        '',
        'rotation 1',
        '   + 0 1 2 3 4 5 6 7 8 9',
        '10   o o o o o o o o o u',
        '',
        'rotation 2',
        '   + 0 1 2 3 4 5 6 7 8 9',
        '20   n n n n n n n n n n',
        '',
        'rotation 3',
        '   + 0 1 2 3 4 5 6 7 8 9',
        '30   n n n n n n n n n n',
        '',
        'o legal (17 of 40)',
        'u out_of_bounds',
        'n no_such_rotation',
      ].join('\n'),
    )
  })
})

describe('blockloom inspect', () => {
  it.each(['Stackcraft-v1', 'stackcraft', 'blockloom/Stackcraft-v1'])(
    'knows the game by the name %s',
    (name) => {
      const { status, stdout } = runCli(['inspect', name, '--seed', '1'])
      expect(status).toBe(0)
      expect(stdout).toMatch(/^Stackcraft-v1 after 0 actions\n\n\.{10}\n/)
      expect(stdout).toContain('o legal (17 of 40)')
    },
  )

  it('prints JSON that agrees with the game, without the seed', () => {
    const { stdout } = runCli(['inspect', 'lumenblocks', '--seed', '123454321', '--step', '5', '--json'])
    const json = JSON.parse(stdout) as { actionMask: number[]; actions: { legal: boolean; reason: string }[] }
    expect(json).toMatchObject({ gameId: 'LumenBlocks-v1', ply: 5, gameOver: false })
    expect(json.actions.map(({ legal }) => (legal ? 1 : 0))).toEqual(json.actionMask)
    expect(json.actionMask.length).toBe(192)
    for (const { legal, reason } of json.actions) expect(reason === '').toBe(legal)
    expect(stdout).not.toContain('123454321')
  })

  it('stands at any ply of a replay', () => {
    const actions = playRandomly(stackcraft, '5', 20)
    const file = temporaryFile('r.json', `${saveReplay(stackcraft, { seed: '5', replay: {}, actions })}\n`)
    for (const ply of [0, 7, 20]) {
      const state = stateAfter(stackcraft, '5', actions.slice(0, ply))
      const { stdout } = runCli(['inspect', 'stackcraft', '--replay', file, '--step', String(ply)])
      expect(stdout).toContain(stackcraft.instance.encoder.renderText(state).trimEnd())
    }
    expect(runCli(['inspect', '--replay', file]).stdout).toMatch(/after 20 actions/)
    expect(runCli(['inspect', 'hourloom', '--replay', file]).status).toBe(2)
    expect(runCli(['inspect', 'stackcraft', '--replay', file, '--step', '21']).stderr).toMatch(/0 to 20/)
    const colourless = runCli(['inspect', '--replay', file, '--config', 'cells=occupancy'])
    expect(colourless.stdout).toMatch(/^[.#]{10}$/m)
  })

  it.each([
    [[], /which game/],
    [['chess'], /no game "chess"/],
    [['stackcraft', '--seed', '007'], /--seed/],
    [['stackcraft', '--config', 'cells'], /KEY=VALUE/],
    [['stackcraft', '--config', 'cells=round'], /colours, occupancy/],
    [['stackcraft', '--step', '-1'], /--step/],
    [['stackcraft', '--step', '100000'], /game is over after/],
    [['stackcraft', 'twice'], /no argument "twice"/],
    [['stackcraft', '--luck'], /--luck/],
    [['stackcraft', '--replay', '/no/such/file'], /cannot read/],
  ])('refuses %j in one line', (args, says) => {
    const { status, stdout, stderr } = runCli(['inspect', ...args])
    expect(status).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(says)
    expect(stderr.trimEnd().split('\n').length).toBe(1)
  })
})
