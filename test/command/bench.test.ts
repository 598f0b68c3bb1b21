import { describe, expect, it } from 'vitest'
import { GAMES } from '../../src/games/registry.ts'
import { runCli } from './run-cli.ts'

interface Rate {
  gameId: string
  rows: number
  packed: boolean
  steps: number
  seconds: number
}

describe('blockloom bench', () => {
  it('measures every game in both encodings', () => {
    const { status, stdout } = runCli(['bench', '--rows', '8', '--ms', '20', '--json'])
    expect(status).toBe(0)
    const rates = stdout
      .trim()
      .split('\n')
      .flatMap((line) => JSON.parse(line) as Rate[])
    expect(rates.map(({ gameId, packed }) => `${gameId} ${packed}`)).toEqual(
      GAMES.flatMap(({ id }) => [`${id} true`, `${id} false`]),
    )
    for (const { rows, steps, seconds } of rates) {
      expect(rows).toBe(8)
      expect(steps % 8).toBe(0)
      expect(steps).toBeGreaterThan(0)
      expect(seconds).toBeGreaterThanOrEqual(0.02)
    }
  })

  it('prints a table of one game', () => {
    const { status, stdout } = runCli([
      'bench',
      'stackcraft',
      '--ms',
      '5',
      '--rows',
      '2',
      '--config',
      'cells=occupancy',
    ])
    expect(status).toBe(0)
    const [head, line, ...rest] = stdout.trim().split('\n')
    expect(head).toMatch(/^game +rows +packed +dense$/)
    expect(line).toMatch(/^Stackcraft-v1 +2( +[\d,]+\/s){2}$/)
    expect(rest).toEqual([])
  })

  it.each([
    [['bench', 'tetris'], /there is no game "tetris"/],
    [['bench', '--rows', '0'], /--rows is "0"; allowed: an integer from 1 to 65536/],
    [['bench', 'stackcraft', '--config', 'gravity=1'], /gravity/],
  ])('refuses %j', (args, message) => {
    const { status, stderr } = runCli(args)
    expect(status).toBe(2)
    expect(stderr).toMatch(message)
  })
})
