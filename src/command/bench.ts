import { VectorEnv } from '../env/vector-env.ts'
import { GAMES } from '../games/registry.ts'
import type { ReplayGame } from '../replay/format.ts'
import { type Arguments, type Command, declareCommand } from './command.ts'
import { CONFIG_OPTION, configuredGame, gameOfArgument } from './game-argument.ts'
import { print } from './print.ts'

const DEFAULT_ROWS = 1024
const DEFAULT_MS = 1000

/** `blockloom bench`. */
export const benchCommand: Command = declareCommand({
  name: 'bench',
  usage: '[GAME] [OPTIONS]',
  maxPositionals: 1,
  summary: 'measure how many steps a second this machine plays, without a transport',
  options: {
    rows: { value: 'N', help: [`rows of the batch, 1 to 65536 (default ${DEFAULT_ROWS})`] },
    ms: { value: 'T', help: [`milliseconds of each measurement, 1 to 60000 (default ${DEFAULT_MS})`] },
    json: { help: ['print one JSON array a game: packed, then dense'] },
    config: CONFIG_OPTION,
  },
  notes: [
    'Every row plays legal actions that are drawn, and begins another game when one is over.',
    'The time is that of stepping with masks and observations written, without the drawing.',
  ],
  run: bench,
})

/** One measurement. */
interface Rate {
  readonly gameId: string
  readonly rows: number
  readonly packed: boolean
  readonly steps: number
  readonly seconds: number
}

async function bench(given: Arguments): Promise<number> {
  const [name] = given.positionals
  const games = name === undefined ? GAMES : [gameOfArgument(name, GAMES)]
  const rows = given.integer('rows', 1, 65_536) ?? DEFAULT_ROWS
  const milliseconds = given.integer('ms', 1, 60_000) ?? DEFAULT_MS
  const made = games.map((game) => configuredGame(game, given.texts('config')))
  if (!given.flag('json'))
    print(`${'game'.padEnd(20)}${'rows'.padStart(8)}${'packed'.padStart(14)}${'dense'.padStart(14)}\n`)
  for (const game of made) {
    const packed = measure(game, rows, true, milliseconds)
    const dense = measure(game, rows, false, milliseconds)
    if (given.flag('json')) print(`${JSON.stringify([packed, dense])}\n`)
    else
      print(`${game.game.id.padEnd(20)}${String(rows).padStart(8)}${perSecond(packed)}${perSecond(dense)}\n`)
  }
  return 0
}

function perSecond({ steps, seconds }: Rate): string {
  return `${Math.round(steps / seconds).toLocaleString('en-US')}/s`.padStart(14)
}

/** Plays for a fifth of the time unmeasured, and then for the time. */
function measure({ game, instance }: ReplayGame, rows: number, packed: boolean, milliseconds: number): Rate {
  const env = new VectorEnv(instance, {
    numEnvs: rows,
    maxEpisodeSteps: 0,
    autoresetMode: 'same_step',
    illegalAction: 'refuse',
    reward: 'score',
    packed,
    record: false,
  })
  env.reset(Array.from({ length: rows }, (_, row) => ({ seed: String(row), episode: 0 })))
  const actions = new Int32Array(rows)
  const draw = createDraw()
  let steps = 0
  let spent = 0
  const play = (budget: number) => {
    steps = 0
    spent = 0
    while (spent < budget) {
      for (let row = 0; row < rows; row++) actions[row] = drawLegal(env, row, draw)
      const start = performance.now()
      env.step(actions)
      spent += performance.now() - start
      steps += rows
    }
  }
  play(milliseconds / 5)
  play(milliseconds)
  return { gameId: game.id, rows, packed, steps, seconds: spent / 1000 }
}

/** A legal action, each equally likely: drawn until one is legal, as one always is where rows reset themselves. */
function drawLegal(env: VectorEnv, row: number, draw: (n: number) => number): number {
  for (;;) {
    const action = draw(env.instance.numActions)
    if (env.isLegal(row, action)) return action
  }
}

/** A small generator (Numerical Recipes' linear congruential one), good enough to pick actions by. */
function createDraw(): (n: number) => number {
  let state = 1
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
}
