/** What every chamber must hold, checked with sets of "row,col" and none of the generator's own code. */
import { expect } from 'vitest'
import type { Chamber } from '../../../src/games/hourloom/chamber.ts'
import { FLOOR, LOG, OUTSIDE } from '../../../src/games/hourloom/chamber.ts'
import { at } from './draw.ts'
import { plainChamber } from './plain-chamber.ts'
import type { PlainChamber } from './plain-game.ts'

const STEPS = [
  [-1, 0],
  [0, 1],
  [1, 0],
  [0, -1],
] as const

function neighbours(tile: string): string[] {
  const [row, col] = tile.split(',').map(Number) as [number, number]
  return STEPS.map(([down, right]) => `${row + down},${col + right}`)
}

/** Every tile that can be reached from `from` over floor without entering `closed`. */
function reachable(floor: ReadonlySet<string>, from: string, closed: readonly string[]): Set<string> {
  const seen = new Set([from])
  const queue = [from]
  for (let tile = queue.pop(); tile !== undefined; tile = queue.pop()) {
    for (const next of neighbours(tile)) {
      if (!floor.has(next) || seen.has(next) || closed.includes(next)) continue
      seen.add(next)
      queue.push(next)
    }
  }
  return seen
}

/** Whether two chambers are the same in every field; faster than a deep comparison. */
export function isSameChamber(a: Chamber, b: Chamber): boolean {
  const theirs = new Map<string, unknown>(Object.entries(b))
  return Object.entries(a).every(([field, ours]) => {
    const other = theirs.get(field)
    if (typeof ours === 'number') return Object.is(ours, other)
    return Buffer.compare(Buffer.from(ours.buffer), Buffer.from((other as Uint8Array).buffer)) === 0
  })
}

/** The formulas, written out a second time. */
export function expectFormulas(chamber: Chamber, n: number): void {
  const gates = Math.min(5, 1 + Math.floor(n / 2))
  const counted = {
    n: chamber.n,
    size: chamber.size,
    laps: chamber.laps,
    gates: chamber.gates,
    twoPlateGates: chamber.plateCount.filter((plates) => plates === 2).length,
    flux: chamber.fluxPhase.filter((phase) => phase >= 0).length,
    sparks: new Set(chamber.sparkTile.subarray(0, chamber.sparks)).size,
    multiplier: chamber.multiplier,
    floorOrWall: chamber.terrain.filter((ground) => ground !== OUTSIDE).length,
  }
  const size = Math.min(9, 7 + Math.floor((n - 1) / 2))
  expect(counted).toEqual({
    n,
    size,
    laps: Math.min(6, 3 + Math.floor((n - 1) / 2)),
    gates,
    twoPlateGates: Math.max(0, gates - 2),
    flux: Math.min(8, n - 1),
    sparks: Math.min(6, 3 + Math.floor((n - 1) / 3)),
    multiplier: Math.min(400, 75 + 25 * n),
    floorOrWall: size * size,
  })
}

/** One role a tile, a connected main region, and keystones that their gates alone lead to. */
export function expectSoundGround(chamber: Chamber): void {
  const plain = plainChamber(chamber)
  const floor = new Set(
    Array.from({ length: 81 }, (_, tile) => tile)
      .filter((tile) => chamber.terrain[tile] === FLOOR)
      .map(at),
  )
  const roles = rolesOf(plain)
  expect(new Set(roles).size, 'one role a tile').toBe(roles.length)
  expect(
    roles.filter((tile) => !floor.has(tile)),
    'roles on floor',
  ).toEqual([])
  const gates = plain.gates.map(({ tile }) => tile)
  const main = reachable(floor, plain.exit, gates)
  expect(reachable(floor, plain.exit, []).size, 'no floor out of reach').toBe(floor.size)
  const open = [
    ...plain.laps.map(({ alcove }) => alcove),
    ...plain.gates.flatMap(({ plates }) => plates),
    ...plain.flux.keys(),
  ]
  expect(
    open.filter((tile) => !main.has(tile)),
    'in the main region',
  ).toEqual([])
  for (const gate of gates)
    expect(
      neighbours(gate).some((tile) => main.has(tile)),
      'a front',
    ).toBe(true)
  const stations = [plain.exit, ...plain.gates.flatMap(({ plates }) => plates)]
  const core = new Set([...main].filter((tile) => !stations.includes(tile)))
  expect(reachable(core, plain.laps[0]!.alcove, []).size, 'whole with every plate held').toBe(core.size)
  for (const tile of [...stations, ...gates]) {
    expect(
      neighbours(tile).some((next) => core.has(next)),
      `a way to ${tile} with every plate held`,
    ).toBe(true)
  }
  expectGatedKeystones(chamber, plain, floor, main)
}

function rolesOf(plain: PlainChamber): string[] {
  return [
    plain.exit,
    ...plain.gates.flatMap(({ tile, plates }) => [tile, ...plates]),
    ...plain.laps.flatMap(({ alcove, keystone }) => [alcove, keystone]),
    ...plain.flux.keys(),
    ...plain.sparks,
  ]
}

