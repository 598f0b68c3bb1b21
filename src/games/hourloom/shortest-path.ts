import { DESCEND } from './actions.ts'
import { type Chamber, createChamber, FLOOR } from './chamber.ts'
import { MAX_LAPS } from './difficulty.ts'
import { createState, type HourloomState, PLAYER, RUNNING } from './state.ts'
import { STEP, TILES, WAIT } from './tiles.ts'
import { CLEAR, enterChamber, obstacle, resolveTurn } from './turn.ts'

/** Tie-break orders of the shortest-path player: directions from first to last choice. */
export const TIE_BREAKS: readonly (readonly number[])[] = [
  [0, 1, 2, 3],
  [1, 2, 3, 0],
  [2, 3, 0, 1],
  [3, 0, 1, 2],
]

const UNREACHABLE = 255

/**
 * A player that ignores time: it takes the shortest way to the keystone and then to the exit as if every gate
 * were open and nobody else there, and waits when no such step is legal now. Holds the ways of one chamber.
 */
export class ShortestPath {
  /** [7, 81] uint8 steps to the keystone of each lap and, last, to the exit. */
  private readonly steps = new Uint8Array((MAX_LAPS + 1) * TILES)
  private chamber: Chamber = createChamber()
  private value = -1
  private number = 0
  private readonly queue = new Uint8Array(TILES)

  /** The input for a running lap, with the first of `order` among equally short steps. */
  choose(state: HourloomState, order: readonly number[]): number {
    const at = (state.hasKeystone === 1 ? MAX_LAPS : state.lap) * TILES
    const here = this.steps[at + state.player]!
    for (let i = 0; i < 4; i++) {
      const target = STEP[order[i]! * TILES + state.player]!
      if (target < 0 || this.steps[at + target]! >= here) continue
      if (obstacle(state, target, PLAYER) === CLEAR) return order[i]!
    }
    return WAIT
  }

  /** Measures the ways of the state's chamber; to be called when it is entered. */
  enter(state: HourloomState): void {
    this.chamber = state.chamber
    this.value = state.chamber.value
    this.number = state.chamber.n
    for (let lap = 0; lap < this.chamber.laps; lap++) this.measure(lap, this.chamber.keystone[lap]!)
    this.measure(MAX_LAPS, this.chamber.exit)
  }

  /** Whether the ways are those of the state's chamber. */
  knows(state: HourloomState): boolean {
    return this.value === state.chamber.value && this.number === state.chamber.n
  }

  private measure(index: number, target: number): void {
    const { steps, queue } = this
    const at = index * TILES
    steps.fill(UNREACHABLE, at, at + TILES)
    steps[at + target] = 0
    queue[0] = target
    let length = 1
    for (let next = 0; next < length; next++) {
      const tile = queue[next]!
      for (let input = 0; input < 4; input++) {
        const beside = STEP[input * TILES + tile]!
        if (beside < 0 || steps[at + beside] !== UNREACHABLE) continue
        if (this.chamber.terrain[beside] !== FLOOR) continue
        steps[at + beside] = steps[at + tile]! + 1
        queue[length++] = beside
      }
    }
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
      resolveTurn(scratch, player.choose(scratch, order))
    }
    if (scratch.sealed === 1) return true
  }
  return false
}
