import { MAX_GATES, MAX_LAPS } from './difficulty.ts'
import { NO_TILE, TILES } from './tiles.ts'

/** Most turns that a scripted lap may take. */
export const HORIZON = 72
/** The sandglass of a lap that the script finishes in `turns` turns. */
export function budgetFor(turns: number): number {
  return turns + 4 + Math.ceil(turns / 4)
}
/** Shortest script: one step to the keystone and one to the exit. */
export const MIN_BUDGET = budgetFor(2)
/** Largest sandglass. */
export const MAX_BUDGET = budgetFor(HORIZON)
/** Inputs stored a lap; a turn costs a grain or more, so no log grows past `MAX_BUDGET`. */
export const LOG = 96

/** Kinds of ground. */
export const FLOOR = 0
export const WALL = 1
export const OUTSIDE = 2

/** Planes of the observation, and their size; what stands still is painted once a chamber. */
export const PLANES = 27
export const PLANE_BYTES = PLANES * TILES
export const PLANE_NIBBLE_BYTES = Math.ceil(PLANE_BYTES / 2)

/** A chamber as it was built; nothing in it changes while it is played. Gates are in tile order. */
export interface Chamber {
  /** The generator's value it was built from, and its number; -1 and 0 before the first build. */
  value: number
  n: number
  size: number
  laps: number
  gates: number
  sparks: number
  flux: number
  exit: number
  multiplier: number
  /** Whether it came from a stored value because every draw was refused. */
  fallback: number
  /** [81] uint8 FLOOR, WALL or OUTSIDE. */
  terrain: Uint8Array
  /** [81] int8 the gate that stands on a tile, or -1. */
  gateAt: Int8Array
  /** [5] uint8 a gate's tile. */
  gateTile: Uint8Array
  /** [5, 2] uint8 a gate's plates; a one-plate gate has its plate twice. */
  gatePlate: Uint8Array
  /** [5] uint8 how many plates a gate has. */
  plateCount: Uint8Array
  /** [5] uint8 the lap (0-based) whose keystone lies behind the gate. */
  gateLap: Uint8Array
  /** [6] uint8 tiles, by lap. */
  alcove: Uint8Array
  keystone: Uint8Array
  /** [6] uint8 grains, by lap. */
  budget: Uint8Array
  /** [8] uint8 flux tiles; [81] int8 the phase 0..3 of a flux tile, or -1. */
  fluxTile: Uint8Array
  fluxPhase: Int8Array
  /** [6] uint8 spark tiles. */
  sparkTile: Uint8Array
  /** [6, 96] uint8 the script's inputs by lap, and how many: never shown. */
  script: Uint8Array
  scriptLength: Uint8Array
  /** [27, 9, 9] uint8 the planes that stand still, dense and as packed nibbles. */
  planes: Uint8Array
  nibbles: Uint8Array
}

/** Allocates an empty chamber. */
export function createChamber(): Chamber {
  return {
    value: -1,
    n: 0,
    size: 0,
    laps: 0,
    gates: 0,
    sparks: 0,
    flux: 0,
    exit: 0,
    multiplier: 100,
    fallback: 0,
    terrain: new Uint8Array(TILES),
    gateAt: new Int8Array(TILES),
    gateTile: new Uint8Array(MAX_GATES),
    gatePlate: new Uint8Array(2 * MAX_GATES),
    plateCount: new Uint8Array(MAX_GATES),
    gateLap: new Uint8Array(MAX_GATES),
    alcove: new Uint8Array(MAX_LAPS),
    keystone: new Uint8Array(MAX_LAPS),
    budget: new Uint8Array(MAX_LAPS),
    fluxTile: new Uint8Array(8),
    fluxPhase: new Int8Array(TILES),
    sparkTile: new Uint8Array(6),
    script: new Uint8Array(MAX_LAPS * LOG),
    scriptLength: new Uint8Array(MAX_LAPS),
    planes: new Uint8Array(PLANE_BYTES),
    nibbles: new Uint8Array(PLANE_NIBBLE_BYTES),
  }
}

/** Empties a chamber before it is filled. */
export function clearChamber(chamber: Chamber): void {
  chamber.terrain.fill(OUTSIDE)
  chamber.gateAt.fill(-1)
  chamber.gateTile.fill(NO_TILE)
  chamber.gatePlate.fill(NO_TILE)
  chamber.plateCount.fill(0)
  chamber.gateLap.fill(0)
  chamber.alcove.fill(NO_TILE)
  chamber.keystone.fill(NO_TILE)
  chamber.budget.fill(0)
  chamber.fluxTile.fill(NO_TILE)
  chamber.fluxPhase.fill(-1)
  chamber.sparkTile.fill(NO_TILE)
  chamber.script.fill(0)
  chamber.scriptLength.fill(0)
  chamber.fallback = 0
}
