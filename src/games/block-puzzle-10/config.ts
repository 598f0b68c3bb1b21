import type { Config, ConfigSchema } from '../../env/game.ts'

/** The settings of Block Puzzle 10x10. */
export const BLOCK_PUZZLE_10_CONFIG: ConfigSchema = {
  allow_new_set: {
    type: 'boolean',
    default: true,
    description: 'Whether new sets can be bought: false is the house rule of playing without any.',
  },
}

/** Whether new sets can be bought. */
export function allowsNewSet(config: Config): boolean {
  return config.allow_new_set !== false
}
