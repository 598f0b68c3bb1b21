import { isSeed } from '../env/seeds.ts'
import { GAMES } from '../games/registry.ts'
import { seeded } from '../random/seeded.ts'
import type { ReplayGame } from '../replay/format.ts'
import { StartError } from '../transport/listen-address.ts'
import { type Arguments, type Command, declareCommand } from './command.ts'
import { drawActions } from './drawn-player.ts'
import { CONFIG_OPTION, configuredGame, gameOfArgument } from './game-argument.ts'
import { inspectActions, maskPicture } from './inspection.ts'
import { print } from './print.ts'
import { loadReplayFile } from './replay-file.ts'

/** `blockloom inspect`. */
export const inspectCommand: Command = declareCommand({
  name: 'inspect',
  usage: 'GAME [OPTIONS]',
  maxPositionals: 1,
  summary: 'print a position and its action mask as a picture, with the reasons',
  options: {
    seed: { value: 'N', help: ['the game’s seed (default 0)'] },
    replay: { value: 'FILE', help: ['a replay in place of a seed; - for standard input'] },
    step: {
      value: 'K',
      help: [
        'the position after K actions: of the replay (default all), or else of a',
        'player that draws legal actions, the same ones every time (default 0)',
      ],
    },
    json: { help: ['print one JSON object'] },
    config: CONFIG_OPTION,
  },
  run: inspect,
})

interface Position extends ReplayGame {
  readonly state: unknown
  readonly ply: number
}

async function inspect(given: Arguments): Promise<number> {
  const file = given.text('replay')
  const position = file === undefined ? positionOfSeed(given) : positionOfReplay(given, file)
  print(`${given.flag('json') ? toJson(position) : toText(position)}\n`)
  return 0
}

function toText({ game, instance, state, ply }: Position): string {
  const text = instance.encoder.renderText(state).trimEnd()
  return `${game.id} after ${ply} actions\n\n${text}\n\n${maskPicture(inspectActions(instance, state), instance.maskLayout)}`
}

function toJson({ game, config, instance, state, ply }: Position): string {
  const actions = inspectActions(instance, state)
  return JSON.stringify({
    gameId: game.id,
    config,
    ply,
    gameOver: instance.rules.isTerminal(state),
    text: instance.encoder.renderText(state),
    actionMask: actions.map(({ legal }) => (legal ? 1 : 0)),
    actions,
  })
}

function positionOfReplay(given: Arguments, file: string): Position {
  if (given.text('seed') !== undefined) throw new StartError('give --seed or --replay, not both')
  const replay = loadReplayFile(file, GAMES)
  const [name] = given.positionals
  if (name !== undefined && gameOfArgument(name, GAMES) !== replay.game) {
    throw new StartError(`${file} is a replay of ${replay.game.id}`)
  }
  const texts = given.texts('config')
  if (texts.length > 0 && !replay.game.replayOmitsConfig) {
    throw new StartError('the replay holds the configuration; leave --config out')
  }
  const made = texts.length > 0 ? configuredGame(replay.game, texts) : replay
  const ply = given.integer('step', 0, replay.actions.length) ?? replay.actions.length
  const state = made.instance.rules.createState()
  made.instance.rules.reset(state, replay.seed)
  for (const action of replay.actions.slice(0, ply)) made.instance.rules.step(state, action)
  return { game: made.game, config: made.config, instance: made.instance, state, ply }
}

function positionOfSeed(given: Arguments): Position {
  const made = configuredGame(gameOfArgument(given.positionals[0], GAMES), given.texts('config'))
  const seed = given.text('seed') ?? '0'
  if (!isSeed(seed)) throw new StartError('--seed is no integer of at most 64 digits, such as 7 or -12')
  const steps = given.integer('step', 0, 1_000_000) ?? 0
  const { rules } = made.instance
  const state = rules.createState()
  rules.reset(state, seed)
  const actions = drawActions(made, seed, steps, seeded('inspect'), steps)
  if (actions.length < steps) throw new StartError(`the game is over after ${actions.length} actions`)
  for (const action of actions) rules.step(state, action)
  return { ...made, state, ply: steps }
}