function expectGatedKeystones(
  chamber: Chamber,
  plain: PlainChamber,
  floor: ReadonlySet<string>,
  main: ReadonlySet<string>,
): void {
  const gated = new Set<number>()
  plain.gates.forEach(({ tile, plates }, gate) => {
    const lap = chamber.gateLap[gate]!
    gated.add(lap)
    const others = reachable(floor, plain.exit, [tile])
    expect(others.has(plain.laps[lap]!.keystone), 'only its gate leads to a gated keystone').toBe(false)
    // As many earlier laps as plates, and two-plate gates from the fourth lap on.
    expect(lap).toBeGreaterThanOrEqual(plates.length === 2 ? 3 : 1)
    expect(new Set(plates).size).toBe(chamber.plateCount[gate])
  })
  expect(gated.size).toBe(plain.gates.length)
  expect(plain.laps.map(({ keystone }) => main.has(keystone))).toEqual(
    plain.laps.map((_, lap) => !gated.has(lap)),
  )
  expect(gated.has(0), 'lap 1 needs no echo').toBe(false)
}

/** The sparks on tiles that the script never walks. */
export function sparksOffPaths(chamber: Chamber): string[] {
  const walked = new Set(scriptPaths(chamber).flat())
  return plainChamber(chamber).sparks.filter((tile) => !walked.has(tile))
}

/** Sparks: at most two thirds off the tiles that the script walks, and each can be had in a finished last lap. */
export function expectSparks(chamber: Chamber): void {
  const off = sparksOffPaths(chamber)
  expect(off.length).toBeLessThanOrEqual(Math.round((chamber.sparks * 2) / 3))
  for (const spark of off) expect(isWithinReach(chamber, spark), `spark ${spark}`).toBe(true)
}

/** Whether the last lap, once it has its keystone, can take a spark and still finish without crossing an echo. */
function isWithinReach(chamber: Chamber, spark: string): boolean {
  const plain = plainChamber(chamber)
  const paths = scriptPaths(chamber)
  const path = paths.pop()!
  const { keystone, budget } = plain.laps.at(-1)!
  const echoesAt = (t: number) => paths.flatMap((each) => (t < each.length ? [each[t]!] : []))
  let without = new Set<string>()
  let withSpark = new Set<string>()
  for (let t = 0; t < budget; t++) {
    if (t < path.length - 1 && t >= path.indexOf(keystone)) without.add(path[t]!)
    if (without.has(spark)) withSpark.add(spark)
    const [now, then] = [echoesAt(t), echoesAt(t + 1)]
    const isFree = (tile: string, from: string) => {
      const gate = plain.gates.find((each) => each.tile === tile)
      if (gate && tile !== from && !gate.plates.every((p) => now.includes(p) && then.includes(p)))
        return false
      const phase = plain.flux.get(tile)
      if (phase !== undefined && (t + phase) % 4 >= 2) return false
      return isFloor(chamber, tile) && !now.includes(tile) && !then.includes(tile)
    }
    const move = (tiles: ReadonlySet<string>) =>
      new Set([...tiles].flatMap((from) => [from, ...neighbours(from)].filter((to) => isFree(to, from))))
    withSpark = move(withSpark)
    if (withSpark.has(plain.exit)) return true
    without = move(without)
    without.delete(plain.exit)
  }
  return false
}

function isFloor(chamber: Chamber, tile: string): boolean {
  const [row, col] = tile.split(',').map(Number) as [number, number]
  return row >= 0 && col >= 0 && row < 9 && col < 9 && chamber.terrain[row * 9 + col] === FLOOR
}

/** Where the script stands at each point in time, lap by lap. */
export function scriptPaths(chamber: Chamber): string[][] {
  return Array.from({ length: chamber.laps }, (_, lap) => {
    const path = [at(chamber.alcove[lap]!)]
    for (const input of chamber.script.subarray(lap * LOG, lap * LOG + chamber.scriptLength[lap]!)) {
      const here = path.at(-1)!
      path.push(input === 4 ? here : neighbours(here)[input]!)
    }
    return path
  })
}

/** The script's score, added up from its paths alone. */
export function scriptScore(chamber: Chamber): number {
  const plain = plainChamber(chamber)
  const sparks = new Set(plain.sparks)
  const percent = Math.min(400, 75 + 25 * chamber.n)
  let score = 0
  const earn = (points: number) => {
    score += Math.floor((points * percent) / 100 + 0.5)
  }
  scriptPaths(chamber).forEach((path, lap) => {
    const { keystone, budget } = plain.laps[lap]!
    let carries = false
    path.forEach((tile, t) => {
      if (t === 0 || tile === path[t - 1]) return
      const gate = plain.gates.find((each) => each.tile === tile)
      if (gate) earn(25 * gate.plates.length)
      if (sparks.delete(tile)) earn(15)
      if (tile === keystone && !carries) {
        carries = true
        earn(25)
      }
    })
    earn(50 + 3 * (budget - (path.length - 1)))
  })
  earn(150)
  return score
}
