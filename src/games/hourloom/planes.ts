import { type Chamber, LOG, OUTSIDE, WALL } from './chamber.ts'
import { ECHO, type HourloomState, PLAYER } from './state.ts'
import { NO_TILE, STEP, TILES, WAIT } from './tiles.ts'
import { isLit, isOpenFor } from './turn.ts'

/** Numbers of the observation's planes. */
export const PLANE = {
  PADDING: 0,
  WALL: 1,
  EXIT: 2,
  ONE_PLATE_GATE: 3,
  TWO_PLATE_GATE: 4,
  OPEN_GATE: 5,
  FIRST_GATE: 6,
  PLATE: 11,
  HELD_PLATE: 12,
  LIT_NOW: 13,
  LIT_NEXT: 14,
  FLUX: 15,
  SPARK: 16,
  LIVE_KEYSTONE: 17,
  LATER_KEYSTONE: 18,
  LATER_ALCOVE: 19,
  PLAYER: 20,
  FIRST_ECHO: 21,
  ECHO_TARGET: 26,
} as const

/** Paints the planes that stand still for a whole chamber, dense and packed. */
export function paintStill(chamber: Chamber): void {
  const { terrain } = chamber
  chamber.planes.fill(0)
  chamber.nibbles.fill(0)
  for (let tile = 0; tile < TILES; tile++) {
    if (terrain[tile] === OUTSIDE) put(chamber, PLANE.PADDING, tile, 1)
    else if (terrain[tile] === WALL) put(chamber, PLANE.WALL, tile, 1)
    else if (chamber.fluxPhase[tile]! >= 0) put(chamber, PLANE.FLUX, tile, 1)
  }
  put(chamber, PLANE.EXIT, chamber.exit, 1)
  for (let gate = 0; gate < chamber.gates; gate++) paintGate(chamber, gate)
}

function paintGate(chamber: Chamber, gate: number): void {
  const tile = chamber.gateTile[gate]!
  put(chamber, chamber.plateCount[gate] === 2 ? PLANE.TWO_PLATE_GATE : PLANE.ONE_PLATE_GATE, tile, 1)
  put(chamber, PLANE.FIRST_GATE + gate, tile, 2)
  for (let i = 0; i < 2; i++) {
    const plate = chamber.gatePlate[2 * gate + i]!
    put(chamber, PLANE.FIRST_GATE + gate, plate, 1)
    put(chamber, PLANE.PLATE, plate, 1)
  }
}

function put(chamber: Chamber, plane: number, tile: number, value: number): void {
  const cell = plane * TILES + tile
  chamber.planes[cell] = value
  chamber.nibbles[cell >> 1]! |= value << ((cell & 1) << 2)
}

/** Most cells that `listMoving` lists. */
export const MAX_CHANGES = 64

/**
 * Lists the cells (plane * 81 + tile) that are not 0 on the planes that do not stand still, with their values,
 * and returns how many there are. A cell is listed once.
 */
export function listMoving(state: HourloomState, cells: Uint16Array, values: Uint8Array): number {
  const { chamber, sparkAt } = state
  let count = 0
  for (let i = 0; i < chamber.sparks; i++) {
    const tile = chamber.sparkTile[i]!
    if (sparkAt[tile] === 1) {
      cells[count] = PLANE.SPARK * TILES + tile
      values[count++] = 1
    }
  }
  cells[count] = PLANE.PLAYER * TILES + state.player
  values[count++] = 1
  if (state.sealed === 1) return count
  count = listGates(state, cells, values, count)
  count = listGoals(state, cells, values, count)
  return listEchoes(state, cells, values, count)
}

function listGates(state: HourloomState, cells: Uint16Array, values: Uint8Array, from: number): number {
  const { chamber, body } = state
  let count = from
  for (let gate = 0; gate < chamber.gates; gate++) {
    if (isOpenFor(state, gate, PLAYER)) {
      cells[count] = PLANE.OPEN_GATE * TILES + chamber.gateTile[gate]!
      values[count++] = 1
    }
    for (let i = 0; i < chamber.plateCount[gate]!; i++) {
      const plate = chamber.gatePlate[2 * gate + i]!
      if (body[plate]! < ECHO) continue
      cells[count] = PLANE.HELD_PLATE * TILES + plate
      values[count++] = 1
    }
  }
  return count
}

function listGoals(state: HourloomState, cells: Uint16Array, values: Uint8Array, from: number): number {
  const { chamber, lap, turn } = state
  let count = from
  for (let i = 0; i < chamber.flux; i++) {
    const tile = chamber.fluxTile[i]!
    for (let ahead = 0; ahead < 2; ahead++) {
      if (!isLit(chamber, tile, turn + ahead)) continue
      cells[count] = (PLANE.LIT_NOW + ahead) * TILES + tile
      values[count++] = 1
    }
  }
  if (state.hasKeystone === 0) {
    cells[count] = PLANE.LIVE_KEYSTONE * TILES + chamber.keystone[lap]!
    values[count++] = 1
  }
  for (let later = lap + 1; later < chamber.laps; later++) {
    cells[count] = PLANE.LATER_KEYSTONE * TILES + chamber.keystone[later]!
    values[count++] = later - lap
    cells[count] = PLANE.LATER_ALCOVE * TILES + chamber.alcove[later]!
    values[count++] = later - lap
  }
  return count
}

function listEchoes(state: HourloomState, cells: Uint16Array, values: Uint8Array, from: number): number {
  const { echoTile, log, lap, turn, chamber } = state
  let count = from
  for (let k = 0; k < lap; k++) {
    if (echoTile[k] === NO_TILE) continue
    cells[count] = (PLANE.FIRST_ECHO + k) * TILES + echoTile[k]!
    values[count++] = 1
  }
  const targets = count
  for (let k = 0; k < lap; k++) {
    const input = log[k * LOG + turn]!
    if (echoTile[k] === NO_TILE || input === WAIT) continue
    const tile = STEP[input * TILES + echoTile[k]!]!
    if (tile < 0 || chamber.terrain[tile] === OUTSIDE) continue
    const cell = PLANE.ECHO_TARGET * TILES + tile
    let at = targets
    while (at < count && cells[at] !== cell) at++
    if (at === count) {
      cells[count] = cell
      values[count++] = 0
    }
    values[at]!++
  }
  return count
}
