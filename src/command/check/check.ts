import { isSeed } from '../../env/seeds.ts'
import { createHost } from '../../session/host.ts'
import type { GameInfoMessage } from '../../session/message-types.ts'
import { StartError } from '../../transport/listen-address.ts'
import { type Arguments, type Command, declareCommand } from '../command.ts'
import { CONFIG_OPTION, configTexts, gameOfArgument } from '../game-argument.ts'
import { print } from '../print.ts'
import { ADMISSION_OPTIONS, readClientAdmission } from './check-credentials.ts'
import { type CheckReport, checkGame } from './check-game.ts'
import { type ContractClient, grpcClient, inProcessClient, ServerRefusal } from './contract-client.ts'

const DEFAULT_STATES = 50
const MAX_SEED_LENGTH = 60

/** `blockloom check`. */
export const checkCommand: Command = declareCommand({
  name: 'check',
  usage: '[GAME|--all] [OPTIONS]',
  maxPositionals: 1,
  summary: 'hold a server’s action masks to what its steps do',
  options: {
    all: { help: ['every game (the default when none is named)'] },
    server: { value: 'ADDRESS', help: ['a gRPC server, HOST:PORT or unix:PATH (default: this program)'] },
    ...ADMISSION_OPTIONS,
    states: { value: 'N', help: [`positions of each game (default ${DEFAULT_STATES})`] },
    seed: { value: 'N', help: ['the first seed (default 0)'] },
    config: CONFIG_OPTION,
  },
  notes: [
    'In every position, each action is stepped in a row of its own; the mask, Explain, Play and the steps',
    'must agree. Then the masks of batches are followed through resets and ends in each autoreset mode.',
    'Exits with 1 at the first disagreement, after printing the shortest replay found that shows it.',
  ],
  run: check,
})

async function check(given: Arguments): Promise<number> {
  const settings = readSettings(given)
  const server = given.text('server')
  const admission = readClientAdmission(given)
  const client =
    server === undefined
      ? inProcessClient(createHost({ logFault: () => undefined }))
      : grpcClient(server, admission)
  try {
    for (const info of await gamesToCheck(client, given)) {
      const report = await checkGame(client, info, settings)
      print(describe(info.gameId, report))
      if (report.failure !== undefined) return 1
    }
    return 0
  } catch (error) {
    if (error instanceof ServerRefusal) throw new StartError(error.message)
    throw error
  } finally {
    await client.close()
  }
}

function readSettings(given: Arguments) {
  const seed = given.text('seed') ?? '0'
  if (!isSeed(seed) || seed.length > MAX_SEED_LENGTH) {
    throw new StartError(`--seed is no integer of at most ${MAX_SEED_LENGTH} digits, such as 7 or -12`)
  }
  return {
    seed,
    states: given.integer('states', 1, 1_000_000) ?? DEFAULT_STATES,
    config: configTexts(given.texts('config')),
  }
}

async function gamesToCheck(client: ContractClient, given: Arguments): Promise<readonly GameInfoMessage[]> {
  const { games } = await client.call('listGames', {})
  const [name] = given.positionals
  if (name === undefined) return games
  if (given.flag('all')) throw new StartError('name a game or give --all, not both')
  return [
    gameOfArgument(
      name,
      games.map((info) => ({ ...info, id: info.gameId })),
    ),
  ]
}

function describe(gameId: string, { counts, failure }: CheckReport): string {
  const { positions, steps, plays } = counts
  if (failure === undefined) {
    return `${gameId}: ok (${positions} positions, ${steps} steps, ${plays} actions through Play, every autoreset mode)\n`
  }
  return `${gameId}: ${failure.message}\nafter ${failure.actions.length} actions of this replay:\n${failure.replay}\n`
}
