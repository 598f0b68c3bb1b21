import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { BestScores, bestScoresFile } from '../../src/command/play/best-scores.ts'
import { GAMES } from '../../src/games/registry.ts'
import type { ReplayGame } from '../../src/replay/format.ts'
import { verifyReplay } from '../../src/replay/verify.ts'
import { defaultGame, playRandomly, stateAfter } from '../replay/random-play.ts'
import { SERVER } from '../transport/connect.ts'

const DRIVER = fileURLToPath(new URL('terminal_driver.py', import.meta.url))
const ARROWS = { up: '\x1b[A', down: '\x1b[B', right: '\x1b[C', left: '\x1b[D' }
/** What gives a terminal back: the cursor, and the screen as it was before. */
const LEAVE = '\x1b[?25h\x1b[?1049l'

type Press = { keys: string; until?: string } | { signal: number } | { stopped: true }

interface Seen {
  readonly code: number
  /** The screen at the start and after each press. */
  readonly frames: readonly (readonly string[])[]
  /** Whether the terminal's settings are as they were. */
  readonly restored: boolean
  readonly seen: string
}

/** Plays in a terminal of 80x24. */
function playInTerminal(args: readonly string[], presses: readonly Press[], env: object = {}): Seen {
  const command = [process.execPath, SERVER, 'play', ...args]
  const input = JSON.stringify({
    command,
    env: { XDG_DATA_HOME: newFolder(), NO_COLOR: '', ...env },
    presses,
  })
  const { status, stdout, stderr } = spawnSync('python3', [DRIVER], {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as Seen
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'blockloom-'))
}

/** The terminal is as it was, and nothing was drawn after it was given back. */
function expectLeft({ restored, seen }: Seen): void {
  expect(restored).toBe(true)
  const end = seen.lastIndexOf(LEAVE)
  expect(end).toBeGreaterThan(0)
  expect(seen.slice(end + LEAVE.length)).not.toContain('\x1b')
}

function expectFits({ frames }: Seen): void {
  for (const frame of frames) {
    expect(frame.length).toBeLessThanOrEqual(24)
    for (const text of frame) expect(text.length).toBeLessThanOrEqual(80)
  }
}

/** The keys that play actions: for one of a grid, its digit, then all the way to the corner and out to its place. */
function keysFor({ instance }: ReplayGame, actions: readonly number[]): string {
  const press = (action: number) => {
    const own = instance.keys?.find((binding) => binding.action === action)
    if (own !== undefined)
      return Object.hasOwn(ARROWS, own.key) ? ARROWS[own.key as keyof typeof ARROWS] : own.key
    const index = instance.maskLayout!.findIndex(
      (g) => action >= g.first && action < g.first + g.rows * g.cols,
    )
    const { first, rows, cols } = instance.maskLayout![index]!
    const [row, col] = [Math.floor((action - first) / cols), (action - first) % cols]
    const corner = ARROWS.up.repeat(rows - 1) + ARROWS.left.repeat(cols - 1)
    return `${index + 1}${corner}${ARROWS.down.repeat(row)}${ARROWS.right.repeat(col)}\r`
  }
  return actions.map(press).join('')
}

function load(file: string) {
  const verdict = verifyReplay(readFileSync(file, 'utf8').trimEnd(), GAMES)
  if (!verdict.ok) throw new Error(verdict.fault.message)
  return verdict.replay
}

