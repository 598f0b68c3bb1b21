/**
 * Engines alone, on one core: rows take turns, each step plays a legal action drawn from the row's packed mask, a
 * finished game starts again, and the mask and the observation are written. The references in `bench/c` run the same
 * loop with the same chances (loop.h), and so play the same games.
 */
import { parseConfig } from '../src/env/config.ts'
import type { ArraySpec, GameInstance, ObservationArray } from '../src/env/game.ts'
import { GAMES } from '../src/games/registry.ts'

/** What a row writes after each step. */
export type Form = 'packed' | 'dense'

/** Rounds before the clock starts. */
const WARM_UP_ROUNDS = 200

/** [1] int32 state of a linear congruential generator. */
const noise = new Int32Array(1)

/** The first legal action at or after a random bit of a packed mask, from the start again after its end. */
function choose(masks: Int32Array, at: number, words: number): number {
  const chance = (Math.imul(noise[0]!, 1_664_525) + 1_013_904_223) | 0
  noise[0] = chance
  let word = Math.imul(chance >>> 16, words) >>> 16
  let bits = masks[at + word]! & (-1 << ((chance >>> 8) & 31))
  while (bits === 0) {
    word = word + 1 === words ? 0 : word + 1
    bits = masks[at + word]!
  }
  return word * 32 + 31 - Math.clz32(bits & -bits)
}

/** A game with rows that take turns. */
export class EngineLoop {
  readonly #rows: number
  readonly #game: GameInstance<unknown>
  readonly #states: readonly unknown[]
  readonly #masks: Int32Array
  readonly #maskBytes: Uint8Array
  readonly #maskWords: number
  readonly #packed: readonly Uint8Array[]
  readonly #dense: readonly ObservationArray[]
  readonly #denseMasks: Uint8Array
  readonly #seeds: string[]
  #nextSeed = 0
  #digest = -2128831035
  #reward = 0

  /** Starts a game in each row. */
  constructor(gameId: string, rows: number) {
    const game = GAMES.find(({ id }) => id === gameId)!
    this.#rows = rows
    this.#game = game.create(parseConfig(game.configSchema, {}))
    const { encoder, rules, numActions } = this.#game
    this.#states = Array.from({ length: rows }, () => rules.createState())
    this.#maskWords = 2 * Math.ceil(numActions / 64)
    this.#masks = new Int32Array(rows * this.#maskWords)
    this.#maskBytes = new Uint8Array(this.#masks.buffer)
    this.#packed = encoder.spec.map((spec) => new Uint8Array(rows * packedBytes(spec)))
    this.#dense = encoder.spec.map((spec) =>
      spec.dtype === 'uint8' ? new Uint8Array(rows * cellsOf(spec)) : new Int32Array(rows * cellsOf(spec)),
    )
    this.#denseMasks = new Uint8Array(rows * numActions)
    noise[0] = 0x2545_f491
    this.#seeds = Array.from({ length: rows }, () => '')
    for (let row = 0; row < rows; row++) {
      this.#seeds[row] = this.#newSeed()
      this.#begin(row)
      this.#observe(row)
    }
  }

  /** Plays for some seconds of processor time, after some rounds that do not count; returns steps and seconds. */
  measure(seconds: number, form: Form): { steps: number; seconds: number } {
    this.#play(WARM_UP_ROUNDS, form)
    const rounds = 1 + Math.floor(4096 / this.#rows)
    const start = processorSeconds()
    let steps = 0
    let elapsed = 0
    while (elapsed < seconds) {
      this.#play(rounds, form)
      steps += rounds * this.#rows
      elapsed = processorSeconds() - start
    }
    return { steps, seconds: elapsed }
  }

  /** The digest, as eight hexadecimal digits, of all that is seen in some rounds. */
  check(rounds: number): string {
    for (let round = 0; round < rounds; round++) {
      for (let row = 0; row < this.#rows; row++) {
        this.#playRow(row)
        this.#observe(row)
        this.#digestRow(row)
      }
    }
    return (this.#digest >>> 0).toString(16).padStart(8, '0')
  }

  #play(rounds: number, form: Form): void {
    const { rules, encoder, numActions } = this.#game
    for (let round = 0; round < rounds; round++) {
      for (let row = 0; row < this.#rows; row++) {
        this.#playRow(row)
        this.#observe(row)
        if (form === 'packed') continue
        rules.writeMask(this.#states[row], this.#denseMasks, row * numActions)
        encoder.encode(this.#states[row], this.#dense, row)
      }
    }
  }

  #playRow(row: number): void {
    const { rules } = this.#game
    const state = this.#states[row]
    this.#reward = rules.step(state, choose(this.#masks, row * this.#maskWords, this.#maskWords))
    if (rules.isTerminal(state)) this.#begin(row)
  }

  #begin(row: number): void {
    const { rules } = this.#game
    const seed = this.#seeds[row]!
    rules.reset(this.#states[row], seed)
    this.#seeds[row] = this.#newSeed()
    rules.expectReset?.(this.#states[row], this.#seeds[row]!)
  }

  #observe(row: number): void {
    this.#game.packed!.writeMask(this.#states[row], this.#maskBytes, row)
    this.#game.packed!.encode(this.#states[row], this.#packed, row)
  }

  /** As long as those of later episodes: nineteen digits. */
  #newSeed(): string {
    return `3${String(this.#nextSeed++).padStart(18, '0')}`
  }

  #digestRow(row: number): void {
    this.#take(this.#reward)
    for (let i = 0; i < this.#maskWords; i++) this.#take(this.#masks[row * this.#maskWords + i]!)
    for (const array of this.#packed) {
      const bytes = array.length / this.#rows
      for (let i = 0; i < bytes; i++) this.#take(array[row * bytes + i]!)
    }
  }

  #take(value: number): void {
    this.#digest = Math.imul(this.#digest ^ value, 16_777_619)
  }
}

/** Processor time of this process, which other programs on the machine do not lengthen by taking turns. */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

function cellsOf(spec: ArraySpec): number {
  return spec.shape.reduce((product, length) => product * length, 1)
}

function packedBytes(spec: ArraySpec): number {
  const bits = { bits: 1, nibbles: 4, none: spec.dtype === 'uint8' ? 8 : 32 }[spec.packing]
  return Math.ceil((cellsOf(spec) * bits) / 8)
}
