import type { ArraySpec, Encoder, ObservationArray, ObservationSpec, PackedWriter } from '../../env/game.ts'
import { NUM_ACTIONS } from './actions.ts'
import { LOG, MAX_BUDGET, MIN_BUDGET, PLANE_BYTES, PLANE_NIBBLE_BYTES, PLANES } from './chamber.ts'
import type { HourloomConfig } from './config.ts'
import { MAX_ECHOES, MAX_LAPS, MAX_SPARKS } from './difficulty.ts'
import { listMoving, MAX_CHANGES } from './planes.ts'
import { renderText } from './render.ts'
import type { HourloomState } from './state.ts'
import { colOf, NO_TILE, rowOf, SIDE } from './tiles.ts'

const NO_INPUT = 5
const MOST = 0x7fffffff

/** The scalars in order, with their exact bounds. */
export const SCALARS: readonly (readonly [name: string, low: number, high: number])[] = [
  ['sand', 0, MAX_BUDGET],
  ['lap_budget', MIN_BUDGET, MAX_BUDGET],
  ['turn', 0, MAX_BUDGET],
  ['lap', 0, MAX_LAPS],
  ['laps', 3, MAX_LAPS],
  ['has_keystone', 0, 1],
  ['sealed', 0, 1],
  ['chamber', 1, MOST],
  ['multiplier_percent', 100, 400],
  ['width', 7, SIDE],
  ['height', 7, SIDE],
  ['sparks_left', 0, MAX_SPARKS],
  ['echoes_alive', 0, MAX_ECHOES],
  ['score', 0, MOST],
]

/** The encoder for one configuration. */
export function createEncoder(config: HourloomConfig): Encoder<HourloomState> {
  const columns = 4 + config.echoLookahead
  return {
    spec: observationSpec(columns),
    encode(state, out, row) {
      writePlanes(state, out[0]!, row * PLANE_BYTES)
      writeEchoes(state, out[1]!, row * MAX_ECHOES * columns, columns)
      writeScalars(state, out[2]!, row * SCALARS.length)
    },
    renderText,
  }
}

/** The packed writer for one configuration: the planes as nibbles, the rest as it is. */
export function createPackedWriter(
  config: HourloomConfig,
  writeMask: (state: HourloomState, out: Uint8Array, offset: number) => void,
): PackedWriter<HourloomState> {
  const columns = 4 + config.echoLookahead
  const mask = new Uint8Array(NUM_ACTIONS)
  const scalars = new Int32Array(SCALARS.length)
  return {
    encode(state, out, row) {
      writeNibbles(state, out[0]!, row * PLANE_NIBBLE_BYTES)
      writeEchoes(state, out[1]!, row * MAX_ECHOES * columns, columns)
      writeScalars(state, scalars, 0)
      writeLittleEndian(scalars, out[2]!, row * SCALARS.length * 4)
    },
    writeMask(state, out, row) {
      writeMask(state, mask, 0)
      let bits = 0
      for (let action = 0; action < NUM_ACTIONS; action++) bits |= mask[action]! << action
      out[row * 8] = bits
      out.fill(0, row * 8 + 1, row * 8 + 8)
    },
  }
}

function observationSpec(columns: number): ObservationSpec {
  const echo = [1, SIDE - 1, SIDE - 1, MAX_BUDGET]
  const echoHigh = Array.from({ length: MAX_ECHOES * columns }, (_, i) => echo[i % columns] ?? NO_INPUT)
  const box = (spec: Omit<ArraySpec, 'kind'>): ArraySpec => ({ kind: 'box', ...spec })
  return [
    box({
      name: 'planes',
      dtype: 'uint8',
      shape: [PLANES, SIDE, SIDE],
      low: [0],
      high: [MAX_ECHOES],
      packing: 'nibbles',
      description: 'The chamber at the top left, one plane a kind of thing.',
    }),
    box({
      name: 'echoes',
      dtype: 'uint8',
      shape: [MAX_ECHOES, columns],
      low: echoHigh.map(() => 0),
      high: echoHigh,
      packing: 'none',
      description: 'For each echo: alive, row, col, inputs left, and its next recorded inputs (5: none).',
    }),
    box({
      name: 'scalars',
      dtype: 'int32',
      shape: [SCALARS.length],
      low: SCALARS.map(([, low]) => low),
      high: SCALARS.map(([, , high]) => high),
      packing: 'none',
      description: `In order: ${SCALARS.map(([name]) => name).join(', ')}.`,
    }),
  ]
}

const cells = new Uint16Array(MAX_CHANGES)
const values = new Uint8Array(MAX_CHANGES)

function writePlanes(state: HourloomState, out: ObservationArray, offset: number): void {
  out.set(state.chamber.planes, offset)
  const changes = listMoving(state, cells, values)
  for (let i = 0; i < changes; i++) out[offset + cells[i]!] = values[i]!
}

function writeNibbles(state: HourloomState, out: Uint8Array, offset: number): void {
  out.set(state.chamber.nibbles, offset)
  const changes = listMoving(state, cells, values)
  for (let i = 0; i < changes; i++) {
    const cell = cells[i]!
    out[offset + (cell >> 1)]! |= values[i]! << ((cell & 1) << 2)
  }
}

function writeEchoes(state: HourloomState, out: ObservationArray, offset: number, columns: number): void {
  const { echoTile, log, logLength, turn } = state
  for (let k = 0; k < MAX_ECHOES; k++) {
    const at = offset + k * columns
    const tile = echoTile[k]!
    if (tile === NO_TILE) {
      out.fill(0, at, at + 4)
      out.fill(NO_INPUT, at + 4, at + columns)
      continue
    }
    const left = logLength[k]! - turn
    out[at] = 1
    out[at + 1] = rowOf(tile)
    out[at + 2] = colOf(tile)
    out[at + 3] = left
    for (let i = 0; i < columns - 4; i++) out[at + 4 + i] = i < left ? log[k * LOG + turn + i]! : NO_INPUT
  }
}

function writeScalars(state: HourloomState, out: ObservationArray, offset: number): void {
  const { chamber, echoTile } = state
  let alive = 0
  for (let k = 0; k < MAX_ECHOES; k++) if (echoTile[k] !== NO_TILE) alive++
  out[offset] = state.sand
  out[offset + 1] = chamber.budget[Math.min(state.lap, chamber.laps - 1)]!
  out[offset + 2] = state.turn
  out[offset + 3] = state.lap
  out[offset + 4] = chamber.laps
  out[offset + 5] = state.hasKeystone
  out[offset + 6] = state.sealed
  out[offset + 7] = chamber.n
  out[offset + 8] = chamber.multiplier
  out[offset + 9] = chamber.size
  out[offset + 10] = chamber.size
  out[offset + 11] = state.sparksLeft
  out[offset + 12] = alive
  out[offset + 13] = state.score
}

function writeLittleEndian(from: Int32Array, out: Uint8Array, offset: number): void {
  for (let i = 0; i < from.length; i++) {
    const value = from[i]!
    const at = offset + 4 * i
    out[at] = value
    out[at + 1] = value >> 8
    out[at + 2] = value >> 16
    out[at + 3] = value >> 24
  }
}
