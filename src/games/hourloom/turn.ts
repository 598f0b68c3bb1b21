/**
 * One turn of a lap, and the start of laps and chambers.
 *
 * Within a turn the player resolves first and then every live echo in lap order, each through the same
 * movement rule. A lap ends at the player's own resolution, so on its last turn no echo acts.
 */
import { type Chamber, FLOOR, LOG } from './chamber.ts'
import { ECHO, type HourloomState, NOBODY, PLAYER, SAND_RAN_OUT } from './state.ts'
import { NO_TILE, STEP, TILES, WAIT } from './tiles.ts'

/** What stands in a mover's way, in the order in which it is looked for. */
export const CLEAR = 0
export const EDGE = 1
export const BLOCKED_BY_WALL = 2
export const BLOCKED_BY_BODY = 3
export const BLOCKED_BY_GATE = 4

const SPARK_POINTS = 15
const KEYSTONE_POINTS = 25
const PLATE_POINTS = 25
const LAP_POINTS = 50
const GRAIN_POINTS = 3
const SEAL_POINTS = 150
const FLUX_TOLL = 3

/** What stops `mover` (PLAYER or ECHO + k) from entering `target`, a tile or -1 over the edge. */
export function obstacle(state: HourloomState, target: number, mover: number): number {
  if (target < 0) return EDGE
  const ground = state.chamber.terrain[target]!
  if (ground !== FLOOR) return ground === 1 ? BLOCKED_BY_WALL : EDGE
  if (state.body[target] !== NOBODY) return BLOCKED_BY_BODY
  const gate = state.chamber.gateAt[target]!
  return gate < 0 || isOpenFor(state, gate, mover) ? CLEAR : BLOCKED_BY_GATE
}

/** Whether each plate of a gate carries a body other than `mover`. */
export function isOpenFor(state: HourloomState, gate: number, mover: number): boolean {
  const plates = state.chamber.gatePlate
  const first = state.body[plates[2 * gate]!]!
  const second = state.body[plates[2 * gate + 1]!]!
  return first !== NOBODY && first !== mover && second !== NOBODY && second !== mover
}

/** Whether a tile is a flux tile that is lit on a turn. */
export function isLit(chamber: Chamber, tile: number, turn: number): boolean {
  const phase = chamber.fluxPhase[tile]!
  return phase >= 0 && ((turn + phase) & 3) >= 2
}

/** Stands the run at lap 0 of a chamber; score and generator are left alone. */
export function enterChamber(state: HourloomState, chamber: Chamber): void {
  state.chamber = chamber
  state.sealed = 0
  state.logLength.fill(0)
  state.log.fill(0)
  state.sparkAt.fill(0)
  for (let i = 0; i < chamber.sparks; i++) state.sparkAt[chamber.sparkTile[i]!] = 1
  state.sparksLeft = chamber.sparks
  startLap(state, 0)
}

function startLap(state: HourloomState, lap: number): void {
  const { chamber, body, echoTile } = state
  body.fill(NOBODY)
  for (let k = 0; k < lap; k++) {
    echoTile[k] = chamber.alcove[k]!
    body[chamber.alcove[k]!] = ECHO + k
  }
  for (let k = lap; k < echoTile.length; k++) echoTile[k] = NO_TILE
  state.lap = lap
  state.turn = 0
  state.sand = chamber.budget[lap]!
  state.hasKeystone = 0
  state.player = chamber.alcove[lap]!
  body[state.player] = PLAYER
}

/** Plays a legal move or wait of the running lap and returns the points it earned. */
export function resolveTurn(state: HourloomState, input: number): number {
  state.log[state.lap * LOG + state.turn] = input
  let points = 0
  if (input !== WAIT) {
    const target = STEP[input * TILES + state.player]!
    state.body[state.player] = NOBODY
    state.body[target] = PLAYER
    state.player = target
    if (target === state.chamber.exit && state.hasKeystone === 1) return finishLap(state)
    points = pickUp(state, target)
  }
  const toll = isLit(state.chamber, state.player, state.turn) ? FLUX_TOLL : 0
  const jostles = moveEchoes(state)
  state.turn++
  state.sand -= 1 + toll + jostles
  if (state.sand <= 0) {
    state.sand = 0
    state.ending = SAND_RAN_OUT
  }
  return points
}

function pickUp(state: HourloomState, tile: number): number {
  const { chamber } = state
  let points = 0
  const gate = chamber.gateAt[tile]!
  // The player could only come in because every plate is held by an echo.
  if (gate >= 0) points += award(state, PLATE_POINTS * chamber.plateCount[gate]!)
  if (state.sparkAt[tile] === 1) {
    state.sparkAt[tile] = 0
    state.sparksLeft--
    points += award(state, SPARK_POINTS)
  }
  if (tile === chamber.keystone[state.lap] && state.hasKeystone === 0) {
    state.hasKeystone = 1
    points += award(state, KEYSTONE_POINTS)
  }
  return points
}

function moveEchoes(state: HourloomState): number {
  const { body, echoTile, log, logLength, turn } = state
  let jostles = 0
  for (let k = 0; k < state.lap; k++) {
    const from = echoTile[k]!
    if (from === NO_TILE) continue
    const input = log[k * LOG + turn]!
    if (input === WAIT) continue
    const target = STEP[input * TILES + from]!
    const blocked = obstacle(state, target, ECHO + k)
    if (blocked === CLEAR) {
      body[from] = NOBODY
      body[target] = ECHO + k
      echoTile[k] = target
    } else if (blocked === BLOCKED_BY_BODY && body[target] === PLAYER) {
      jostles++
    }
  }
  for (let k = 0; k < state.lap; k++) {
    const tile = echoTile[k]!
    if (tile !== NO_TILE && turn + 1 >= logLength[k]!) {
      body[tile] = NOBODY
      echoTile[k] = NO_TILE
    }
  }
  return jostles
}

function finishLap(state: HourloomState): number {
  const { lap, chamber } = state
  state.turn++
  state.sand--
  state.logLength[lap] = state.turn
  state.lapsCompleted++
  const points = award(state, LAP_POINTS + GRAIN_POINTS * state.sand)
  if (lap + 1 < chamber.laps) {
    startLap(state, lap + 1)
    return points
  }
  state.lap = chamber.laps
  state.sealed = 1
  for (let k = 0; k < lap; k++) {
    const tile = state.echoTile[k]!
    if (tile !== NO_TILE) state.body[tile] = NOBODY
    state.echoTile[k] = NO_TILE
  }
  return points + award(state, SEAL_POINTS)
}

/** Multiplies and rounds one award, half a point up, and adds it to the score. */
function award(state: HourloomState, points: number): number {
  const earned = ((points * state.chamber.multiplier + 50) / 100) | 0
  state.score += earned
  return earned
}
