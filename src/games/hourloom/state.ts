import type { SeededState } from '../../random/seeded.ts'
import { type Chamber, createChamber, LOG } from './chamber.ts'
import { MAX_ECHOES, MAX_LAPS } from './difficulty.ts'
import { NO_TILE, TILES } from './tiles.ts'

/** Bodies on a tile: none, the player, or `ECHO + k` for echo k (0-based). */
export const NOBODY = 0
export const PLAYER = 1
export const ECHO = 2

/** How a run ended. */
export const RUNNING = 0
export const SAND_RAN_OUT = 1
export const ENDED_BY_PLAYER = 2

/** Everything about one run: plain data, allocated once and changed in place. */
export interface HourloomState {
  /** The run's generator; a lap turn never advances it. */
  readonly random: SeededState
  /** The chamber being played, and room for one that is built ahead of a DESCEND and one ahead of a reset. */
  chamber: Chamber
  next: Chamber
  first: Chamber
  /** The seed that `first` was built for ('': none), and its generator after that. */
  firstSeed: string
  readonly firstRandom: SeededState
  /** RUNNING, SAND_RAN_OUT or ENDED_BY_PLAYER. */
  ending: number
  sealed: number
  score: number
  /** Laps completed in the run. */
  lapsCompleted: number
  /** The running lap, 0-based; the number of laps once sealed. */
  lap: number
  /** Index of the turn to be resolved next, 0-based in the lap. */
  turn: number
  sand: number
  hasKeystone: number
  /** The player's tile. */
  player: number
  /** [81] uint8 NOBODY, PLAYER or ECHO + k. */
  readonly body: Uint8Array
  /** [5] uint8 an echo's tile, or NO_TILE when it is not alive. */
  readonly echoTile: Uint8Array
  /** [81] uint8 1 where a spark still lies. */
  readonly sparkAt: Uint8Array
  sparksLeft: number
  /** [6, 96] uint8 recorded inputs by lap. */
  readonly log: Uint8Array
  /** [6] uint8 recorded inputs of each finished lap. */
  readonly logLength: Uint8Array
}

/** Allocates a state; it holds no chamber yet. */
export function createState(): HourloomState {
  return {
    random: { c: 1, s0: 0, s1: 0, s2: 0 },
    chamber: createChamber(),
    next: createChamber(),
    first: createChamber(),
    firstSeed: '',
    firstRandom: { c: 1, s0: 0, s1: 0, s2: 0 },
    ending: RUNNING,
    sealed: 0,
    score: 0,
    lapsCompleted: 0,
    lap: 0,
    turn: 0,
    sand: 0,
    hasKeystone: 0,
    player: 0,
    body: new Uint8Array(TILES),
    echoTile: new Uint8Array(MAX_ECHOES).fill(NO_TILE),
    sparkAt: new Uint8Array(TILES),
    sparksLeft: 0,
    log: new Uint8Array(MAX_LAPS * LOG),
    logLength: new Uint8Array(MAX_LAPS),
  }
}
