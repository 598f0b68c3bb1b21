import type { Game } from '../../env/game.ts'
import { BOARD_8 } from '../tray/board8.ts'
import { placementOf } from '../tray/explain.ts'
import { trayLayout } from '../tray/layout.ts'
import { trayNative } from '../tray/native.ts'
import { trayOutcomes } from '../tray/outcomes.ts'
import { createAfterstates } from './afterstates.ts'
import { LUMEN_CONFIG } from './config.ts'
import { createEncoder, createPackedWriter } from './encode.ts'
import { createRules, NUM_ACTIONS } from './rules.ts'
import type { LumenState } from './state.ts'

/** Lumen Blocks. */
export const lumenBlocks: Game<LumenState> = {
  id: 'LumenBlocks-v1',
  rulesVersion: 'lumen-blocks-v1',
  title: 'Lumen Blocks',
  configSchema: LUMEN_CONFIG,
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
  }),
}
