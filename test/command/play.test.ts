import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BestScores, bestScoreKey, bestScoresFile } from '../../src/command/play/best-scores.ts'
import { COMMON_KEYS, Controller } from '../../src/command/play/controller.ts'
import { PlayedGame } from '../../src/command/play/played-game.ts'
import { render } from '../../src/command/play/style.ts'
import type { Game } from '../../src/env/game.ts'
import { GAMES } from '../../src/games/registry.ts'
import { seeded } from '../../src/random/seeded.ts'
import { ladder } from '../env/ladder-game.ts'
import { defaultGame, pick, playRandomly } from '../replay/random-play.ts'
import { runCli } from './run-cli.ts'

const games = [...GAMES, ladder]
const gridded = GAMES.filter((game) => defaultGame(game).instance.maskLayout)

function start(game: Game, seed: string, actions: readonly number[] = []) {
  const played = new PlayedGame(defaultGame(game), seed, {}, actions)
  const kept: number[] = []
  const host = { best: undefined, keepBest: (score: number) => kept.push(score), save: undefined }
  const controller = new Controller(played, host)
  return {
    played,
    kept,
    controller,
    screen: (colour = false) => controller.lines(80, 24).map((spans) => render(spans, colour)),
    press: (...keys: string[]) => keys.map((key) => controller.press(key)).at(-1),
  }
}

describe('the screen', () => {
  it.each(games)('of $id fits into 80x24 whatever is pressed', (game) => {
    const random = seeded(game.id)
    const keys = [
      'up',
      'down',
      'left',
      'right',
      'tab',
      'shift-tab',
      '1',
      '2',
      '3',
      '4',
      'enter',
      'space',
      'u',
      '?',
      'x',
      's',
    ]
    const { press, screen, played } = start(game, '5')
    const own = (played.made.instance.keys ?? []).map(({ key }) => key)
    for (let i = 0; i < 600; i++) {
      press(pick(random, [...keys, ...own]))
      const lines = screen()
      expect(lines.length).toBeLessThanOrEqual(24)
      for (const text of lines) expect(text.length).toBeLessThanOrEqual(80)
    }
  })

  it.each(gridded)('of $id shows a ghost of the landing, and says what it scores', (game) => {
    const { screen, played } = start(game, '5')
    const text = screen().join('\n')
    const name = /^(\S+): \d+ points?/m.exec(text)![1]
    const { instance } = played.made
    const action = Array.from({ length: instance.numActions }, (_, a) => a).find(
      (a) => instance.native.name(a) === name,
    )!
    const cells = instance.placement!(played.state, action)!.cells
    expect(text.match(/\[\]/g)!.length).toBe(cells.length)
    for (const { row, col } of cells) expect(screen()[1 + row]!.slice(col * 2, col * 2 + 2)).toBe('[]')
  })

  it.each(gridded)('of $id marks the lines that would be cleared, no more and no fewer', (game) => {
    const { instance } = defaultGame(game)
    let seen = 0
    for (let seed = 0; seen < 3 && seed < 200; seed++) {
      const actions = playRandomly(defaultGame(game), String(seed), 1000)
      const state = instance.rules.createState()
      instance.rules.reset(state, String(seed))
      for (const [ply, action] of actions.entries()) {
        const board = instance.afterstates!.board.shape
        const after = instance.afterstates!.after(state, action, new Uint8Array(board[0]! * board[1]!))
        if (after !== undefined && after.lines > 0) {
          const { controller, screen, press } = start(game, String(seed), actions.slice(0, ply))
          pointAt(press, instance, action)
          const [rows, cols] = board as [number, number]
          const marked = screen()
            .slice(1, 1 + rows)
            .map((text) => text.slice(0, cols * 2).match(/../g)!)
          const isMarked = (cell: string | undefined) => cell === '[]' || cell?.startsWith('=') === true
          const fullRows = marked.filter((cells) => cells.length === cols && cells.every(isMarked)).length
          const fullCols = Array.from({ length: cols }, (_, c) => marked.every((cells) => isMarked(cells[c])))
          expect(fullRows + fullCols.filter(Boolean).length).toBe(after.lines)
          expect(screen().join('\n')).toContain(`clears ${after.lines} line`)
          expect(
            controller
              .lines(80, 24)
              .flat()
              .some(({ meaning }) => meaning === 'clearing'),
          ).toBe(true)
          seen++
        }
        instance.rules.step(state, action)
      }
    }
    expect(seen).toBeGreaterThanOrEqual(3)
  })

  it.each(gridded)('of $id fades what has no place and says so', (game) => {
    const actions = playRandomly(defaultGame(game), '5', 100_000)
    const { screen, controller } = start(game, '5', actions)
    expect(screen().join('\n')).toMatch(/no place/)
    const faded = controller
      .lines(80, 24)
      .flat()
      .filter(({ meaning }) => meaning === 'faded')
    expect(faded.some(({ text }) => text.includes('no place') || text.includes('-'))).toBe(true)
  })
})

