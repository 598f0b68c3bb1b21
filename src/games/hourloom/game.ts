import type { Game, GameInstance, KeyBinding, Outcomes } from '../../env/game.ts'
import { ACTION_NAMES, DESCEND, END_RUN, NUM_ACTIONS } from './actions.ts'
import { CONFIG_SCHEMA, readConfig } from './config.ts'
import { createEncoder, createPackedWriter } from './encode.ts'
import { native } from './native.ts'
import { createRules } from './rules.ts'
import type { HourloomState } from './state.ts'

const KEYS: readonly KeyBinding[] = [
  ...['up', 'right', 'down', 'left', '.'].map((key, action) => ({
    key,
    action,
    label: ACTION_NAMES[action]!.toLowerCase(),
  })),
  { key: 'd', action: DESCEND, label: 'descend' },
  { key: 'x', action: END_RUN, label: 'end run' },
]

const outcomes: Outcomes<HourloomState> = {
  names: ['score', 'chamber', 'laps'],
  write(state, out, offset) {
    out[offset] = state.score
    out[offset + 1] = state.chamber.n
    out[offset + 2] = state.lapsCompleted
  },
}

/** Hourloom: cross chambers that hold several laps while echoes of the earlier laps replay beside you. */
export const hourloom: Game<HourloomState> = {
  id: 'Hourloom-v1',
  rulesVersion: 'hourloom-v1',
  title: 'Hourloom',
  configSchema: CONFIG_SCHEMA,
  rewards: ['score'],
  create(config): GameInstance<HourloomState> {
    const settings = readConfig(config)
    const rules = createRules(settings)
    return {
      numActions: NUM_ACTIONS,
      rules,
      encoder: createEncoder(settings),
      packed: createPackedWriter(settings, rules.writeMask),
      outcomes,
      native,
      keys: KEYS,
    }
  },
}
