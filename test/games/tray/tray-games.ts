import type { Config, Game, GameInstance, ObservationArray } from '../../../src/env/game.ts'
import { blockPuzzle8 } from '../../../src/games/block-puzzle-8/game.ts'
import { blockPuzzle10 } from '../../../src/games/block-puzzle-10/game.ts'
import { lumenBlocks } from '../../../src/games/lumen-blocks/game.ts'
import type { TrayBoard } from '../../../src/games/tray/board.ts'
import { BOARD_8 } from '../../../src/games/tray/board8.ts'
import { BOARD_10 } from '../../../src/games/tray/board10.ts'
import type { TrayState } from '../../../src/games/tray/state.ts'
import { type SeededRandom, seeded } from '../../../src/random/seeded.ts'
import { Plain, type PlainGame } from './plain.ts'

/** Whether the full numbers of states, games and deals are asked for. */
export const FULL = process.env.BLOCKLOOM_FULL === '1'

/** The time limit of a test whose counts depend on `FULL`. */
export const LONG = { timeout: FULL ? 3_600_000 : 120_000 }

/** A tray game with what a test needs to drive it beside the plain one. */
export interface TrayGame {
  readonly name: string
  readonly game: Game<TrayState>
  readonly instance: GameInstance<TrayState>
  readonly board: TrayBoard
  readonly kind: PlainGame
  plain(seed: string): Plain
}

function trayGame(game: unknown, board: TrayBoard, kind: PlainGame, config: Config = {}): TrayGame {
  const typed = game as Game<TrayState>
  const buying = config.allow_new_set !== false
  return {
    name: typed.id + (buying ? '' : ' without new sets'),
    game: typed,
    instance: typed.create(config),
    board,
    kind,
    plain: (seed) => new Plain(kind, seed, buying),
  }
}

export const LUMEN = trayGame(lumenBlocks, BOARD_8, 'lumen')
export const EIGHT = trayGame(blockPuzzle8, BOARD_8, 'eight')
export const TEN = trayGame(blockPuzzle10, BOARD_10, 'ten', { allow_new_set: true })
export const TEN_HOUSE = trayGame(blockPuzzle10, BOARD_10, 'ten', { allow_new_set: false })
export const TRAY_GAMES = [LUMEN, EIGHT, TEN, TEN_HOUSE]

/** A state at the start of a seed's game. */
export function start(game: TrayGame, seed: string): TrayState {
  const state = game.instance.rules.createState()
  game.instance.rules.reset(state, seed)
  return state
}

export function maskOf(game: TrayGame, state: TrayState): Uint8Array {
  const mask = new Uint8Array(game.instance.numActions)
  game.instance.rules.writeMask(state, mask, 0)
  return mask
}

export function legalActions(game: TrayGame, state: TrayState): number[] {
  return [...maskOf(game, state).entries()].filter(([, legal]) => legal === 1).map(([action]) => action)
}

/** The dense observation by name. */
export function observe(game: TrayGame, state: TrayState): { [name: string]: number[] } {
  const { spec } = game.instance.encoder
  const out: ObservationArray[] = spec.map((array) => {
    const length = array.shape.reduce((a, b) => a * b, 1)
    return array.dtype === 'uint8' ? new Uint8Array(length) : new Int32Array(length)
  })
  game.instance.encoder.encode(state, out, 0)
  return Object.fromEntries(spec.map((array, i) => [array.name, [...(out[i] ?? [])]]))
}

/** A board from drawn rows: `.` empty, anything else filled (1). */
export function drawn(rows: string): Uint8Array {
  return Uint8Array.from([...rows.replaceAll(/\s/g, '')], (mark) => (mark === '.' ? 0 : 1))
}

/** The state of a drawn position; throws when it is refused. */
export function position(
  game: TrayGame,
  board: string,
  tray: readonly number[],
  figures: { [name: string]: number } = {},
): TrayState {
  const state = game.instance.afterstates?.fromPosition({ board: drawn(board), tray, figures })
  if (state === undefined || 'reason' in state) throw new Error(`refused: ${state?.message}`)
  return state
}

/** Picks an action at random or, in greedy play, the one with the best immediate reward. */
export function choose(game: TrayGame, state: TrayState, random: SeededRandom, greedy: boolean): number {
  const legal = legalActions(game, state)
  const any = legal[Math.floor(random() * legal.length)] ?? 0
  if (!greedy) return any
  const board = new Uint8Array(game.board.size ** 2)
  let best = any
  let bestValue = -1
  for (const action of legal) {
    const after = game.instance.afterstates?.after(state, action, board)
    if (after === undefined) continue
    const value = after.reward + random()
    if (value > bestValue) {
      bestValue = value
      best = action
    }
  }
  return best
}

/** Walks `count` states of random and, every other game, greedy play; ended games are visited too. */
export function walk(game: TrayGame, count: number, visit: (state: TrayState) => void): void {
  const random = seeded(`walk ${game.name}`)
  let left = count
  for (let episode = 0; left > 0; episode++) {
    const state = start(game, String(1000 + episode))
    for (let steps = 0; left > 0; steps++) {
      visit(state)
      left--
      if (game.instance.rules.isTerminal(state) || steps > 400) break
      game.instance.rules.step(state, choose(game, state, random, episode % 2 === 1))
    }
  }
}
