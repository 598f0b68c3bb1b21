import type { Encoder, ObservationArray, ObservationSpec, PackedWriter } from '../../env/game.ts'
import { RowView } from '../tray/bit-writers.ts'
import { PACKED_BOARD_10_BYTES, writeBoard10, writePackedBoard10 } from '../tray/board-writers.ts'
import { BOARD_10, TRAY_10 } from '../tray/board10.ts'
import { PACKED_MASK_10_BYTES, writePackedMask10 } from '../tray/mask-writers.ts'
import { SHAPES_10 } from '../tray/shapes.ts'
import { renderTray } from '../tray/text.ts'
import {
  boardSpec,
  figureSpec,
  framedShapes,
  INT32_MAX,
  PACKED_TRAY_BYTES,
  traySpecs,
  writePackedThree,
  writePackedTray,
  writeThree,
  writeTray,
} from '../tray/tray-writers.ts'
import { otherActions } from './rules.ts'
import type { BlockPuzzle10State } from './state.ts'

/** The observation's arrays. */
export const SPEC: ObservationSpec = [
  boardSpec(10, 1, 'bits', 'The board: 0 empty, 1 filled; row 0 is the top.'),
  ...traySpecs(SHAPES_10.length),
  figureSpec('combo', INT32_MAX, 'Clearing placements since the combo was last lost.'),
  figureSpec('idle', 2, 'Placements since the last clear, while there is a combo; the third loses it.'),
  figureSpec('new_sets', 3, 'New sets left.'),
  figureSpec('score', INT32_MAX, 'The score.'),
]

const FRAMED = framedShapes(SHAPES_10)

/** The encoder of the dense form and of text. */
export function createEncoder(): Encoder<BlockPuzzle10State> {
  const boards = new RowView()
  const trays = new RowView()
  return {
    spec: SPEC,
    encode(state: BlockPuzzle10State, out: readonly ObservationArray[], row: number): void {
      writeBoard10(boards.of(out[0] as Uint8Array), row * 100, state.words)
      writeTray(trays.of(out[1] as Uint8Array), row * 75, FRAMED, state.words, TRAY_10)
      writeThree(out[2] as Int32Array, row, state.words, TRAY_10)
      out[3]![row] = state.combo
      out[4]![row] = state.idle
      out[5]![row] = state.newSets
      out[6]![row] = state.score
    },
    renderText: (state) =>
      renderTray(BOARD_10, state, {
        cell: () => '#',
        slot: () => '#',
        figures: `score ${state.score}  combo ${state.combo}  idle ${state.idle}  new sets ${state.newSets}`,
        ending: state.newSets > 0 ? 'ended by choice' : 'nothing fits and no new set is left',
      }),
  }
}

/** The writer of the packed form. */
export function createPackedWriter(): PackedWriter<BlockPuzzle10State> {
  const boards = new RowView()
  const trays = new RowView()
  const pieces = new RowView()
  const combos = new RowView()
  const idles = new RowView()
  const newSets = new RowView()
  const scores = new RowView()
  const masks = new RowView()
  return {
    encode(state, out, row) {
      writePackedBoard10(boards.of(out[0]!), row * PACKED_BOARD_10_BYTES, state.words)
      writePackedTray(trays.of(out[1]!), row * PACKED_TRAY_BYTES, FRAMED, state.words, TRAY_10)
      writePackedThree(pieces.of(out[2]!), row, state.words, TRAY_10)
      combos.of(out[3]!).setInt32(row * 4, state.combo, true)
      idles.of(out[4]!).setInt32(row * 4, state.idle, true)
      newSets.of(out[5]!).setInt32(row * 4, state.newSets, true)
      scores.of(out[6]!).setInt32(row * 4, state.score, true)
    },
    writeMask: (state, out, row) =>
      writePackedMask10(masks.of(out), row * PACKED_MASK_10_BYTES, state.words, otherActions(state)),
  }
}
