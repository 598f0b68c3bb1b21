import type { Config, ConfigSchema } from '../../env/game.ts'

/** The configuration keys of Hourloom. */
export const CONFIG_SCHEMA = {
  start_chamber: {
    type: 'integer',
    min: 1,
    max: 1000,
    default: 1,
    description: 'The number of the chamber that a run starts in; the shallower ones are not built.',
  },
  echo_lookahead: {
    type: 'integer',
    min: 1,
    max: 96,
    default: 1,
    description: 'How many of each echo’s next recorded inputs the observation shows.',
  },
  allow_end_run: {
    type: 'boolean',
    default: true,
    description: 'Whether END_RUN is an action; when false it is never legal.',
  },
} as const satisfies ConfigSchema

/** The configuration in the types that the rules use. */
export interface HourloomConfig {
  readonly startChamber: number
  readonly echoLookahead: number
  readonly allowEndRun: boolean
}

/** Reads a checked configuration. */
export function readConfig(config: Config): HourloomConfig {
  return {
    startChamber: Number(config.start_chamber),
    echoLookahead: Number(config.echo_lookahead),
    allowEndRun: config.allow_end_run === true,
  }
}
