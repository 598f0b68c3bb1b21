import { batchRowBytes } from '../env/batch-buffers.ts'
import { parseConfig, quote } from '../env/config.ts'
import { envError } from '../env/env-error.ts'
import type { Game } from '../env/game.ts'
import type { VectorEnvSettings } from '../env/vector-env.ts'
import type { GameInfoMessage, ListGamesResponse, MakeEnvRequest, MakeEnvResponse } from './message-types.ts'
import {
  AUTORESET_MODES,
  configKeyMessage,
  envSpecMessage,
  ILLEGAL_ACTIONS,
  type MadeGame,
  WIRE_ENCODINGS,
} from './messages.ts'
import type { Host, Session } from './session.ts'

const MAX_EPISODE_STEPS = 2 ** 31 - 1

/** What a batch takes beside its rows: names, id and punctuation, in bytes. */
const BATCH_FRAME_BYTES = 1024

const DEFAULT_SETTINGS: VectorEnvSettings = {
  numEnvs: 1,
  maxEpisodeSteps: 0,
  autoresetMode: 'next_step',
  illegalAction: 'refuse',
  reward: 'score',
  packed: false,
  record: false,
}

export function listGames(session: Session): ListGamesResponse {
  return { games: session.host.games.map(gameInfo), serverVersion: session.host.version }
}

export function makeEnv(session: Session, request: MakeEnvRequest): MakeEnvResponse {
  const made = makeGame(session.host, request.gameId, request.config)
  const settings = readSettings(made.game, session.host, request)
  checkBatchSize(made, settings, session.host)
  const envId = session.add(made, settings)
  return { envId, spec: envSpecMessage(made, settings) }
}

/** A game of an id, with a configuration; throws MISSING_FIELD, UNKNOWN_GAME or what the configuration refuses. */
export function makeGame(
  host: Host,
  id: string | null | undefined,
  config: { readonly [key: string]: string },
): MadeGame {
  if (id === undefined || id === null)
    throw envError('MISSING_FIELD', 'game_id is missing', { field: 'game_id' })
  const game = host.games.find((candidate) => candidate.id === id)
  if (game === undefined) {
    const known = host.games.map((candidate) => candidate.id).join(', ')
    throw envError('UNKNOWN_GAME', `there is no game ${quote(id)}; known: ${known}`, { field: 'game_id' })
  }
  const parsed = parseConfig(game.configSchema, config)
  return { game, config: parsed, instance: game.create(parsed) }
}

/** Refuses an environment whose replies could pass the message limit, before it is allocated. */
export function checkBatchSize(made: MadeGame, settings: VectorEnvSettings, host: Host): void {
  const finals = settings.autoresetMode === 'same_step'
  const rowBytes = batchRowBytes(made.instance, settings.packed, finals)
  const base64Bytes = BATCH_FRAME_BYTES + Math.ceil((settings.numEnvs * rowBytes * 4) / 3)
  if (base64Bytes <= host.limits.maxMessageBytes) return
  throw envError(
    'MESSAGE_TOO_LARGE',
    `num_envs is ${settings.numEnvs}, whose batches can take ${base64Bytes} bytes; a message holds at most ` +
      `${host.limits.maxMessageBytes} (fewer rows, or the PACKED encoding, fit)`,
    { field: 'num_envs' },
  )
}

/** An enum's meaning, or BAD_FIELD for a number that the contract does not have. */
export function enumValue<T>(values: readonly T[], value: number, field: string): T {
  const meaning = values[value]
  if (meaning === undefined) {
    throw envError('BAD_FIELD', `${field} is ${value}; allowed: 0 to ${values.length - 1}`, { field })
  }
  return meaning
}

function readSettings(game: Game, host: Host, request: MakeEnvRequest): VectorEnvSettings {
  const reward = request.reward ?? 'score'
  if (!game.rewards.includes(reward)) {
    throw envError('BAD_FIELD', `reward is ${quote(reward)}; allowed: ${game.rewards.join(', ')}`, {
      field: 'reward',
    })
  }
  return {
    numEnvs: readNumEnvs(request.numEnvs ?? 1, host),
    maxEpisodeSteps: integer('max_episode_steps', request.maxEpisodeSteps ?? 0, 0, MAX_EPISODE_STEPS),
    autoresetMode: enumValue(AUTORESET_MODES, request.autoresetMode, 'autoreset_mode'),
    illegalAction: enumValue(ILLEGAL_ACTIONS, request.illegalAction, 'illegal_action'),
    packed: enumValue(WIRE_ENCODINGS, request.wireEncoding, 'wire_encoding') === 'packed',
    reward,
    record: request.record ?? false,
  }
}

function readNumEnvs(numEnvs: number, { limits: { maxNumEnvs } }: Host): number {
  if (numEnvs <= maxNumEnvs) return integer('num_envs', numEnvs, 1, maxNumEnvs)
  throw envError(
    'TOO_MANY_ROWS',
    `num_envs is ${numEnvs}; the server allows an environment ${maxNumEnvs} rows`,
    { field: 'num_envs' },
  )
}

function integer(field: string, value: number, min: number, max: number): number {
  if (value >= min && value <= max) return value
  throw envError('BAD_FIELD', `${field} is ${value}; allowed: ${min} to ${max}`, { field })
}

function gameInfo(game: Game): GameInfoMessage {
  const config = parseConfig(game.configSchema, {})
  const made: MadeGame = { game, config, instance: game.create(config) }
  return {
    gameId: game.id,
    rulesVersion: game.rulesVersion,
    title: game.title,
    config: Object.entries(game.configSchema).map(([name, key]) => configKeyMessage(name, key)),
    rewards: game.rewards,
    spec: envSpecMessage(made, DEFAULT_SETTINGS),
  }
}
