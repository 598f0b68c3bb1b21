/**
 * Steps a second of the three tray games: states in turn, a random legal action each, finished games started
 * again, and after every step the mask and the observation written, dense or packed.
 * `npx tsx bench/engine-tray.ts [rows] [repeats] [game id]`
 */
import type { Game, GameInstance, ObservationArray } from '../src/env/game.ts'
import { blockPuzzle8 } from '../src/games/block-puzzle-8/game.ts'
import { blockPuzzle10 } from '../src/games/block-puzzle-10/game.ts'
import { lumenBlocks } from '../src/games/lumen-blocks/game.ts'
import type { TrayBoard } from '../src/games/tray/board.ts'
import { BOARD_8 } from '../src/games/tray/board8.ts'
import { BOARD_10 } from '../src/games/tray/board10.ts'
import type { TrayState } from '../src/games/tray/state.ts'

const ROWS = Number(process.argv[2] ?? 1024)
const REPEATS = Number(process.argv[3] ?? 5)
const STEPS = 2_000_000

let random = 123456789

/** A uniform integer below n; xorshift32. */
function below(n: number): number {
  random ^= random << 13
  random ^= random >>> 17
  random ^= random << 5
  return Math.floor(((random >>> 0) / 0x100000000) * n)
}

/** Seeds like those of later episodes: nineteen digits. */
const SEEDS = Array.from({ length: 4096 }, (_, i) => String(10n ** 18n + 1_000_000_007n * BigInt(i)))

/** A legal placement: the first at or after a random bit of the anchors; a stuck 10x10 game buys a new set. */
function pick(words: Int32Array, board: TrayBoard): number {
  const { anchorsAt, extraAt, size } = board
  let at = anchorsAt + below(extraAt - anchorsAt)
  let bits = words[at]! & (-1 << below(32))
  for (let tried = anchorsAt; bits === 0; tried++) {
    if (tried > extraAt) return 300
    at = at + 1 === extraAt ? anchorsAt : at + 1
    bits = words[at]!
  }
  const slot = Math.floor((at - anchorsAt) / board.words)
  const word = at - anchorsAt - slot * board.words
  return slot * size * size + word * (size === 8 ? 32 : 30) + 31 - Math.clz32(bits & -bits)
}

interface Bench {
  readonly game: GameInstance<TrayState>
  readonly states: TrayState[]
  readonly write: (state: TrayState, row: number) => void
}

function makeBench(game: Game<TrayState>, config: { [key: string]: boolean }, packed: boolean): Bench {
  const instance = game.create(config)
  const states = Array.from({ length: ROWS }, (_, i) => {
    const state = instance.rules.createState()
    instance.rules.reset(state, String(i))
    return state
  })
  const { rules, encoder, numActions } = instance
  const sizes = encoder.spec.map((spec) => spec.shape.reduce((a, b) => a * b, 1))
  if (packed && instance.packed !== undefined) {
    const writer = instance.packed
    const bits = { bits: 1, nibbles: 4 }
    const out = encoder.spec.map((spec, i) => {
      const width = spec.packing === 'none' ? 32 : bits[spec.packing]
      return new Uint8Array(ROWS * Math.ceil(((sizes[i] ?? 0) * width) / 8))
    })
    const masks = new Uint8Array(ROWS * Math.ceil(numActions / 64) * 8)
    return {
      game: instance,
      states,
      write: (state, row) => {
        writer.writeMask(state, masks, row)
        writer.encode(state, out, row)
      },
    }
  }
  const out: ObservationArray[] = encoder.spec.map((spec, i) => {
    const length = ROWS * (sizes[i] ?? 0)
    return spec.dtype === 'uint8' ? new Uint8Array(length) : new Int32Array(length)
  })
  const masks = new Uint8Array(ROWS * numActions)
  return {
    game: instance,
    states,
    write: (state, row) => {
      rules.writeMask(state, masks, row * numActions)
      encoder.encode(state, out, row)
    },
  }
}

/** Plays STEPS steps and returns millions of steps a second of processor time and the mean length of an episode. */
function run(bench: Bench, board: TrayBoard): [number, number] {
  const { rules } = bench.game
  let seed = 0
  const start = process.cpuUsage()
  for (let i = 0; i < STEPS; i++) {
    const row = i % ROWS
    const state = bench.states[row] as TrayState
    rules.step(state, pick(state.words, board))
    if (rules.isTerminal(state)) rules.reset(state, SEEDS[++seed & 4095] as string)
    bench.write(state, row)
  }
  const { user, system } = process.cpuUsage(start)
  const seconds = (user + system) / 1e6
  return [STEPS / seconds / 1e6, STEPS / seed]
}

/** The same loop with nothing but the choice of actions, in nanoseconds. */
function pickAlone(bench: Bench, board: TrayBoard): number {
  const start = process.cpuUsage()
  let sum = 0
  for (let i = 0; i < STEPS; i++) sum += pick((bench.states[i % ROWS] as TrayState).words, board)
  const { user, system } = process.cpuUsage(start)
  return sum < 0 ? 0 : ((user + system) * 1000) / STEPS
}

const GAMES: readonly [Game<TrayState>, { [key: string]: boolean }, TrayBoard][] = [
  [lumenBlocks as Game<TrayState>, {}, BOARD_8],
  [blockPuzzle8 as Game<TrayState>, {}, BOARD_8],
  [blockPuzzle10 as Game<TrayState>, { allow_new_set: true }, BOARD_10],
]

const chosen = process.argv[4]
for (const [game, config, board] of GAMES) {
  if (chosen !== undefined && game.id !== chosen) continue
  for (const packed of [false, true]) {
    const bench = makeBench(game, config, packed)
    run(bench, board)
    const figures = Array.from({ length: REPEATS }, () => run(bench, board))
    const rates = figures.map(([rate]) => rate).sort((a, b) => a - b)
    const median = rates[Math.floor(rates.length / 2)] ?? 0
    console.log(
      `${game.id.padEnd(16)} ${packed ? 'packed' : 'dense '} median ${median.toFixed(2)} M steps/s` +
        ` (${rates[0]?.toFixed(2)} to ${rates.at(-1)?.toFixed(2)}), episode ${figures[0]?.[1].toFixed(1)} steps, ` +
        `choosing actions takes ${pickAlone(bench, board).toFixed(0)} of ${(1000 / median).toFixed(0)} ns`,
    )
  }
}
