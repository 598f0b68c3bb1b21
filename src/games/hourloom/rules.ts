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
  prepareReset(state, seed, n)
  copyRandom(state.firstRandom, state.random)
  state.firstSeed = ''
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

/** A chamber is a function of its value and number alone: one that matches need not be built again. */
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
  const { random, chamber, next } = state
  if (state.ending !== RUNNING || state.lap + 1 < chamber.laps) return false
  copyRandom(random, peeked)
  const value = nextBits53(peeked)
  if (isBuilt(next, value, chamber.n + 1)) return false
  generateChamber(next, value, chamber.n + 1)
  return true
}

/** Builds the first chamber of a seed, unless that is what `first` holds. */
function prepareReset(state: HourloomState, seed: string, n: number): boolean {
  if (state.firstSeed === seed && state.first.n === n) return false
  seedState(state.firstRandom, seed)
  generateChamber(state.first, nextBits53(state.firstRandom), n)
  state.firstSeed = seed
  return true
}

function copyRandom(from: SeededState, to: SeededState): void {
  to.c = from.c
  to.s0 = from.s0
  to.s1 = from.s1
  to.s2 = from.s2
}
