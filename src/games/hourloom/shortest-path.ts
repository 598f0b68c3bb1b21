import { DESCEND } from './actions.ts'
import { type Chamber, FLOOR } from './chamber.ts'
import { MAX_LAPS } from './difficulty.ts'
import { add, measureSteps, type Region } from './region.ts'
import { createState, type HourloomState, PLAYER, RUNNING } from './state.ts'
import { NO_TILE, STEP, TILES, WAIT } from './tiles.ts'
import { CLEAR, enterChamber, obstacle, resolveTurn } from './turn.ts'

/** Tie-break orders of the shortest-path player: directions from first to last choice. */
export const TIE_BREAKS: readonly (readonly number[])[] = [
  [0, 1, 2, 3],
  [1, 2, 3, 0],
  [2, 3, 0, 1],
  [3, 0, 1, 2],
]

/**
 * A player that ignores time: it takes the shortest way to the keystone and then to the exit as if every gate
 * were open and nobody else there, and waits when no such step is legal now. Holds the ways of one chamber.
 */
export class ShortestPath {
  /** [7, 81] uint8 steps to the keystone of each lap and, last, to the exit. */
  private readonly steps = new Uint8Array((MAX_LAPS + 1) * TILES)
  private value = -1
  private number = 0
  private readonly floor: Region = new Int32Array(3)
  /** [7] uint8 1 where the steps of this chamber are measured. */
  private readonly measured = new Uint8Array(MAX_LAPS + 1)

  /** The input for a running lap, with the first of `order` among equally short steps. */
  choose(state: HourloomState, order: readonly number[]): number {
    const goal = state.hasKeystone === 1 ? MAX_LAPS : state.lap
    if (this.measured[goal] === 0) this.measure(state.chamber, goal)
    const at = goal * TILES
    const here = this.steps[at + state.player]!
    for (let i = 0; i < 4; i++) {
      const target = STEP[order[i]! * TILES + state.player]!
      if (target < 0 || this.steps[at + target]! >= here) continue
      if (obstacle(state, target, PLAYER) === CLEAR) return order[i]!
    }
    return WAIT
  }

  /** Takes up the state's chamber; to be called when it is entered. */
  enter(state: HourloomState): void {
    const { terrain } = state.chamber
    this.value = state.chamber.value
    this.number = state.chamber.n
    this.measured.fill(0)
    this.floor.fill(0)
    for (let tile = 0; tile < TILES; tile++) if (terrain[tile] === FLOOR) add(this.floor, tile)
  }

  /** Whether the player has taken up the state's chamber. */
  knows(state: HourloomState): boolean {
    return this.value === state.chamber.value && this.number === state.chamber.n
  }

  private measure(chamber: Chamber, goal: number): void {
    this.measured[goal] = 1
    const target = goal === MAX_LAPS ? chamber.exit : chamber.keystone[goal]!
    measureSteps(target, this.floor, this.steps, goal * TILES)
  }
}

/** The shortest-path player's action in any state: DESCEND at a seal; it measures anew when the chamber changes. */
export function shortestPathAction(
  player: ShortestPath,
  state: HourloomState,
  order: readonly number[],
): number {
  if (state.sealed === 1) return DESCEND
  if (!player.knows(state)) player.enter(state)
  return player.choose(state, order)
}

const player = new ShortestPath()
const scratch = createState()

/** Whether the shortest-path player seals a chamber with one of its tie-break orders. */
export function isSealedByShortestPath(chamber: Chamber): boolean {
  scratch.chamber = chamber
  player.enter(scratch)
  for (const order of TIE_BREAKS) {
    scratch.ending = RUNNING
    enterChamber(scratch, chamber)
    while (scratch.sealed === 0 && scratch.ending === RUNNING) {
      const input = player.choose(scratch, order)
      // Nothing will ever change for a player who waits alone.
      if (input === WAIT && isAlone(scratch)) break
      resolveTurn(scratch, input)
    }
    if (scratch.sealed === 1) return true
  }
  return false
}

function isAlone(state: HourloomState): boolean {
  for (let k = 0; k < state.lap; k++) if (state.echoTile[k] !== NO_TILE) return false
  return true
}
