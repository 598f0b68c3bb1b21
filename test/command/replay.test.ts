import { spawn, spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { GAMES } from '../../src/games/registry.ts'
import { saveReplay } from '../../src/replay/save.ts'
import { defaultGame, legalActions, playRandomly, stateAfter } from '../replay/random-play.ts'
import { SERVER } from '../transport/connect.ts'
import { runCli, temporaryFile } from './run-cli.ts'

const made = defaultGame(GAMES.at(-1)!)
const actions = playRandomly(made, '11', 25)
const text = saveReplay(made, { seed: '11', replay: {}, actions })
const file = temporaryFile('replay.json', text)

describe('blockloom replay', () => {
  it('verifies a file or standard input', () => {
    const ok = /^ok: \S+-v1, 25 actions, score \d+, .*terminal false\n$/
    expect(runCli(['replay', 'verify', file])).toMatchObject({ status: 0, stdout: expect.stringMatching(ok) })
    expect(runCli(['replay', 'verify', '-'], text)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(ok),
    })
    const forged = temporaryFile('forged.json', text.replace('"terminal":false', '"terminal":0'))
    const verdict = runCli(['replay', 'verify', forged])
    expect(verdict).toMatchObject({ status: 1, stderr: '' })
    expect(verdict.stdout).toMatch(/^summary_mismatch: final\.terminal/)
  })

  it.each([
    ['verify', ['replay', 'verify', '/dev/zero']],
    ['show', ['replay', 'show', '/dev/zero']],
    ['inspect', ['inspect', '--replay', '/dev/zero']],
  ])('reads no more than a replay may hold from a device without an end: %s', (_, args) => {
    expect(runCli(args)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/cannot read \/dev\/zero: it is larger than \d+ bytes/),
    })
  })

  it('reads no more than a replay may hold from a pipe without an end', () => {
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', 'cat /dev/zero | "$0" "$1" replay verify -', process.execPath, SERVER],
      {
        encoding: 'utf8',
      },
    )
    expect(status).toBe(2)
    expect(stderr).toMatch(/cannot read -: it is larger than \d+ bytes/)
  })

  it('shows one position or all', () => {
    const at = (ply: number) =>
      made.instance.encoder.renderText(stateAfter(made, '11', actions.slice(0, ply))).trimEnd()
    expect(runCli(['replay', 'show', file]).stdout).toBe(`after 25 actions\n${at(25)}\n\n`)
    expect(runCli(['replay', 'show', file, '--step', '3']).stdout).toContain(at(3))
    const all = runCli(['replay', 'show', file, '--all']).stdout
    expect(all.match(/^after \d+ actions/gm)!.length).toBe(26)
    for (const ply of [0, 12, 25]) expect(all).toContain(`${at(ply)}\n\n`)
  })

  it('exports every position as a line of JSON', () => {
    const lines = runCli(['replay', 'export', file])
      .stdout.trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.length).toBe(26)
    let score = 0
    lines.forEach((line, ply) => {
      expect(line).toMatchObject({ ply, gameOver: false })
      expect(line.action).toBe(actions[ply])
      expect(line.legalActions).toEqual(legalActions(made, stateAfter(made, '11', actions.slice(0, ply))))
      score += line.reward ?? 0
    })
    expect(`"final":{"score":${score},`).toBe(/"final":\{"score":\d+,/.exec(text)![0])
  })

  it('ends quietly when its reader does', async () => {
    const long = defaultGame(GAMES[0]!)
    const game = saveReplay(long, { seed: '1', replay: {}, actions: playRandomly(long, '1', 1000) })
    const child = spawn(process.execPath, [SERVER, 'replay', 'export', temporaryFile('long.json', game)])
    let errors = ''
    child.stderr.on('data', (bytes) => {
      errors += String(bytes)
    })
    child.stdout.destroy()
    const code = await new Promise((resolve) => child.once('close', resolve))
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
  })

  it.each([
    [[]],
    [['watch', file]],
    [['verify']],
    [['show', '/no/such/file']],
    [['show', file, '--step', '26']],
  ])('refuses %j', (args) => {
    expect(runCli(['replay', ...args])).toMatchObject({ status: 2, stdout: '' })
  })
})
