import { ACTION_NAMES } from './actions.ts'
import { LOG, OUTSIDE, WALL } from './chamber.ts'
import { endingText } from './explain.ts'
import { ECHO, type HourloomState, NOBODY, PLAYER, RUNNING } from './state.ts'
import { colOf, NO_TILE, rowOf, SIDE } from './tiles.ts'
import { isOpenFor } from './turn.ts'

/** A flux tile's glyph by (turn + phase) modulo 4: calm, calm and lit next turn, lit, lit and calm next turn. */
const FLUX_GLYPHS = '_,%~'
/** A flux tile at a seal, where no turn will light it. */
const STILL_FLUX = '='

/** The observation as text; the glyphs are listed in the README. */
export function renderText(state: HourloomState): string {
  const { chamber } = state
  const lines: string[] = []
  for (let row = 0; row < chamber.size; row++) {
    let line = ''
    for (let col = 0; col < chamber.size; col++) line += glyph(state, row * SIDE + col)
    lines.push(line)
  }
  lines.push(`you: ${place(state, state.player)}`)
  for (let k = 0; k < Math.min(state.lap, chamber.laps - 1); k++) lines.push(echoLine(state, k))
  for (let gate = 0; gate < chamber.gates; gate++) lines.push(gateLine(state, gate))
  const lap = Math.min(state.lap, chamber.laps - 1)
  lines.push(`sand: ${state.sand} of ${chamber.budget[lap]}, turn ${state.turn}`)
  lines.push(state.sealed === 1 ? `lap: all ${chamber.laps} done` : lapLine(state))
  const sparks = `${state.sparksLeft} spark${state.sparksLeft === 1 ? '' : 's'} left`
  lines.push(`chamber: ${chamber.n}, awards at ${chamber.multiplier} percent, ${sparks}`)
  lines.push(`score: ${state.score}`)
  if (state.ending !== RUNNING) lines.push(`The run is over: ${endingText(state.ending)}.`)
  else if (state.sealed === 1) lines.push('The chamber is sealed.')
  return lines.join('\n')
}

function lapLine(state: HourloomState): string {
  const keystone = state.hasKeystone === 1 ? 'keystone taken' : 'keystone not taken'
  return `lap: ${state.lap + 1} of ${state.chamber.laps}, ${keystone}`
}

function glyph(state: HourloomState, tile: number): string {
  const { chamber } = state
  if (chamber.terrain[tile] === OUTSIDE) return ' '
  if (chamber.terrain[tile] === WALL) return '#'
  const body = state.body[tile]!
  if (body === PLAYER) return '@'
  if (body !== NOBODY) return String(body - ECHO + 1)
  return groundGlyph(state, tile)
}

function groundGlyph(state: HourloomState, tile: number): string {
  const { chamber } = state
  if (tile === chamber.exit) return 'X'
  const gate = chamber.gateAt[tile]!
  if (gate >= 0) return gateName(gate)
  const plate = plateGate(state, tile)
  if (plate >= 0) return gateName(plate).toLowerCase()
  if (state.sparkAt[tile] === 1) return '*'
  const phase = chamber.fluxPhase[tile]!
  if (phase < 0) return goalGlyph(state, tile)
  return state.sealed === 1 ? STILL_FLUX : FLUX_GLYPHS[(state.turn + phase) & 3]!
}

function goalGlyph(state: HourloomState, tile: number): string {
  const { chamber, lap } = state
  if (state.sealed === 1) return '.'
  if (tile === chamber.keystone[lap]) return state.hasKeystone === 1 ? '.' : 'K'
  for (let later = lap + 1; later < chamber.laps; later++) {
    if (tile === chamber.keystone[later]) return LATER_KEYSTONES[later - lap - 1]!
    if (tile === chamber.alcove[later]) return LATER_ALCOVES[later - lap - 1]!
  }
  return '.'
}

const LATER_KEYSTONES = 'klmno'
const LATER_ALCOVES = 'uvwxy'

function gateName(gate: number): string {
  return 'ABCDE'[gate]!
}

function plateGate(state: HourloomState, tile: number): number {
  const { gates, gatePlate } = state.chamber
  for (let gate = 0; gate < gates; gate++) {
    if (gatePlate[2 * gate] === tile || gatePlate[2 * gate + 1] === tile) return gate
  }
  return -1
}

function place(state: HourloomState, tile: number): string {
  const at = `row ${rowOf(tile)}, col ${colOf(tile)}`
  const under = groundGlyph(state, tile)
  return under === '.' ? at : `${at}, on ${under}`
}

function echoLine(state: HourloomState, k: number): string {
  const tile = state.echoTile[k]!
  if (tile === NO_TILE) return `echo ${k + 1}: gone`
  const next = ACTION_NAMES[state.log[k * LOG + state.turn]!]
  const left = state.logLength[k]! - state.turn
  return `echo ${k + 1}: next ${next}, ${left} left, ${place(state, tile)}`
}

function gateLine(state: HourloomState, gate: number): string {
  const { plateCount } = state.chamber
  const open = isOpenFor(state, gate, PLAYER) ? 'open' : 'shut'
  const plates = plateCount[gate] === 1 ? '1 plate' : '2 plates'
  return `gate ${gateName(gate)}: ${open} for you, ${plates} ${gateName(gate).toLowerCase()}`
}
