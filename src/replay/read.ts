import { parseConfig, quote } from '../env/config.ts'
import { EnvError } from '../env/env-error.ts'
import { MAX_RECORDED_ACTIONS } from '../env/episode-recorder.ts'
import type { Config, Game, GameInstance, Json } from '../env/game.ts'
import { parseStrictJson } from '../env/strict-json.ts'
import {
  COMMON_KEYS,
  MAX_REPLAY_BYTES,
  MAX_REPLAY_SEED_DIGITS,
  type ReplayFault,
  type ReplayGame,
  type ReplayReason,
  SCHEMA_VERSION,
} from './format.ts'
import { type NumberScan, scanNumbers } from './integers.ts'

type JsonObject = { readonly [key: string]: Json }

/** A replay whose form is right; its actions and summary are still to be checked. */
export interface ReadReplay extends ReplayGame {
  readonly seed: string
  readonly options: JsonObject
  readonly actions: readonly Json[]
  /** The first ply whose action holds a number that is no plain integer; undefined when none does. */
  readonly notIntegerPly: number | undefined
  readonly final: Json | undefined
  readonly finalIsIntegers: boolean
}

/** As many parts as the longest replay has: a few keys an action. Objects of very many keys are slow to build. */
const REPLAY_LIMITS = {
  keysPerObject: 64,
  containers: MAX_RECORDED_ACTIONS + 100,
  keys: 8 * MAX_RECORDED_ACTIONS,
  commas: 8 * MAX_RECORDED_ACTIONS,
}

/** Thrown inside the reader only. */
class Refused extends Error {
  readonly fault: ReplayFault

  constructor(reason: ReplayReason, message: string) {
    super(message)
    this.fault = { reason, message }
  }
}

/** Reads a replay of one of the games; says what is wrong with its form and never throws. */
export function readReplay(text: string, games: readonly Game[]): ReadReplay | ReplayFault {
  try {
    return read(text, games)
  } catch (error) {
    if (error instanceof Refused) return error.fault
    throw error
  }
}

function read(text: string, games: readonly Game[]): ReadReplay {
  const json = parseObject(text)
  const scan = scanNumbers(text)
  const game = readVersions(json, scan, games)
  requireKeys(json, game)
  const seed = readSeed(scan)
  const config = readConfig(json, scan, game)
  const instance = game.create(config)
  checkKeys(json, game, instance)
  const options = readOptions(json, instance, seed)
  return {
    game,
    config,
    instance,
    seed,
    options,
    actions: readActions(json),
    notIntegerPly: scan.notIntegers.get('actions'),
    final: json.final,
    finalIsIntegers: !scan.notIntegers.has('final'),
  }
}

function parseObject(text: string): JsonObject {
  if (text.length > MAX_REPLAY_BYTES || Buffer.byteLength(text) > MAX_REPLAY_BYTES) {
    throw new Refused('too_large', `The replay is larger than ${MAX_REPLAY_BYTES} bytes.`)
  }
  let json: Json
  try {
    json = parseStrictJson(text, REPLAY_LIMITS)
  } catch {
    const message =
      'The replay is no JSON, has a key twice in one object, nests deeper than 16 levels, or has more parts ' +
      `than a replay of ${MAX_RECORDED_ACTIONS} actions.`
    throw new Refused('bad_json', message)
  }
  if (!isObject(json)) throw new Refused('bad_json', 'The replay is no JSON object.')
  return json
}

/** The versions come first: they say what the other keys mean. */
function readVersions(json: JsonObject, scan: NumberScan, games: readonly Game[]): Game {
  requireKey(json, 'schema_version')
  requireKey(json, 'rules_version')
  if (json.schema_version !== SCHEMA_VERSION || scan.notIntegers.has('schema_version')) {
    throw new Refused('bad_version', `schema_version must be ${SCHEMA_VERSION}.`)
  }
  const version = json.rules_version
  const game = games.find((candidate) => candidate.rulesVersion === version)
  if (game === undefined) {
    const known = games.map((candidate) => candidate.rulesVersion).join(', ')
    const given = typeof version === 'string' ? quote(version) : 'no string'
    throw new Refused('bad_version', `rules_version is ${given}; known: ${known}.`)
  }
  return game
}

