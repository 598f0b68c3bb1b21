/**
 * Hourloom after the rules of the game of that name at gameboard.gg. Where those are silent or can be read in
 * two ways, the README of this folder lists what holds here.
 */
import type { Refusal, Rules } from '../../env/game.ts'
import { nextBits53, type SeededState, seedState } from '../../random/seeded.ts'
import { DESCEND, END_RUN, NUM_ACTIONS } from './actions.ts'
import type { Chamber } from './chamber.ts'
import type { HourloomConfig } from './config.ts'
import { explainAction } from './explain.ts'
import { generateChamber } from './generate.ts'
import { createState, ENDED_BY_PLAYER, type HourloomState, PLAYER, RUNNING } from './state.ts'
import { STEP, TILES, WAIT } from './tiles.ts'
import { CLEAR, enterChamber, obstacle, resolveTurn } from './turn.ts'

/** The rules for one configuration. */
export function createRules(config: HourloomConfig): Rules<HourloomState> {
  const endRun = config.allowEndRun ? 1 : 0
  return {
    createState,
    reset: (state, seed) => resetRun(state, seed, config.startChamber),
    step,
    isTerminal: (state) => state.ending !== RUNNING,
    writeMask: (state, out, offset) => writeMask(state, out, offset, endRun),
    explain: (state, action): Refusal | undefined => explainAction(state, action, config.allowEndRun),
    prepareStep,
    prepareReset: (state, seed) => prepareReset(state, seed, config.startChamber),
  }
}

function resetRun(state: HourloomState, seed: string, n: number): void {
  seedState(state.random, seed)
  const value = nextBits53(state.random)
  if (!isBuilt(state.first, value, n)) generateChamber(state.first, value, n)
  state.ending = RUNNING
  state.score = 0
  state.lapsCompleted = 0
  const used = state.chamber
  enterChamber(state, state.first)
  state.first = used
}

function descend(state: HourloomState): void {
  const n = state.chamber.n + 1
  const value = nextBits53(state.random)
  if (!isBuilt(state.next, value, n)) generateChamber(state.next, value, n)
  const used = state.chamber
  enterChamber(state, state.next)
  state.next = used
}

/** A chamber is a function of its value and number alone, so one that matches need not be built again. */
function isBuilt(chamber: Chamber, value: number, n: number): boolean {
  return chamber.value === value && chamber.n === n
}

function step(state: HourloomState, action: number): number {
  if (action <= WAIT) return resolveTurn(state, action)
  if (action === DESCEND) descend(state)
  else state.ending = ENDED_BY_PLAYER
  return 0
}

function writeMask(state: HourloomState, out: Uint8Array, offset: number, endRun: number): void {
  if (state.ending !== RUNNING) {
    out.fill(0, offset, offset + NUM_ACTIONS)
    return
  }
  const live = 1 - state.sealed
  for (let input = 0; input < WAIT; input++) {
    const target = STEP[input * TILES + state.player]!
    out[offset + input] = live === 1 && obstacle(state, target, PLAYER) === CLEAR ? 1 : 0
  }
  out[offset + WAIT] = live
  out[offset + DESCEND] = state.sealed
  out[offset + END_RUN] = endRun
}

const peeked: SeededState = { c: 1, s0: 0, s1: 0, s2: 0 }

/** Builds the next chamber once the chamber's last lap has begun; most runs never need it earlier. */
function prepareStep(state: HourloomState): boolean {
  const { random, chamber } = state
  if (state.ending !== RUNNING || state.lap + 1 < chamber.laps) return false
  peeked.c = random.c
  peeked.s0 = random.s0
  peeked.s1 = random.s1
  peeked.s2 = random.s2
  return build(state.next, nextBits53(peeked), chamber.n + 1)
}

function prepareReset(state: HourloomState, seed: string, n: number): boolean {
  seedState(peeked, seed)
  return build(state.first, nextBits53(peeked), n)
}

function build(chamber: Chamber, value: number, n: number): boolean {
  if (isBuilt(chamber, value, n)) return false
  generateChamber(chamber, value, n)
  return true
}
