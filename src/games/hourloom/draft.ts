import { MAX_BUDGET } from './chamber.ts'
import { ChamberRandom } from './chamber-random.ts'
import { type Difficulty, difficulty, MAX_FLUX, MAX_GATES, MAX_LAPS, MAX_SPARKS } from './difficulty.ts'
import type { Region } from './region.ts'
import { TILES } from './tiles.ts'

/** Points in time that are looked at: 0 (the start of a lap) to the end of the largest sandglass, and one more. */
export const MOMENTS = MAX_BUDGET + 2

/** Stations that distances are measured from: the exit, gates, plates and the keystones that lie in the open. */
export const EXIT_STATION = 0
export const GATE_STATION = 1
export const PLATE_STATION = GATE_STATION + MAX_GATES
export const KEYSTONE_STATION = PLATE_STATION + 2 * MAX_GATES
export const STATIONS = KEYSTONE_STATION + MAX_LAPS

/** A chamber while it is being drawn. Gates are in the order in which laps pass them, single ones first. */
export interface Draft {
  readonly random: ChamberRandom
  level: Difficulty
  /** Tiles of the chamber; those of the main region; those without the exit; those without the plates either. */
  readonly grid: Region
  readonly main: Region
  readonly walk: Region
  readonly core: Region
  /** Gates and pockets of all gates. */
  readonly taken: Region
  /** Tiles of the core that still have no role. */
  readonly free: Region
  readonly gateTile: Uint8Array
  /** [5, 3] int32 the pocket behind each gate, its deepest tile and that tile's distance from the gate. */
  readonly pocket: Int32Array
  readonly deepest: Uint8Array
  readonly depth: Uint8Array
  /** [5] the lap that passes each gate. */
  readonly passer: Uint8Array
  /** [6] the gate that each lap passes, or -1. */
  readonly gateOf: Int8Array
  /** [5, 2] plates; a one-plate gate uses the first. */
  readonly plate: Uint8Array
  exit: number
  readonly alcove: Uint8Array
  readonly keystone: Uint8Array
  readonly fluxTile: Uint8Array
  readonly fluxPhase: Uint8Array
  readonly spark: Uint8Array
  /** [4, 3] int32 the flux tiles that are lit on turns 0..3 modulo 4. */
  readonly lit: Int32Array
  /** [22, 81] uint8 steps from a station to a tile. */
  readonly distance: Uint8Array
  /** [5] int32 the turns on which each meeting starts and ends. */
  readonly start: Int32Array
  readonly end: Int32Array
  /** [6, MOMENTS] uint8 the tile of each lap's script at each point in time; [6] its turns. */
  readonly path: Uint8Array
  readonly turns: Uint8Array
  /** [MOMENTS, 3] int32 the tiles of all laps planned so far, by point in time. */
  readonly crowd: Int32Array
  /** [MOMENTS, 3] int32 tiles that the lap in hand leaves to later laps, by point in time. */
  readonly yielded: Int32Array
  /** [6] the point in time at which each script has nothing left to do but leave. */
  readonly doneAt: Uint8Array
}

/** Allocates a draft. */
export function createDraft(): Draft {
  return {
    random: new ChamberRandom(),
    level: difficulty(1),
    grid: new Int32Array(3),
    main: new Int32Array(3),
    walk: new Int32Array(3),
    core: new Int32Array(3),
    taken: new Int32Array(3),
    free: new Int32Array(3),
    gateTile: new Uint8Array(MAX_GATES),
    pocket: new Int32Array(MAX_GATES * 3),
    deepest: new Uint8Array(MAX_GATES),
    depth: new Uint8Array(MAX_GATES),
    passer: new Uint8Array(MAX_GATES),
    gateOf: new Int8Array(MAX_LAPS),
    plate: new Uint8Array(2 * MAX_GATES),
    exit: 0,
    alcove: new Uint8Array(MAX_LAPS),
    keystone: new Uint8Array(MAX_LAPS),
    fluxTile: new Uint8Array(MAX_FLUX),
    fluxPhase: new Uint8Array(MAX_FLUX),
    spark: new Uint8Array(MAX_SPARKS),
    lit: new Int32Array(12),
    distance: new Uint8Array(STATIONS * TILES),
    start: new Int32Array(MAX_GATES),
    end: new Int32Array(MAX_GATES),
    path: new Uint8Array(MAX_LAPS * MOMENTS),
    turns: new Uint8Array(MAX_LAPS),
    crowd: new Int32Array(MOMENTS * 3),
    yielded: new Int32Array(MOMENTS * 3),
    doneAt: new Uint8Array(MAX_LAPS),
  }
}

/** How many plates gate `gate` of a draft has. */
export function plateCount(draft: Draft, gate: number): number {
  return gate < draft.level.gates - draft.level.twoPlateGates ? 1 : 2
}
