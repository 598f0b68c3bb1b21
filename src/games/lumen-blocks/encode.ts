import type { Encoder, ObservationArray, ObservationSpec, PackedWriter } from '../../env/game.ts'
import { expandNibbles4, RowView } from '../tray/bit-writers.ts'
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
  threeSpec,
  traySpecs,
  writePackedThree,
  writePackedTray,
  writeThree,
  writeTray,
} from '../tray/tray-writers.ts'
import { HUE_LETTERS, HUES, hueAt } from './hues.ts'
import { HUES_AT, type LumenState, TRAY_HUE_AT } from './state.ts'

/** The observation's arrays. */
export const SPEC: ObservationSpec = [
  boardSpec(8, HUES, 'nibbles', 'The board: 0 empty, 1 to 5 the hues A, V, M, R, L; row 0 is the top.'),
  ...traySpecs(SHAPES_8.length),
  threeSpec('tray_hue', HUES, "The hue of each slot's piece, as on the board; 0 when spent."),
  figureSpec('streak', INT32_MAX, 'Placements in a row, up to the last one, that cleared a line.'),
  figureSpec('score', INT32_MAX, 'The score.'),
]

const FRAMED = framedShapes(SHAPES_8)

/** The encoder of the dense form and of text. */
export function createEncoder(): Encoder<LumenState> {
  const boards = new RowView()
  const trays = new RowView()
  return {
    spec: SPEC,
    encode(state: LumenState, out: readonly ObservationArray[], row: number): void {
      const view = boards.of(out[0] as Uint8Array)
      const words = state.words
      for (let r = 0; r < 8; r++) {
        const at = row * 64 + r * 8
        const nibbles = words[HUES_AT + r]!
        expandNibbles4(view, at, nibbles & 0xffff)
        expandNibbles4(view, at + 4, nibbles >>> 16)
      }
      writeTray(trays.of(out[1] as Uint8Array), row * 75, FRAMED, words, TRAY_8)
      writeThree(out[2] as Int32Array, row, words, TRAY_8)
      writeThree(out[3] as Int32Array, row, words, TRAY_HUE_AT)
      out[4]![row] = state.streak
      out[5]![row] = state.score
    },
    renderText: (state) =>
      renderTray(BOARD_8, state, {
        cell: (position) => HUE_LETTERS.charAt(hueAt(state.words, position) - 1),
        slot: (slot) => HUE_LETTERS.charAt(state.words[TRAY_HUE_AT + slot]! - 1),
        figures: `score ${state.score}  streak ${state.streak}`,
        ending: 'nothing fits',
      }),
  }
}

/** The writer of the packed form. */
export function createPackedWriter(): PackedWriter<LumenState> {
  const boards = new RowView()
  const trays = new RowView()
  const pieces = new RowView()
  const hues = new RowView()
  const streaks = new RowView()
  const scores = new RowView()
  const masks = new RowView()
  return {
    encode(state, out, row) {
      const words = state.words
      const view = boards.of(out[0]!)
      for (let r = 0; r < 8; r++) view.setInt32(row * 32 + r * 4, words[HUES_AT + r]!, true)
      writePackedTray(trays.of(out[1]!), row * PACKED_TRAY_BYTES, FRAMED, words, TRAY_8)
      writePackedThree(pieces.of(out[2]!), row, words, TRAY_8)
      writePackedThree(hues.of(out[3]!), row, words, TRAY_HUE_AT)
      streaks.of(out[4]!).setInt32(row * 4, state.streak, true)
      scores.of(out[5]!).setInt32(row * 4, state.score, true)
    },
    writeMask: (state, out, row) => writePackedMask8(masks.of(out), row * 24, state.words),
  }
}
