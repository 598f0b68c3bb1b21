import { describe, expect, it } from 'vitest'
import { type Chamber, createChamber, FLOOR, LOG, WALL } from '../../../src/games/hourloom/chamber.ts'
import { createDraft, MOMENTS } from '../../../src/games/hourloom/draft.ts'
import { explainAction } from '../../../src/games/hourloom/explain.ts'
import { generateChamber, tryValue } from '../../../src/games/hourloom/generate.ts'
import { isSealedByShortestPath } from '../../../src/games/hourloom/shortest-path.ts'
import { createState, type HourloomState, RUNNING } from '../../../src/games/hourloom/state.ts'
import { enterChamber, resolveTurn } from '../../../src/games/hourloom/turn.ts'
import { isSealedByScript } from '../../../src/games/hourloom/verify.ts'
import { scriptPaths } from './chamber-properties.ts'
import { drawChamber } from './draw.ts'

function generated(): Chamber {
  const chamber = createChamber()
  generateChamber(chamber, 987654321, 5)
  return chamber
}

/** Whether a chamber's script is accepted, for the ways that its own script walks or those of another. */
function isAccepted(chamber: Chamber, ways = scriptPaths(chamber)): boolean {
  const draft = createDraft()
  ways.forEach((path, lap) => {
    draft.turns[lap] = path.length - 1
    path.forEach((tile, t) => {
      const [row, col] = tile.split(',').map(Number) as [number, number]
      draft.path[lap * MOMENTS + t] = row * 9 + col
    })
  })
  return isSealedByScript(chamber, draft)
}

/** Makes the tile that a lap's script reaches at point `t` flux that is lit as the script steps onto it. */
function light(chamber: Chamber, lap: number, t: number): void {
  chamber.fluxPhase[tileOn(chamber, lap, t)] = (7 - (t % 4)) % 4
}

function tileOn(chamber: Chamber, lap: number, t: number): number {
  const [row, col] = scriptPaths(chamber)[lap]![t]!.split(',').map(Number) as [number, number]
  return row * 9 + col
}

/** Gives a drawn chamber a script, a string of N, E, S, W and `.` a lap. */
function writeScript(chamber: Chamber, scripts: readonly string[]): Chamber {
  scripts.forEach((script, lap) => {
    chamber.scriptLength[lap] = script.length
    chamber.script.set(
      Array.from(script, (input) => 'NESW.'.indexOf(input)),
      lap * LOG,
    )
  })
  return chamber
}

describe('the replay of a script in the real rules', () => {
  it('accepts what the generator made', () => {
    expect(isAccepted(generated())).toBe(true)
  })

  it('refuses a script with a refused move, a wait too many, or a lap too few', () => {
    for (const spoil of [
      (chamber: Chamber) => {
        chamber.terrain[tileOn(chamber, 1, 3)] = WALL
      },
      (chamber: Chamber) => {
        chamber.script.copyWithin(1, 0, LOG - 1)
        chamber.script[0] = 4
        chamber.scriptLength[0]!++
      },
      (chamber: Chamber) => {
        chamber.scriptLength[chamber.laps - 1]!--
      },
    ]) {
      const chamber = generated()
      spoil(chamber)
      expect(isAccepted(chamber)).toBe(false)
    }
  })

  it('refuses a toll', () => {
    const chamber = generated()
    light(chamber, 2, 5)
    expect(isAccepted(chamber)).toBe(false)
  })

  it('refuses an echo that is held, though it costs nothing', () => {
    const picture = '1aX.p\n.#.#.\n2A3q.\nr....'
    const sound = ['E..EEEWW', '.EEEWNN', 'SWWEE..NNN']
    expect(isAccepted(writeScript(drawChamber(picture), sound))).toBe(true)
    // Lap 2 goes in as echo 1 is about to leave the plate; replayed, it comes second and is held.
    const late = ['E..EEEWW', '...EEEWNN', 'SWWEE..NNN']
    expect(isAccepted(writeScript(drawChamber(picture), late))).toBe(false)
  })
})

const ORDERS = [
  [0, 1, 2, 3],
  [1, 2, 3, 0],
  [2, 3, 0, 1],
  [3, 0, 1, 2],
]

/** Whether a player seals a chamber who takes the first legal step of an order that brings it nearer, and else waits. */
function isSealedByWalking(chamber: Chamber, order: readonly number[]): boolean {
  const state = createState()
  enterChamber(state, chamber)
  while (state.sealed === 0 && state.ending === RUNNING) {
    const steps = stepsTo(chamber, goalOf(state))
    const here = steps.get(state.player)!
    const input = order.find(
      (each) => steps.get(next(state.player, each))! < here && explainAction(state, each, true) === undefined,
    )
    resolveTurn(state, input ?? 4)
  }
  return state.sealed === 1
}

function goalOf({ chamber, hasKeystone, lap }: HourloomState): number {
  return hasKeystone === 1 ? chamber.exit : chamber.keystone[lap]!
}

/** The tile in a direction, or -1 over the edge. */
function next(tile: number, input: number): number {
  const row = Math.floor(tile / 9) + [-1, 0, 1, 0][input]!
  const col = (tile % 9) + [0, 1, 0, -1][input]!
  return row < 0 || row > 8 || col < 0 || col > 8 ? -1 : row * 9 + col
}

/** How many steps over floor lead from each tile to a goal, as if every gate were open. */
function stepsTo(chamber: Chamber, goal: number): Map<number, number> {
  const steps = new Map([[goal, 0]])
  for (const [tile, count] of steps) {
    for (let input = 0; input < 4; input++) {
      const to = next(tile, input)
      if (to >= 0 && chamber.terrain[to] === FLOOR && !steps.has(to)) steps.set(to, count + 1)
    }
  }
  return steps
}

describe('the player who takes the shortest way', () => {
  it('seals a chamber without gates', () => {
    expect(isSealedByShortestPath(drawChamber('1..p.X\n2..q..\n......'))).toBe(true)
  })

  it('does not get through a gate that nobody holds', () => {
    expect(isSealedByShortestPath(drawChamber('1..pX\n2.a..\n##A##\n##q##'))).toBe(false)
  })

  it('gets through one by luck, with one order of ties or another', () => {
    // Echo 1 comes over the plate just when lap 2 wants in.
    expect(isSealedByShortestPath(drawChamber('1a.p.X\n2Aq...\n......'))).toBe(true)
  })

  // Chambers of number 1 whose first draw one order of ties alone seals, by generator value.
  it.each([
    [0, [0, 1, 2, 3], [296, 724, 838]],
    [1, [1, 2, 3, 0], [493, 624, 662]],
    [2, [2, 3, 0, 1], [16, 400, 1538]],
    [3, [3, 0, 1, 2], [186, 379, 580]],
  ])('makes a draw refused that only order %i of the four seals', (_, order, values) => {
    for (const value of values) {
      const chamber = createChamber()
      expect(tryValue(chamber, value, 1, 1), `value ${value}`).toBe(false)
      expect(isSealedByShortestPath(chamber)).toBe(true)
      const sealing = ORDERS.filter((each) => isSealedByWalking(chamber, each))
      expect(sealing).toEqual([order])
    }
  })
})
