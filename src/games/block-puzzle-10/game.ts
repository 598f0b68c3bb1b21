import type { Game } from '../../env/game.ts'
import { BOARD_10 } from '../tray/board10.ts'
import { placementOf } from '../tray/explain.ts'
import { trayLayout } from '../tray/layout.ts'
import { trayNative } from '../tray/native.ts'
import { trayOutcomes } from '../tray/outcomes.ts'
import { createAfterstates } from './afterstates.ts'
import { allowsNewSet, BLOCK_PUZZLE_10_CONFIG } from './config.ts'
import { createEncoder, createPackedWriter } from './encode.ts'
import { END_GAME, NEW_SET } from './explain.ts'
import { createRules, NUM_ACTIONS } from './rules.ts'
import type { BlockPuzzle10State } from './state.ts'

/** Block Puzzle on a board of ten by ten. */
export const blockPuzzle10: Game<BlockPuzzle10State> = {
  id: 'BlockPuzzle10-v1',
  rulesVersion: 'block-puzzle-10-v1',
  title: 'Block Puzzle 10x10',
  configSchema: BLOCK_PUZZLE_10_CONFIG,
  rewards: ['score'],
  create(config) {
    const allowNewSet = allowsNewSet(config)
    return {
      numActions: NUM_ACTIONS,
      rules: createRules(allowNewSet),
      encoder: createEncoder(),
      packed: createPackedWriter(),
      outcomes: trayOutcomes(),
      native: trayNative(BOARD_10, ['new_set', 'end_game']),
      placement: (state, action) => placementOf(BOARD_10, state, action),
      afterstates: createAfterstates(allowNewSet),
      maskLayout: trayLayout(BOARD_10),
      keys: [
        { key: 'n', action: NEW_SET, label: 'new set' },
        { key: 'e', action: END_GAME, label: 'end game' },
      ],
    }
  },
}
