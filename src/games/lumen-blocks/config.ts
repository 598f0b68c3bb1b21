import type { ConfigSchema } from '../../env/game.ts'

/** Lumen Blocks has no settings. */
export const LUMEN_CONFIG: ConfigSchema = {}
