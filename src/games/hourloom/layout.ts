/**
 * Ground: pockets closed by a gate each, then loose walls. The main region, where everything but the gated
 * keystones lies, stays in one piece, and each gate keeps a front tile in it.
 */
import type { Draft } from './draft.ts'
import { add, has, isConnected, nth, type Region, remove, size, spread, touches } from './region.ts'
import { SIDE } from './tiles.ts'

const POCKET_TRIES = 24
/** Tiles without a role that the main region keeps beyond those that get one. */
const SPARE_TILES = 4

/** Draws the ground of a draft; false when no place was found for a gate. */
export function drawLayout(draft: Draft): boolean {
  const { grid, main, taken, level } = draft
  grid.fill(0)
  for (let row = 0; row < level.size; row++) {
    for (let col = 0; col < level.size; col++) add(grid, row * SIDE + col)
  }
  main.set(grid)
  taken.fill(0)
  for (let gate = 0; gate < level.gates; gate++) {
    let tries = POCKET_TRIES
    while (!tryPocket(draft, gate)) if (--tries === 0) return false
  }
  scatterWalls(draft)
  return size(main) >= neededTiles(draft)
}

function neededTiles(draft: Draft): number {
  const { laps, gates, twoPlateGates, flux, sparks } = draft.level
  return 1 + gates + twoPlateGates + laps + (laps - gates) + flux + sparks + SPARE_TILES
}

const pocket: Region = new Int32Array(3)
const near: Region = new Int32Array(3)
const rest: Region = new Int32Array(3)
const choice: Region = new Int32Array(3)

function tryPocket(draft: Draft, gate: number): boolean {
  const { random, main, taken, grid } = draft
  growPocket(draft, 1 + random.below(draft.level.gates <= 2 ? 5 : 3))
  spread(pocket, near)
  for (let i = 0; i < 3; i++) {
    near[i] = near[i]! & grid[i]! & ~pocket[i]!
    if ((near[i]! & taken[i]!) !== 0) return false
    rest[i] = main[i]! & ~pocket[i]! & ~near[i]!
    choice[i] = main[i]! & near[i]!
  }
  const doors = size(choice)
  if (doors === 0) return false
  const door = nth(choice, random.below(doors))
  if (touches(taken, door) || !touches(rest, door) || !isConnected(rest)) return false
  for (let other = 0; other < gate; other++) if (!touches(rest, draft.gateTile[other]!)) return false
  main.set(rest)
  draft.gateTile[gate] = door
  for (let i = 0; i < 3; i++) {
    draft.pocket[gate * 3 + i] = pocket[i]!
    taken[i]! |= pocket[i]!
  }
  add(taken, door)
  findDeepest(draft, gate)
  return true
}

function growPocket(draft: Draft, tiles: number): void {
  const { random, main } = draft
  pocket.fill(0)
  add(pocket, nth(main, random.below(size(main))))
  for (let grown = 1; grown < tiles; grown++) {
    spread(pocket, choice)
    for (let i = 0; i < 3; i++) choice[i] = choice[i]! & main[i]! & ~pocket[i]!
    const open = size(choice)
    if (open === 0) return
    add(pocket, nth(choice, random.below(open)))
  }
}

/** The first in tile order of the pocket's tiles that are farthest from the gate. */
function findDeepest(draft: Draft, gate: number): void {
  choice.fill(0)
  add(choice, draft.gateTile[gate]!)
  rest.fill(0)
  let depth = 0
  for (;;) {
    spread(choice, choice)
    let fresh = 0
    for (let i = 0; i < 3; i++) {
      choice[i] = choice[i]! & pocket[i]! & ~rest[i]!
      fresh |= choice[i]!
    }
    if (fresh === 0) return
    depth++
    draft.deepest[gate] = nth(choice, 0)
    draft.depth[gate] = depth
    for (let i = 0; i < 3; i++) rest[i]! |= choice[i]!
  }
}

function scatterWalls(draft: Draft): void {
  const { random, main, taken, level } = draft
  const area = level.size * level.size
  let walls = Math.round((area * (14 + random.below(11))) / 100)
  walls -= area - size(main) - size(taken)
  let tries = 2 * walls
  let room = size(main) - neededTiles(draft)
  while (walls > 0 && tries-- > 0 && room > 0) {
    const tile = nth(main, random.below(room + neededTiles(draft)))
    if (!canLose(draft, main, tile)) continue
    remove(main, tile)
    walls--
    room--
  }
}

/** Whether a region stays in one piece and in front of every gate without one of its tiles. */
export function canLose(draft: Draft, region: Region, tile: number): boolean {
  if (!has(region, tile)) return false
  remove(region, tile)
  let fine = isConnected(region)
  for (let gate = 0; fine && gate < draft.level.gates; gate++) fine = touches(region, draft.gateTile[gate]!)
  add(region, tile)
  return fine
}