function pointAt(
  press: (...keys: string[]) => unknown,
  instance: ReturnType<typeof defaultGame>['instance'],
  action: number,
) {
  const index = instance.maskLayout!.findIndex((g) => action >= g.first && action < g.first + g.rows * g.cols)
  const { first, rows, cols } = instance.maskLayout![index]!
  press(String(index + 1))
  for (let i = 0; i < rows; i++) press('up')
  for (let i = 0; i < cols; i++) press('left')
  for (let i = 0; i < Math.floor((action - first) / cols); i++) press('down')
  for (let i = 0; i < (action - first) % cols; i++) press('right')
}

describe('keys', () => {
  it.each(GAMES)('of $id are no common ones, and each action can be reached', (game) => {
    const { instance } = defaultGame(game)
    const own = (instance.keys ?? []).map(({ key }) => key)
    const taken = instance.maskLayout
      ? [...COMMON_KEYS, 'up', 'down', 'left', 'right', '1', '2', '3', '4']
      : COMMON_KEYS
    for (const key of own) expect(taken).not.toContain(key)
    expect(new Set(own).size).toBe(own.length)
    const reached = new Set((instance.keys ?? []).map(({ action }) => action))
    for (const { first, rows, cols } of instance.maskLayout ?? []) {
      for (let i = 0; i < rows * cols; i++) reached.add(first + i)
    }
    expect(reached.size).toBe(instance.numActions)
  })

  it('that ask for an illegal action change nothing and tell the reason', () => {
    const { press, screen, played } = start(gridded[1]!, '5')
    press('enter', 'left')
    const { length } = played
    const before = played.toReplay()
    for (let i = 0; i < 20 && !screen().join('\n').includes('Refused'); i++) press('1', 'up', 'left', 'enter')
    expect(screen().join('\n')).toMatch(/Refused, \S+ \((slot_empty|cell_occupied)\): /)
    for (let i = 0; i < played.length - length; i++) press('u')
    expect(played.toReplay()).toBe(before)
  })

  it('take actions back, to the start and no further', () => {
    const { press, screen, played } = start(ladder, '1')
    expect(press('u')).toBe(false)
    expect(screen().join('\n')).toContain('nothing to take back')
    expect(played.length).toBe(0)
    expect(press('q')).toBe(true)
    expect(press('ctrl-c')).toBe(true)
  })

  it('that end the game keep its score, which no undo takes away', () => {
    const game = gridded[0]!
    const actions = playRandomly(defaultGame(game), '5', 100_000)
    const { press, screen, played, kept } = start(game, '5', actions.slice(0, -1))
    expect(kept).toEqual([])
    pointAt(press, played.made.instance, actions.at(-1)!)
    press('enter')
    expect(played.isOver).toBe(true)
    expect(kept).toEqual([played.summary.score])
    expect(screen().join('\n')).toContain('Game over')
    press('u')
    expect(played.isOver).toBe(false)
    expect(screen().join('\n')).not.toContain('Game over')
  })
})

describe('best scores', () => {
  const folder = mkdtempSync(join(tmpdir(), 'blockloom-'))

  it('are kept in the data folder of the user', () => {
    expect(bestScoresFile({ XDG_DATA_HOME: '/data' })).toBe('/data/blockloom/best-scores.json')
    expect(bestScoresFile({ XDG_DATA_HOME: 'relative' })).toMatch(
      /\/\.local\/share\/blockloom\/best-scores\.json$/,
    )
    expect(bestScoresFile({})).toMatch(/\/\.local\/share\//)
  })

  it('only ever rise, one for each game and configuration', () => {
    const file = join(folder, 'new', 'best.json')
    const scores = new BestScores(file)
    const made = defaultGame(GAMES.at(-1)!)
    const other = bestScoreKey({ ...made, config: { ...made.config, start_chamber: 5 } })
    expect(bestScoreKey(made)).toBe(made.game.id)
    expect(other).toBe(`${made.game.id} start_chamber=5`)
    for (const score of [5, 3, 9, 8]) scores.offer(made.game.id, score)
    scores.offer(other, 1)
    expect(new BestScores(file).get(made.game.id)).toBe(9)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ [made.game.id]: 9, [other]: 1 })
  })

  it('do without a file that is broken or cannot be written', () => {
    const file = join(folder, 'broken.json')
    writeFileSync(file, '{"Stackcraft-v1":"many","__proto__":5')
    const scores = new BestScores(file)
    expect(scores.get('Stackcraft-v1')).toBeUndefined()
    scores.offer('Stackcraft-v1', 7)
    expect(scores.get('Stackcraft-v1')).toBe(7)
    mkdirSync(join(folder, 'folder'))
    const nowhere = new BestScores(join(folder, 'folder'))
    nowhere.offer('Stackcraft-v1', 7)
    expect(nowhere.get('Stackcraft-v1')).toBeUndefined()
  })
})

describe('blockloom play', () => {
  it.each([
    [['stackcraft'], /needs a terminal/],
    [[], /which game/],
    [['stackcraft', '--daily', 'today'], /no game of the day/],
    [['blockpuzzle8', '--daily', '2026-02-30'], /YYYY-MM-DD/],
    [['blockpuzzle8', '--daily', 'today', '--seed', '1'], /not both/],
    [['stackcraft', '--load', '/no/such/file'], /cannot read/],
    [['stackcraft', '--seed', 'seven'], /--seed/],
  ])('refuses %j', (args, says) => {
    expect(runCli(['play', ...args])).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(says),
    })
  })
})
