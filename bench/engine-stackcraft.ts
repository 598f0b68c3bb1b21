/**
 * Engine speed of Stackcraft on one core: `npx tsx bench/engine-stackcraft.ts [rows] [seconds]`.
 * Rows take turns; each step plays a random legal action, then writes the mask and the observation.
 */

import { createStream, draw, plainBag, startStream } from '../src/games/stackcraft/deal.ts'
import { stackcraft } from '../src/games/stackcraft/game.ts'
import type { StackcraftState } from '../src/games/stackcraft/state.ts'

const rows = Number(process.argv[2] ?? 1024)
const seconds = Number(process.argv[3] ?? 2)
const repeats = 5

/** [1] int32 state of a multiplicative congruential generator. */
const noise = Int32Array.of(0x2545_f491)

/** A random action number, legal or not. */
function anyAction(): number {
  noise[0] = Math.imul(noise[0]!, 0x0019_660d) + 0x3c6e_f35f
  return Math.imul(noise[0] >>> 16, 40) >>> 16
}

/** A uniform legal action from a dense mask, by drawing until one is legal. */
function sampleDense(mask: Uint8Array, offset: number): number {
  for (;;) {
    const action = anyAction()
    if (mask[offset + action] === 1) return action
  }
}

function samplePacked(mask: Uint8Array, offset: number): number {
  for (;;) {
    const action = anyAction()
    if ((mask[offset + (action >> 3)]! >> (action & 7)) & 1) return action
  }
}

interface Run {
  readonly steps: number
  readonly episodes: number
  readonly rate: number
}

/** Plays for `seconds`; `ahead` prepares each row's next episode when the current one starts. */
function play(cells: string, packed: boolean, ahead: boolean): Run {
  const { rules, encoder, packed: writer } = stackcraft.create({ cells })
  const states = Array.from({ length: rows }, () => rules.createState() as StackcraftState)
  const dense = [new Uint8Array(rows * 200), new Int32Array(rows), new Int32Array(rows)] as const
  const bytes = [new Uint8Array(rows * 100), new Uint8Array(rows * 4), new Uint8Array(rows * 4)] as const
  const mask = new Uint8Array(rows * 40)
  // Seeds as long as those of later episodes: 19 digits.
  let seed = 1_000_000
  const nextSeeds = states.map(() => String(seed++).padStart(19, '3'))
  const observe = (state: StackcraftState, row: number) => {
    if (packed) {
      writer!.writeMask(state, mask, row)
      writer!.encode(state, bytes, row)
    } else {
      rules.writeMask(state, mask, row * 40)
      encoder.encode(state, dense, row)
    }
  }
  const begin = (row: number) => {
    rules.reset(states[row]!, nextSeeds[row]!)
    nextSeeds[row] = String(seed++).padStart(19, '3')
    if (ahead) rules.prepareReset!(states[row]!, nextSeeds[row]!)
  }
  for (let row = 0; row < rows; row++) {
    begin(row)
    observe(states[row]!, row)
  }
  let steps = 0
  let episodes = 0
  const start = performance.now()
  let now = start
  while (now - start < seconds * 1000) {
    for (let row = 0; row < rows; row++) {
      const state = states[row]!
      const action = packed ? samplePacked(mask, row * 8) : sampleDense(mask, row * 40)
      rules.step(state, action)
      if (rules.isTerminal(state)) {
        begin(row)
        episodes++
      }
      observe(state, row)
    }
    steps += rows
    now = performance.now()
  }
  return { steps, episodes, rate: steps / (now - start) / 1000 }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!
}

function report(name: string, unit: string, measure: () => number): void {
  measure()
  const values = Array.from({ length: repeats }, measure)
  const [least, middle, most] = [Math.min(...values), median(values), Math.max(...values)]
  console.log(`${name.padEnd(44)} ${middle.toFixed(3)} ${unit} (${least.toFixed(3)} to ${most.toFixed(3)})`)
}

/** Microseconds a bag, straight from the definition. */
function plainBags(): number {
  const start = performance.now()
  for (let i = 0; i < 20_000; i++) plainBag(`3000000000000${i}`, 0)
  return ((performance.now() - start) / 20_000) * 1000
}

/** Microseconds a bag when `count` streams draw in turn. */
function bulkBag(count: number): number {
  const streams = Array.from({ length: count }, (_, i) => {
    const stream = createStream()
    startStream(stream, `3000000000000000${i}`)
    return stream
  })
  const bags = Math.ceil(100_000 / count)
  for (const stream of streams) draw(stream)
  const start = performance.now()
  for (let i = 0; i < bags * 7; i++) for (const stream of streams) draw(stream)
  return ((performance.now() - start) / (bags * count)) * 1000
}

report('bag, plain', 'us', plainBags)
report('bag, bulk, 1 stream', 'us', () => bulkBag(1))
report('bag, bulk, 1,024 streams', 'us', () => bulkBag(1024))
for (const cells of ['colours', 'occupancy']) {
  for (const packed of [false, true]) {
    for (const ahead of [true, false]) {
      const name = `${rows} rows, ${cells}, ${packed ? 'packed' : 'dense'}, resets ${ahead ? 'prepared' : 'unprepared'}`
      report(name, 'M steps/s', () => play(cells, packed, ahead).rate)
    }
  }
}
