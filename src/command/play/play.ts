import { writeFileSync } from 'node:fs'
import { isSeed } from '../../env/seeds.ts'
import { GAMES } from '../../games/registry.ts'
import type { ReplayGame } from '../../replay/format.ts'
import { createHost } from '../../session/host.ts'
import { StartError } from '../../transport/listen-address.ts'
import { type Arguments, type Command, declareCommand } from '../command.ts'
import { CONFIG_OPTION, configuredGame, gameOfArgument } from '../game-argument.ts'
import { loadReplayFile } from '../replay-file.ts'
import { BestScores, bestScoreKey, bestScoresFile } from './best-scores.ts'
import { Controller, type PlayHost } from './controller.ts'
import { PlayedGame } from './played-game.ts'
import { Terminal } from './terminal.ts'

/** `blockloom play`. */
export const playCommand: Command = declareCommand({
  name: 'play',
  usage: 'GAME [OPTIONS]',
  maxPositionals: 1,
  summary: 'play a game in the terminal',
  options: {
    seed: { value: 'N', help: ['the game’s seed (default: a new one)'] },
    daily: { value: 'DATE', help: ['the game of a day, today or YYYY-MM-DD, where the game has one'] },
    load: { value: 'FILE', help: ['go on with a saved game'] },
    save: { value: 'FILE', help: ['save the game when leaving, and with s, to go on later'] },
    config: CONFIG_OPTION,
    'no-color': { help: ['draw without colours, as with NO_COLOR in the environment'] },
  },
  notes: [
    'The arrows move the piece, tab and the digits choose another piece or rotation, enter places it. The',
    'board shows where it lands ([]), the lines that it clears (=), and what is in its way (xx).',
  ],
  run: play,
})

async function play(given: Arguments): Promise<number> {
  const game = startGame(given)
  if (!process.stdin.isTTY || !process.stdout.isTTY) throw new StartError('play needs a terminal')
  const colour = !given.flag('no-color') && !process.env.NO_COLOR
  const terminal = new Terminal(process.stdin, process.stdout, colour)
  const save = saver(given.text('save'))
  try {
    return await playUntilLeft(terminal, controllerOf(game, save))
  } finally {
    terminal.close()
    const fault = save?.(game.toReplay())
    if (fault !== undefined) process.stderr.write(`blockloom: ${fault}\n`)
  }
}

/** Writes the game to a file; returns what went wrong, if anything did. */
function saver(file: string | undefined): PlayHost['save'] {
  if (file === undefined) return undefined
  return (replay) => {
    try {
      writeFileSync(file, `${replay}\n`)
      return undefined
    } catch (error) {
      return `cannot save to ${file}: ${error instanceof Error ? error.message : String(error)}`
    }
  }
}

function controllerOf(game: PlayedGame, save: PlayHost['save']): Controller {
  const scores = new BestScores(bestScoresFile(process.env))
  const key = bestScoreKey(game.made)
  return new Controller(game, {
    get best() {
      return scores.get(key)
    },
    keepBest: (score) => scores.offer(key, score),
    save,
  })
}

/** Resolves to the exit code when the player leaves, the terminal goes away or a signal asks for the end. */
function playUntilLeft(terminal: Terminal, controller: Controller): Promise<number> {
  return new Promise((resolve, reject) => {
    const draw = () => terminal.draw(controller.lines(terminal.columns, terminal.rows))
    let due = false
    // Keys that come in together are drawn once.
    const drawSoon = () => {
      if (due) return
      due = true
      setImmediate(() => {
        due = false
        draw()
      })
    }
    const suspend = () => {
      terminal.close()
      process.kill(process.pid, 'SIGSTOP')
    }
    process.on('SIGTERM', () => resolve(143))
    process.on('SIGHUP', () => resolve(129))
    process.on('SIGINT', () => resolve(130))
    process.on('SIGTSTP', suspend)
    process.on('SIGCONT', () => {
      // Whoever stopped the process may have changed the terminal since.
      terminal.close()
      terminal.open()
      draw()
    })
    process.stdout.on('resize', draw)
    terminal.listen(
      (key) => {
        try {
          if (key === 'ctrl-z') suspend()
          else if (controller.press(key)) resolve(0)
          else drawSoon()
        } catch (error) {
          reject(error)
        }
      },
      () => resolve(0),
    )
    terminal.open()
    draw()
  })
}

function startGame(given: Arguments): PlayedGame {
  const file = given.text('load')
  if (file !== undefined) return loadGame(given, file)
  const made = configuredGame(gameOfArgument(given.positionals[0], GAMES), given.texts('config'))
  const daily = given.text('daily')
  const seed = given.text('seed')
  if (daily !== undefined) return dailyGame(made, daily, seed)
  if (seed !== undefined && !isSeed(seed)) {
    throw new StartError('--seed is no integer of at most 64 digits, such as 7 or -12')
  }
  return new PlayedGame(made, seed ?? createHost().drawSeed())
}

function dailyGame(made: ReplayGame, daily: string, seed: string | undefined): PlayedGame {
  const { resetOptions } = made.instance
  if (!resetOptions?.names.includes('daily')) throw new StartError(`${made.game.id} has no game of the day`)
  if (seed !== undefined) throw new StartError('give --daily or --seed, not both')
  const resolved = resetOptions.resolve({ daily }, Date.now())
  if ('reason' in resolved) throw new StartError(resolved.message)
  return new PlayedGame(made, resolved.seed, resolved.replay)
}

function loadGame(given: Arguments, file: string): PlayedGame {
  for (const option of ['seed', 'daily'])
    if (given.text(option) !== undefined) throw new StartError(`give --load or --${option}, not both`)
  const replay = loadReplayFile(file, GAMES)
  const [name] = given.positionals
  if (name !== undefined && gameOfArgument(name, GAMES) !== replay.game) {
    throw new StartError(`${file} is a game of ${replay.game.id}`)
  }
  const texts = given.texts('config')
  if (texts.length > 0 && !replay.game.replayOmitsConfig) {
    throw new StartError('the saved game holds the configuration; leave --config out')
  }
  const made = texts.length > 0 ? configuredGame(replay.game, texts) : replay
  return new PlayedGame(made, replay.seed, replay.options, replay.actions)
}
