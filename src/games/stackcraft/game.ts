import type { Game, Json, MaskGrid, Native, Refusal } from '../../env/game.ts'
import { CONFIG_SCHEMA, cellsOf } from './config.ts'
import { createEncoder, createPackedWriter, observationSpec } from './encode.ts'
import { actionName, placement } from './explain.ts'
import { COLUMNS, NUM_ACTIONS, ROTATIONS } from './pieces.ts'
import { createAfterstates } from './place.ts'
import { createRules } from './rules.ts'
import type { StackcraftState } from './state.ts'

/** Stackcraft: place tetrominoes by straight drops and clear rows. */
export const stackcraft: Game<StackcraftState> = {
  id: 'Stackcraft-v1',
  rulesVersion: 'stackcraft-v1',
  title: 'Stackcraft',
  configSchema: CONFIG_SCHEMA,
  replayOmitsConfig: true,
  rewards: ['score', 'lines'],
  create(config) {
    const cells = cellsOf(config)
    return {
      numActions: NUM_ACTIONS,
      rules: createRules(cells),
      encoder: createEncoder(cells),
      packed: createPackedWriter(cells),
      outcomes: { names: ['score', 'lines', 'pieces'], write: writeOutcomes },
      native,
      placement,
      afterstates: createAfterstates(observationSpec(cells)[0], cells),
      maskLayout: ROTATION_GRIDS,
    }
  },
}

/** A row of columns for each rotation. */
const ROTATION_GRIDS: readonly MaskGrid[] = Array.from({ length: ROTATIONS }, (_, rotation) => ({
  title: `rotation ${rotation}`,
  rows: 1,
  cols: COLUMNS,
  first: rotation * COLUMNS,
}))

function writeOutcomes(state: StackcraftState, out: Int32Array, offset: number): void {
  out[offset] = state.score
  out[offset + 1] = state.lines
  out[offset + 2] = state.pieces
}

const native: Native<StackcraftState> = { toNative: actionName, fromNative, name: actionName }

function fromNative(json: Json): number | Refusal {
  const match = typeof json === 'string' ? /^r([0-3])x(\d)$/.exec(json) : null
  if (match) return Number(match[1]) * COLUMNS + Number(match[2])
  return {
    reason: 'unknown_action',
    cells: [],
    message: 'An action is a string r{rotation}x{x} with rotation 0 to 3 and x 0 to 9, such as "r1x4".',
  }
}