describe('blockloom play in a terminal', () => {
  it.each(GAMES)('plays $id from start to end with keys, and keeps the score', (game) => {
    const made = defaultGame(game)
    const actions = playRandomly(made, '3', 100_000)
    const final = made.instance.encoder.renderText(stateAfter(made, '3', actions)).trimEnd()
    const XDG_DATA_HOME = newFolder()
    const save = join(newFolder(), 'game.json')
    const presses = [{ keys: keysFor(made, actions), until: 'Game over' }, { keys: 'q' }]
    const seen = playInTerminal([game.id, '--seed', '3', '--save', save], presses, { XDG_DATA_HOME })
    expect(seen.code).toBe(0)
    expectLeft(seen)
    expectFits(seen)
    const replay = load(save)
    expect(replay).toMatchObject({ seed: '3', actions, summary: { terminal: true } })
    const { score } = replay.summary
    const end = seen.frames[1]!.join('\n')
    expect(end).toContain(`Game over with ${score} point`)
    // How it ended, with the names of pieces without a place, is told on lines of their own, broken at spaces.
    for (const word of final.split('\n').at(-1)!.split(' ')) expect(end).toContain(word)
    const best = JSON.parse(readFileSync(join(XDG_DATA_HOME, 'blockloom', 'best-scores.json'), 'utf8'))
    expect(best).toEqual({ [game.id]: score })
  })

  const made = defaultGame(GAMES[0]!)
  const actions = playRandomly(made, '8', 6)

  it('shows the best score so far', () => {
    const XDG_DATA_HOME = newFolder()
    const file = new BestScores(bestScoresFile({ XDG_DATA_HOME }))
    file.offer(made.game.id, 4321)
    const seen = playInTerminal([made.game.id, '--seed', '4'], [{ keys: 'q' }], { XDG_DATA_HOME })
    expect(seen.frames[0]![0]).toContain('best 4321')
  })

  it('saves when leaving, goes on later, and takes actions back', () => {
    const save = join(newFolder(), 'game.json')
    const { id } = made.game
    playInTerminal([id, '--seed', '8', '--save', save], [{ keys: `${keysFor(made, actions)}q` }])
    expect(load(save).actions).toEqual(actions)
    const later = playInTerminal(
      ['--load', save, '--save', save],
      [{ keys: 'uu', until: 'pieces 4' }, { keys: 'q' }],
    )
    expect(later.frames[0]![0]).toContain('pieces 6')
    expect(load(save).actions).toEqual(actions.slice(0, 4))
  })

  it('draws no colour when asked not to, and nothing but plain characters', () => {
    const plain = playInTerminal([made.game.id, '--no-color'], [{ keys: 'q' }])
    const ESCAPES = ['\x1b[K', '\x1b[H', '\x1b[J', LEAVE, '\x1b[?1049h\x1b[?25l']
    expect(ESCAPES.reduce((text, code) => text.replaceAll(code, ''), plain.seen)).not.toContain('\x1b')
    expect(plain.frames[0]!.join('\n')).toContain('[]')
    expect(playInTerminal([made.game.id], [{ keys: 'q' }], { NO_COLOR: '1' }).seen).not.toContain('\x1b[1m')
    expect(playInTerminal([made.game.id], [{ keys: 'q' }]).seen).toContain('\x1b[1m')
  })

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const)('gives the terminal back and saves on %s', (name, code) => {
    const save = join(newFolder(), 'game.json')
    const args = [made.game.id, '--seed', '8', '--save', save]
    const presses = [{ keys: keysFor(made, actions), until: 'pieces 6' }, { signal: constants.signals[name] }]
    const seen = playInTerminal(args, presses)
    expect(seen.code).toBe(code)
    expectLeft(seen)
    expect(load(save).actions).toEqual(actions)
  })

  it('gives the terminal back while it is stopped, and goes on afterwards', () => {
    const seen = playInTerminal(
      [made.game.id],
      [
        { keys: '\x1a' },
        { stopped: true },
        { signal: constants.signals.SIGCONT },
        { keys: 'u', until: 'nothing to take back' },
        { keys: 'q' },
      ],
    )
    expect(seen.code).toBe(0)
    expectLeft(seen)
  })

  it('gives the terminal back on control-C, and when the game cannot be saved', () => {
    expectLeft(playInTerminal([made.game.id], [{ keys: '\x03' }]))
    const lost = playInTerminal(
      [made.game.id, '--save', '/no/such/folder/game.json'],
      [{ keys: 's', until: 'cannot save' }, { keys: 'q' }],
    )
    expectLeft(lost)
    expect(lost.seen.slice(lost.seen.lastIndexOf(LEAVE))).toContain(
      'cannot save to /no/such/folder/game.json',
    )
  })
})
