import type { Config, ConfigSchema } from '../../env/game.ts'

/** What a board cell shows: the piece that filled it, or only that it is filled. */
export type Cells = 'colours' | 'occupancy'

/** The configuration keys of Stackcraft. */
export const CONFIG_SCHEMA: ConfigSchema = {
  cells: {
    type: 'choice',
    values: ['colours', 'occupancy'],
    default: 'colours',
    description: 'What a board cell shows: the number of the piece that filled it, or 1 for any piece.',
  },
}

/** The `cells` value of a checked configuration. */
export function cellsOf(config: Config): Cells {
  return config.cells === 'occupancy' ? 'occupancy' : 'colours'
}
