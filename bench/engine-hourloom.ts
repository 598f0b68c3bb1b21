/**
 * Hourloom's engine on one core: `npx tsx bench/engine-hourloom.ts [rows] [seconds]`. Prints the processor time to build
 * chambers, how often players that know nothing of time seal one, and the speed of random play in `rows` rows
 * that take turns, with and without the time to build chambers.
 */
import { createChamber } from '../src/games/hourloom/chamber.ts'
import { hourloom } from '../src/games/hourloom/game.ts'
import { generateChamber } from '../src/games/hourloom/generate.ts'
import { ShortestPath, shortestPathAction, TIE_BREAKS } from '../src/games/hourloom/shortest-path.ts'
import type { HourloomState } from '../src/games/hourloom/state.ts'
import { nextBits53, seedState } from '../src/random/seeded.ts'

const rows = Number(process.argv[2] ?? 1024)
const seconds = Number(process.argv[3] ?? 3)
/** Processor time of this process so far, which other programs on the machine do not lengthen. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const BUILDS = 1000
const RUNS = 4000

/** [1] int32 state of a multiplicative congruential generator. */
const noise = Int32Array.of(0x2545_f491)

function anyBelow(n: number): number {
  noise[0] = Math.imul(noise[0]!, 0x0019_660d) + 0x3c6e_f35f
  return Math.imul(noise[0] >>> 16, n) >>> 16
}

/** A legal action other than END_RUN. */
function anyLegal(mask: Uint8Array, offset: number): number {
  for (;;) {
    const action = anyBelow(6)
    if (mask[offset + action] === 1) return action
  }
}

function instanceAt(startChamber: number) {
  return hourloom.create({ start_chamber: startChamber, echo_lookahead: 1, allow_end_run: true })
}

function building(): void {
  const chamber = createChamber()
  const random = { c: 1, s0: 0, s1: 0, s2: 0 }
  const all: number[] = []
  console.log('chamber   mean ms   99th   stored')
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20]) {
    const times: number[] = []
    let stored = 0
    seedState(random, String(n))
    for (let i = 0; i < BUILDS; i++) {
      const value = nextBits53(random)
      const start = cpuMs()
      generateChamber(chamber, value, n)
      times.push(cpuMs() - start)
      stored += chamber.fallback
    }
    all.push(...times)
    console.log(`${String(n).padStart(7)} ${summary(times)}   ${stored}`)
  }
  console.log(`    all ${summary(all)}`)
}

function summary(times: number[]): string {
  times.sort((a, b) => a - b)
  const mean = times.reduce((sum, each) => sum + each, 0) / times.length
  return `${mean.toFixed(3).padStart(9)} ${times[Math.floor(times.length * 0.99)]!.toFixed(3).padStart(6)}`
}

/** Runs that seal the chamber they start in. */
function sealed(
  startChamber: number,
  choose: (state: HourloomState, mask: Uint8Array, run: number) => number,
): number {
  const { rules } = instanceAt(startChamber)
  const state = rules.createState()
  const mask = new Uint8Array(7)
  let seals = 0
  for (let run = 0; run < RUNS; run++) {
    rules.reset(state, String(run))
    while (!rules.isTerminal(state) && state.sealed === 0) {
      rules.writeMask(state, mask, 0)
      rules.step(state, choose(state, mask, run))
    }
    seals += state.sealed
  }
  return seals
}

function sealing(): void {
  const walker = new ShortestPath()
  console.log(`\nof ${RUNS} runs sealed    random   shortest way   shortest way, 10% random`)
  for (const n of [1, 2, 3, 6, 10]) {
    const walking = (state: HourloomState, _: Uint8Array, run: number) =>
      shortestPathAction(walker, state, TIE_BREAKS[run & 3]!)
    const counts = [
      sealed(n, (_, mask) => anyLegal(mask, 0)),
      sealed(n, walking),
      sealed(n, (state, mask, run) => (anyBelow(10) === 0 ? anyLegal(mask, 0) : walking(state, mask, run))),
    ]
    console.log(
      `${`from chamber ${n}`.padStart(18)} ${counts.map((count) => String(count).padStart(12)).join('')}`,
    )
  }
}

interface Speed {
  readonly steps: number
  readonly episodes: number
  readonly totalMs: number
  readonly buildingMs: number
}

function randomPlay(observes: boolean, packed: boolean): Speed {
  const { rules, encoder, packed: writer } = instanceAt(1)
  const states = Array.from({ length: rows }, () => rules.createState())
  const dense = encoder.spec.map(({ dtype, shape }) => {
    const length = rows * shape.reduce((product, side) => product * side, 1)
    return dtype === 'uint8' ? new Uint8Array(length) : new Int32Array(length)
  })
  const nibbles = [1094, 25, 56].map((bytes) => new Uint8Array(rows * bytes))
  const mask = new Uint8Array(rows * 7)
  let seed = 0
  let buildingMs = 0
  const begin = (row: number) => {
    const text = String(seed++).padStart(19, '3')
    const start = cpuMs()
    rules.prepareReset!(states[row]!, text)
    buildingMs += cpuMs() - start
    rules.reset(states[row]!, text)
  }
  const observe = (row: number) => {
    rules.writeMask(states[row]!, mask, row * 7)
    if (!observes) return
    if (packed) writer!.encode(states[row]!, nibbles, row)
    else encoder.encode(states[row]!, dense, row)
  }
  for (let row = 0; row < rows; row++) {
    begin(row)
    observe(row)
  }
  let steps = 0
  let episodes = 0
  buildingMs = 0
  const start = cpuMs()
  while (cpuMs() - start < seconds * 1000) {
    for (let row = 0; row < rows; row++) {
      rules.step(states[row]!, anyLegal(mask, row * 7))
      if (rules.isTerminal(states[row]!)) {
        begin(row)
        episodes++
      }
      observe(row)
    }
    steps += rows
  }
  return { steps, episodes, totalMs: cpuMs() - start, buildingMs }
}

function speed(): void {
  console.log(
    `\nrandom play, ${rows} rows    M steps/s   without building   turns an episode   share of building`,
  )
  for (const [name, observes, packed] of [
    ['rules and mask', false, false],
    ['and dense arrays', true, false],
    ['and packed arrays', true, true],
  ] as const) {
    const { steps, episodes, totalMs, buildingMs } = randomPlay(observes, packed)
    const figures = [
      (steps / totalMs / 1000).toFixed(3),
      (steps / (totalMs - buildingMs) / 1000).toFixed(3),
      (steps / episodes).toFixed(1),
      `${((100 * buildingMs) / totalMs).toFixed(0)} %`,
    ]
    console.log(`${name.padEnd(24)} ${figures.map((figure) => figure.padStart(14)).join('')}`)
  }
}

building()
sealing()
speed()
