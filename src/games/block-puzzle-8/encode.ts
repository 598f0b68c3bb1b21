import type { Encoder, ObservationArray, ObservationSpec, PackedWriter } from '../../env/game.ts'
import { expand32, RowView } from '../tray/bit-writers.ts'
import { BOARD_8, TRAY_8 } from '../tray/board8.ts'
import { writePackedMask8 } from '../tray/mask-writers.ts'
import { SHAPES_8 } from '../tray/shapes.ts'
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
import type { BlockPuzzle8State } from './state.ts'

/** The observation's arrays. */
export const SPEC: ObservationSpec = [
  boardSpec(8, 1, 'bits', 'The board: 0 empty, 1 filled; row 0 is the top.'),
  ...traySpecs(SHAPES_8.length),
  figureSpec('combo', INT32_MAX, 'Placements in a row, up to the last one, that cleared a line.'),
  figureSpec('score', INT32_MAX, 'The score.'),
]

const FRAMED = framedShapes(SHAPES_8)

/** The encoder of the dense form and of text. */
export function createEncoder(): Encoder<BlockPuzzle8State> {
  const boards = new RowView()
  const trays = new RowView()
  return {
    spec: SPEC,
    encode(state: BlockPuzzle8State, out: readonly ObservationArray[], row: number): void {
      const view = boards.of(out[0] as Uint8Array)
      expand32(view, row * 64, state.words[0]!)
      expand32(view, row * 64 + 32, state.words[1]!)
      writeTray(trays.of(out[1] as Uint8Array), row * 75, FRAMED, state.words, TRAY_8)
      writeThree(out[2] as Int32Array, row, state.words, TRAY_8)
      out[3]![row] = state.combo
      out[4]![row] = state.score
    },
    renderText: (state) =>
      renderTray(BOARD_8, state, {
        cell: () => '#',
        slot: () => '#',
        figures: `score ${state.score}  combo ${state.combo}`,
        ending: 'nothing fits',
      }),
  }
}

/** The writer of the packed form. */
export function createPackedWriter(): PackedWriter<BlockPuzzle8State> {
  const boards = new RowView()
  const trays = new RowView()
  const pieces = new RowView()
  const combos = new RowView()
  const scores = new RowView()
  const masks = new RowView()
  return {
    encode(state, out, row) {
      const view = boards.of(out[0]!)
      view.setInt32(row * 8, state.words[0]!, true)
      view.setInt32(row * 8 + 4, state.words[1]!, true)
      writePackedTray(trays.of(out[1]!), row * PACKED_TRAY_BYTES, FRAMED, state.words, TRAY_8)
      writePackedThree(pieces.of(out[2]!), row, state.words, TRAY_8)
      combos.of(out[3]!).setInt32(row * 4, state.combo, true)
      scores.of(out[4]!).setInt32(row * 4, state.score, true)
    },
    writeMask: (state, out, row) => writePackedMask8(masks.of(out), row * 24, state.words),
  }
}
