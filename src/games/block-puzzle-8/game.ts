import type { Game } from '../../env/game.ts'
import { BOARD_8 } from '../tray/board8.ts'
import { placementOf } from '../tray/explain.ts'
import { trayLayout } from '../tray/layout.ts'
import { trayNative } from '../tray/native.ts'
import { trayOutcomes } from '../tray/outcomes.ts'
import { createAfterstates } from './afterstates.ts'
import { BLOCK_PUZZLE_8_CONFIG } from './config.ts'
import { DAILY } from './daily.ts'
import { createEncoder, createPackedWriter } from './encode.ts'
import { createRules, NUM_ACTIONS } from './rules.ts'
import type { BlockPuzzle8State } from './state.ts'

/** Block Puzzle on a board of eight by eight. */
export const blockPuzzle8: Game<BlockPuzzle8State> = {
  id: 'BlockPuzzle8-v1',
  rulesVersion: 'block-puzzle-8-v1',
  title: 'Block Puzzle 8x8',
  configSchema: BLOCK_PUZZLE_8_CONFIG,
  rewards: ['score'],
  create: () => ({
    numActions: NUM_ACTIONS,
    rules: createRules(),
    encoder: createEncoder(),
    packed: createPackedWriter(),
    outcomes: trayOutcomes(),
    native: trayNative(BOARD_8, []),
    placement: (state, action) => placementOf(BOARD_8, state, action),
    afterstates: createAfterstates(),
    maskLayout: trayLayout(BOARD_8),
    resetOptions: DAILY,
  }),
}
