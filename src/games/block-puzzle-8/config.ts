import type { ConfigSchema } from '../../env/game.ts'

/** Block Puzzle 8x8 has no settings. */
export const BLOCK_PUZZLE_8_CONFIG: ConfigSchema = {}
