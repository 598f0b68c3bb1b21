/** Chambers for a generator value whose draws are all refused: a stored one of the same difficulty, turned. */
import { type Chamber, LOG } from './chamber.ts'
import { colOf, rowOf, SIDE, TILES, WAIT } from './tiles.ts'

/** Generator values whose first draw is accepted, for chambers 1 to 9 and for 10 and deeper. */
export const STORED_VALUES: readonly number[] = [2, 1, 1, 1, 1, 1, 1, 1, 2, 1]

/** Turns and mirror images of a square. */
export const SYMMETRIES = 8

const moved = new Uint8Array(TILES)
const kept = new Int16Array(TILES)

/** Turns a chamber by symmetry 0..7: bit 0 mirrors columns, bit 1 mirrors rows, bit 2 swaps rows and columns. */
export function turnChamber(chamber: Chamber, symmetry: number): void {
  for (let tile = 0; tile < TILES; tile++) moved[tile] = turnTile(tile, chamber.size, symmetry)
  turnBoard(chamber.terrain)
  turnBoard(chamber.fluxPhase)
  turnTiles(chamber.fluxTile, chamber.flux)
  turnTiles(chamber.sparkTile, chamber.sparks)
  turnTiles(chamber.alcove, chamber.laps)
  turnTiles(chamber.keystone, chamber.laps)
  turnTiles(chamber.gateTile, chamber.gates)
  turnTiles(chamber.gatePlate, 2 * chamber.gates)
  chamber.exit = moved[chamber.exit]!
  sortGates(chamber)
  for (let i = 0; i < chamber.laps * LOG; i++) chamber.script[i] = turnInput(chamber.script[i]!, symmetry)
}

function turnTile(tile: number, size: number, symmetry: number): number {
  let row = rowOf(tile)
  let col = colOf(tile)
  if (row >= size || col >= size) return tile
  if ((symmetry & 1) !== 0) col = size - 1 - col
  if ((symmetry & 2) !== 0) row = size - 1 - row
  return (symmetry & 4) !== 0 ? col * SIDE + row : row * SIDE + col
}

/** N, E, S, W are 0..3: mirroring columns exchanges E and W, rows N and S, the diagonal N with W and E with S. */
function turnInput(input: number, symmetry: number): number {
  if (input === WAIT) return WAIT
  let turned = input
  if ((symmetry & 1) !== 0 && (turned & 1) === 1) turned ^= 2
  if ((symmetry & 2) !== 0 && (turned & 1) === 0) turned ^= 2
  return (symmetry & 4) !== 0 ? 3 - turned : turned
}

function turnBoard(board: Uint8Array | Int8Array): void {
  for (let tile = 0; tile < TILES; tile++) kept[tile] = board[tile]!
  for (let tile = 0; tile < TILES; tile++) board[moved[tile]!] = kept[tile]!
}

function turnTiles(tiles: Uint8Array, count: number): void {
  for (let i = 0; i < count; i++) tiles[i] = moved[tiles[i]!]!
}

/** Brings gates back into tile order. */
function sortGates(chamber: Chamber): void {
  const { gates, gateTile } = chamber
  for (let i = 1; i < gates; i++) {
    for (let k = i; k > 0 && gateTile[k]! < gateTile[k - 1]!; k--) exchangeGates(chamber, k, k - 1)
  }
  chamber.gateAt.fill(-1)
  for (let gate = 0; gate < gates; gate++) chamber.gateAt[gateTile[gate]!] = gate
}

function exchangeGates(chamber: Chamber, a: number, b: number): void {
  exchange(chamber.gateTile, a, b)
  exchange(chamber.plateCount, a, b)
  exchange(chamber.gateLap, a, b)
  exchange(chamber.gatePlate, 2 * a, 2 * b)
  exchange(chamber.gatePlate, 2 * a + 1, 2 * b + 1)
}

function exchange(array: Uint8Array, a: number, b: number): void {
  const first = array[a]!
  array[a] = array[b]!
  array[b] = first
}
