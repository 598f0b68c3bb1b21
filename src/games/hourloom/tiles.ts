/**
 * Tiles are numbered on a fixed 9 by 9 board, `row * 9 + col`, whatever the size of the chamber; smaller
 * chambers sit at the top left and the rest of the board is outside. The rules' own index (row times the grid
 * width plus the column) gives the same order.
 */

/** Side of the board that every chamber is stored on. */
export const SIDE = 9
/** Tiles of that board. */
export const TILES = SIDE * SIDE
/** Stands for no tile, where a tile is stored in a byte. */
export const NO_TILE = 255

/** Inputs as recorded in a log; the first five action numbers. */
export const NORTH = 0
export const EAST = 1
export const SOUTH = 2
export const WEST = 3
export const WAIT = 4

/** The names of the four directions, by input number. */
export const DIRECTIONS = ['N', 'E', 'S', 'W'] as const

const ROW_CHANGE = [-1, 0, 1, 0, 0]
const COL_CHANGE = [0, 1, 0, -1, 0]

/** [5 inputs, 81 tiles] int8: where an input leads, the same tile for a wait, -1 over the board's edge. */
export const STEP: Int8Array = buildStep()

function buildStep(): Int8Array {
  const step = new Int8Array(5 * TILES)
  for (let input = 0; input < 5; input++) {
    for (let tile = 0; tile < TILES; tile++) {
      const row = rowOf(tile) + ROW_CHANGE[input]!
      const col = colOf(tile) + COL_CHANGE[input]!
      const inside = row >= 0 && row < SIDE && col >= 0 && col < SIDE
      step[input * TILES + tile] = inside ? row * SIDE + col : -1
    }
  }
  return step
}

/** The row of a tile. */
export function rowOf(tile: number): number {
  return (tile / SIDE) | 0
}

/** The column of a tile. */
export function colOf(tile: number): number {
  return tile % SIDE
}
