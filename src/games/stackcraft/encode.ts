import type { ArraySpec, Encoder, ObservationSpec, PackedWriter } from '../../env/game.ts'
import type { Cells } from './config.ts'
import { COLUMNS, PIECE_LETTERS, ROWS } from './pieces.ts'
import type { StackcraftState } from './state.ts'

/** The observation arrays for one way of showing cells; the board comes first. */
export function observationSpec(cells: Cells): readonly [ArraySpec, ...ObservationSpec] {
  const occupancy = cells === 'occupancy'
  return [
    {
      name: 'board',
      kind: 'box',
      dtype: 'uint8',
      shape: [ROWS, COLUMNS],
      low: [0],
      high: [occupancy ? 1 : 7],
      packing: occupancy ? 'bits' : 'nibbles',
      description: occupancy
        ? 'The board, row 0 at the top: 0 empty, 1 filled.'
        : 'The board, row 0 at the top: 0 empty, 1 to 7 the piece I, O, T, S, Z, J or L that filled the cell.',
    },
    pieceSpec('current', 'The piece to place, 1 to 7 as on the board.'),
    pieceSpec('next', 'The piece after it, 1 to 7 as on the board.'),
  ]
}

function pieceSpec(name: string, description: string): ArraySpec {
  return {
    name,
    kind: 'discrete',
    dtype: 'int32',
    shape: [],
    low: [0],
    high: [7],
    nvec: [8],
    packing: 'none',
    description,
  }
}

/** Writes dense observations and their text form. */
export function createEncoder(cells: Cells): Encoder<StackcraftState> {
  const letters = cells === 'occupancy' ? '.#' : PIECE_LETTERS
  return {
    spec: observationSpec(cells),
    encode(state, out, row) {
      out[0]!.set(state.cells, row * ROWS * COLUMNS)
      out[1]![row] = state.current
      out[2]![row] = state.next
    },
    renderText(state) {
      const lines: string[] = []
      for (let row = 0; row < ROWS; row++) {
        const cells = state.cells.subarray(row * COLUMNS, (row + 1) * COLUMNS)
        lines.push(Array.from(cells, (cell) => letters[cell]).join(''))
      }
      lines.push(`current ${PIECE_LETTERS[state.current]}`, `next ${PIECE_LETTERS[state.next]}`)
      lines.push(`lines ${state.lines}`, `score ${state.score}`)
      if (state.over) lines.push(`game over: no placement for ${PIECE_LETTERS[state.current]}`)
      return lines.join('\n')
    },
  }
}

/** Writes packed observations and masks. */
export function createPackedWriter(cells: Cells): PackedWriter<StackcraftState> {
  const writeBoard = cells === 'occupancy' ? writeBits : writeNibbles
  return {
    encode(state, out, row) {
      writeBoard(state, out[0]!, row)
      writeInt32(out[1]!, row * 4, state.current)
      writeInt32(out[2]!, row * 4, state.next)
    },
    writeMask(state, out, row) {
      writeInt32(out, row * 8, state.legalLow)
      writeInt32(out, row * 8 + 4, state.legalHigh)
    },
  }
}

function writeNibbles(state: StackcraftState, out: Uint8Array, row: number): void {
  out.set(state.nibbles, (row * ROWS * COLUMNS) / 2)
}

/** Four rows of ten bits are five bytes. */
function writeBits({ rows }: StackcraftState, out: Uint8Array, row: number): void {
  let at = (row * ROWS * COLUMNS) / 8
  for (let r = 0; r < ROWS; r += 4) {
    const low = rows[r]! | (rows[r + 1]! << 10) | (rows[r + 2]! << 20) | (rows[r + 3]! << 30)
    writeInt32(out, at, low)
    out[at + 4] = rows[r + 3]! >> 2
    at += 5
  }
}

function writeInt32(out: Uint8Array, at: number, value: number): void {
  out[at] = value
  out[at + 1] = value >> 8
  out[at + 2] = value >> 16
  out[at + 3] = value >> 24
}
