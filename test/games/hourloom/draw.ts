/**
 * Chambers drawn by hand.
 *
 *     #  wall           X       exit
 *     .  floor          *       spark
 *     1 to 6  alcoves   p to u  keystones of laps 1 to 6
 *     A to E  gates     a to e  their plates (one or two)
 *     _ , % ~ flux of phase 0, 1, 2, 3
 */
import { ACTION_NAMES } from '../../../src/games/hourloom/actions.ts'
import {
  type Chamber,
  clearChamber,
  createChamber,
  FLOOR,
  WALL,
} from '../../../src/games/hourloom/chamber.ts'
import { explainAction } from '../../../src/games/hourloom/explain.ts'
import { paintStill } from '../../../src/games/hourloom/planes.ts'
import { createState, type HourloomState } from '../../../src/games/hourloom/state.ts'
import { SIDE } from '../../../src/games/hourloom/tiles.ts'
import { enterChamber, resolveTurn } from '../../../src/games/hourloom/turn.ts'

export interface Drawing {
  /** Grains by lap, or the same for all; 40 when absent. */
  readonly budget?: number | readonly number[]
  /** The chamber's number; 1 when absent. */
  readonly n?: number
}

const FLUX = '_,%~'
let drawings = 0

/** Builds the chamber of a drawing; short lines are filled up with wall. */
export function drawChamber(picture: string, { budget = 40, n = 1 }: Drawing = {}): Chamber {
  const lines = picture
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const chamber = createChamber()
  clearChamber(chamber)
  // Unlike any generator value, and unlike any other drawing's.
  chamber.value = -2 - drawings++
  chamber.n = n
  chamber.multiplier = Math.min(400, 75 + 25 * n)
  chamber.size = Math.max(lines.length, ...lines.map((line) => line.length))
  for (let row = 0; row < chamber.size; row++) {
    for (let col = 0; col < chamber.size; col++) {
      place(chamber, lines[row]?.[col] ?? '#', row * SIDE + col)
    }
  }
  const gates = 'ABCDE'.split('').filter((gate) => picture.includes(gate))
  const order = gates.map((gate) => ({ gate, tile: find(lines, gate)[0]! })).sort((a, b) => a.tile - b.tile)
  order.forEach(({ gate, tile }, number) => {
    const plates = find(lines, gate.toLowerCase())
    chamber.gateAt[tile] = number
    chamber.gateTile[number] = tile
    chamber.plateCount[number] = plates.length
    chamber.gatePlate.set([plates[0]!, plates.at(-1)!], 2 * number)
  })
  chamber.gates = gates.length
  for (let lap = 0; lap < chamber.laps; lap++) {
    chamber.budget[lap] = typeof budget === 'number' ? budget : budget[lap]!
  }
  paintStill(chamber)
  return chamber
}

function place(chamber: Chamber, glyph: string, tile: number): void {
  chamber.terrain[tile] = glyph === '#' ? WALL : FLOOR
  if (glyph === 'X') chamber.exit = tile
  if (glyph === '*') chamber.sparkTile[chamber.sparks++] = tile
  if (glyph >= '1' && glyph <= '6') {
    chamber.alcove[Number(glyph) - 1] = tile
    chamber.laps = Math.max(chamber.laps, Number(glyph))
  }
  if (glyph >= 'p' && glyph <= 'u') chamber.keystone[glyph.charCodeAt(0) - 112] = tile
  const phase = FLUX.indexOf(glyph)
  if (phase >= 0) {
    chamber.fluxTile[chamber.flux++] = tile
    chamber.fluxPhase[tile] = phase
  }
}

function find(lines: readonly string[], glyph: string): number[] {
  return lines.flatMap((line, row) =>
    Array.from(line).flatMap((each, col) => (each === glyph ? [row * SIDE + col] : [])),
  )
}

/** A run in a drawn chamber, driven by strings of N, E, S, W and `.` for a wait. */
export class Play {
  readonly state: HourloomState = createState()

  constructor(picture: string, drawing: Drawing = {}) {
    enterChamber(this.state, drawChamber(picture, drawing))
  }

  /** Plays legal inputs and returns the points of each. */
  go(inputs: string): number[] {
    return Array.from(inputs, (input) => {
      const action = 'NESW.'.indexOf(input)
      const refusal = explainAction(this.state, action, true)
      if (refusal !== undefined) throw new Error(`${input} is refused: ${refusal.message}`)
      return resolveTurn(this.state, action)
    })
  }

  /** The reason against an action, by its name. */
  reason(name: string): string | undefined {
    return explainAction(this.state, (ACTION_NAMES as readonly string[]).indexOf(name), true)?.reason
  }

  /** Where the player stands, as `row,col`. */
  get player(): string {
    return at(this.state.player)
  }

  /** Where echo `number` (from 1) stands, or `gone`. */
  echo(number: number): string {
    const tile = this.state.echoTile[number - 1]!
    return tile === 255 ? 'gone' : at(tile)
  }
}

/** A tile as `row,col`. */
export function at(tile: number): string {
  return `${Math.floor(tile / SIDE)},${tile % SIDE}`
}
