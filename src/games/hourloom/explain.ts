import type { Cell, Refusal } from '../../env/game.ts'
import { DESCEND, END_RUN, NUM_ACTIONS } from './actions.ts'
import { ENDED_BY_PLAYER, type HourloomState, NOBODY, PLAYER, RUNNING } from './state.ts'
import { colOf, DIRECTIONS, rowOf, STEP, TILES, WAIT } from './tiles.ts'
import { BLOCKED_BY_BODY, BLOCKED_BY_GATE, BLOCKED_BY_WALL, EDGE, obstacle } from './turn.ts'

/** The first reason that holds against an action number, or undefined when it is legal. */
export function explainAction(
  state: HourloomState,
  action: number,
  allowEndRun: boolean,
): Refusal | undefined {
  if (!Number.isInteger(action) || action < 0 || action >= NUM_ACTIONS) return unknownAction()
  if (state.ending !== RUNNING) return runEnded(state)
  if (action === END_RUN) {
    if (allowEndRun) return undefined
    return refusal('end_run_disabled', 'Ending the run is switched off by the configuration.')
  }
  if (action === DESCEND) {
    if (state.sealed === 1) return undefined
    const left = state.chamber.laps - state.lap
    return refusal('chamber_not_sealed', `The chamber is not sealed: ${count(left, 'lap')} to finish.`)
  }
  if (state.sealed === 1) {
    return refusal('lap_not_running', 'The chamber is sealed and no lap is running; descend or end the run.')
  }
  return action === WAIT ? undefined : explainMove(state, action)
}

function explainMove(state: HourloomState, input: number): Refusal | undefined {
  const dir = DIRECTIONS[input]
  const target = STEP[input * TILES + state.player]!
  switch (obstacle(state, target, PLAYER)) {
    case EDGE:
      return refusal('edge_of_chamber', `${dir} of you is the edge of the chamber.`, [cell(state.player)])
    case BLOCKED_BY_WALL:
      return refusal('wall', `${dir} of you is a wall.`, [cell(target)])
    case BLOCKED_BY_BODY: {
      const echo = state.body[target]! - PLAYER
      return refusal('echo_in_the_way', `${dir} of you stands echo ${echo}.`, [cell(target)])
    }
    case BLOCKED_BY_GATE:
      return gateShut(state, target, dir)
    default:
      return undefined
  }
}

function gateShut(state: HourloomState, target: number, dir: string | undefined): Refusal {
  const { chamber } = state
  const gate = chamber.gateAt[target]!
  const cells = [cell(target)]
  for (let i = 0; i < chamber.plateCount[gate]!; i++) {
    const plate = chamber.gatePlate[2 * gate + i]!
    if (state.body[plate] === NOBODY || state.body[plate] === PLAYER) cells.push(cell(plate))
  }
  const free = count(cells.length - 1, 'plate')
  return refusal('gate_shut', `${dir} of you is a shut gate: no echo holds ${free} of it.`, cells)
}

/** The refusal of anything that is not one of the actions. */
export function unknownAction(): Refusal {
  return refusal(
    'unknown_action',
    'An action is {"type":"MOVE","dir":"N"} (or E, S, W), {"type":"WAIT"}, {"type":"DESCEND"} or {"type":"END_RUN"}.',
  )
}

/** The refusal of a well-formed move in no known direction. */
export function badDirection(): Refusal {
  return refusal('bad_direction', 'dir is one of N, E, S and W.')
}

/** The refusal of anything after the end. */
export function runEnded(state: HourloomState): Refusal {
  return refusal('run_ended', `The run is over: ${endingText(state.ending)}.`)
}

/** How a run ended, in words. */
export function endingText(ending: number): string {
  return ending === ENDED_BY_PLAYER ? 'it was ended with END_RUN' : 'the sandglass is empty'
}

function refusal(reason: string, message: string, cells: readonly Cell[] = []): Refusal {
  return { reason, cells, message }
}

function cell(tile: number): Cell {
  return { row: rowOf(tile), col: colOf(tile) }
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
