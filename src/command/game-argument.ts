import { parseConfig } from '../env/config.ts'
import { EnvError } from '../env/env-error.ts'
import type { Game } from '../env/game.ts'
import type { ReplayGame } from '../replay/format.ts'
import { StartError } from '../transport/listen-address.ts'
import type { CommandOption } from './command.ts'

/** The option that gives a game's configuration. */
export const CONFIG_OPTION: CommandOption = {
  value: 'KEY=VALUE',
  multiple: true,
  help: ['a key of the game’s configuration; may be given more than once'],
}

/** The game of an id as people write it: `Name-v1`, `name` or `blockloom/Name-v1`. */
export function gameOfArgument<Named extends { readonly id: string }>(
  text: string | undefined,
  games: readonly Named[],
): Named {
  const known = games.map(({ id }) => id).join(', ')
  if (text === undefined) throw new StartError(`which game? one of ${known}`)
  const wanted = text.toLowerCase().replace(/^blockloom\//, '')
  const matches = (id: string) => id === wanted || id.replace(/-v\d+$/, '') === wanted
  const game = games.findLast(({ id }) => matches(id.toLowerCase()))
  if (game === undefined) throw new StartError(`there is no game ${JSON.stringify(text)}; known: ${known}`)
  return game
}

/** `key=value` texts by key; throws StartError. */
export function configTexts(texts: readonly string[]): { [key: string]: string } {
  const given = texts.map((text) => {
    const equals = text.indexOf('=')
    if (equals < 1) throw new StartError(`--config is ${JSON.stringify(text)}; allowed: KEY=VALUE`)
    return [text.slice(0, equals), text.slice(equals + 1)] as const
  })
  return Object.fromEntries(given)
}

/** The game made ready with `key=value` texts; throws StartError. */
export function configuredGame(game: Game, texts: readonly string[]): ReplayGame {
  try {
    const config = parseConfig(game.configSchema, configTexts(texts))
    return { game, config, instance: game.create(config) }
  } catch (error) {
    if (error instanceof EnvError) throw new StartError(error.message)
    throw error
  }
}