function requireKeys(json: JsonObject, game: Game): void {
  for (const key of ['seed', 'actions', ...(game.replayOmitsConfig ? [] : ['config'])]) requireKey(json, key)
}

function requireKey(json: JsonObject, key: string): void {
  if (!Object.hasOwn(json, key)) throw new Refused('missing_key', `The replay has no ${key}.`)
}

function checkKeys(json: JsonObject, game: Game, instance: GameInstance<unknown>): void {
  const allowed: string[] = [
    ...COMMON_KEYS,
    ...(game.replayOmitsConfig ? [] : ['config']),
    ...(instance.resetOptions?.names ?? []),
  ]
  const unknown = Object.keys(json).find((key) => !allowed.includes(key))
  if (unknown === undefined) return
  throw new Refused(
    'unknown_key',
    `Replays of ${game.rulesVersion} have no key ${quote(unknown)}; allowed: ${allowed.join(', ')}.`,
  )
}

function readSeed({ seed, notIntegers }: NumberScan): string {
  if (seed === undefined || notIntegers.has('seed')) {
    throw new Refused('bad_seed', 'The seed must be a plain JSON integer, such as 7 or -12.')
  }
  if (seed.replace('-', '').length > MAX_REPLAY_SEED_DIGITS) {
    throw new Refused('bad_seed', `The seed has more than ${MAX_REPLAY_SEED_DIGITS} digits.`)
  }
  return seed
}

/** Values have the types of the schema; a key that is absent has its default. */
function readConfig(json: JsonObject, scan: NumberScan, game: Game): Config {
  if (game.replayOmitsConfig) return parseConfig(game.configSchema, {})
  const given = json.config
  if (!isObject(given) || scan.notIntegers.has('config')) {
    throw new Refused('bad_config', 'config must be an object whose numbers are plain integers.')
  }
  const types = { boolean: 'boolean', integer: 'number', choice: 'string' } as const
  const texts = Object.entries(given).map(([key, value]) => {
    const spec = Object.hasOwn(game.configSchema, key) ? game.configSchema[key] : undefined
    if (spec !== undefined && typeof value !== types[spec.type]) {
      throw new Refused('bad_config', `config.${key} must be a ${types[spec.type]}.`)
    }
    return [key, String(value)] as const
  })
  try {
    return parseConfig(game.configSchema, Object.fromEntries(texts))
  } catch (error) {
    if (error instanceof EnvError) throw new Refused('bad_config', `${error.message}.`)
    throw error
  }
}

/** Reset options stand beside the seed that they give. */
function readOptions(json: JsonObject, { resetOptions }: GameInstance<unknown>, seed: string): JsonObject {
  const given: [string, string][] = []
  for (const name of resetOptions?.names ?? []) {
    const value = Object.hasOwn(json, name) ? json[name] : undefined
    if (value === undefined) continue
    if (typeof value !== 'string') throw new Refused('bad_option', `${name} must be a string.`)
    given.push([name, value])
  }
  if (resetOptions === undefined || given.length === 0) return {}
  const options = Object.fromEntries(given)
  const resolved = resetOptions.resolve(options, 0)
  if ('reason' in resolved) throw new Refused('bad_option', resolved.message)
  if (given.some(([name, value]) => resolved.replay[name] !== value)) {
    throw new Refused('bad_option', `${given[0]![0]} depends on the day on which it is read.`)
  }
  if (resolved.seed !== seed) {
    throw new Refused('bad_option', `${given.map(([name]) => name).join(', ')} and the seed do not agree.`)
  }
  return options
}

function readActions({ actions }: JsonObject): readonly Json[] {
  if (!Array.isArray(actions)) throw new Refused('bad_actions', 'actions must be a list.')
  if (actions.length > MAX_RECORDED_ACTIONS) {
    throw new Refused(
      'too_many_actions',
      `The replay has ${actions.length} actions; at most ${MAX_RECORDED_ACTIONS} are played.`,
    )
  }
  return actions as readonly Json[]
}

function isObject(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}
