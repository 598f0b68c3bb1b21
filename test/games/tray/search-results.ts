import type { SearchResults } from '../../../src/env/game.ts'
import type { TrayState } from '../../../src/games/tray/state.ts'
import type { TrayGame } from './tray-games.ts'

/** One sequence of a search. */
export interface Found {
  readonly actions: readonly number[]
  readonly board: readonly number[]
  readonly lines: number
  readonly reward: number
  readonly figures: readonly number[]
  readonly value: number
}

/** The sequences of a search, best first. */
export function searchIn(game: TrayGame, state: TrayState, width: number, depth = 3): Found[] {
  const { board, search } = game.instance.afterstates!
  const cells = board.shape.reduce((a, b) => a * b, 1)
  const names = search!.figures.length
  const out: SearchResults = {
    sequences: new Int32Array(width * 3),
    boards: new Uint8Array(width * cells),
    lines: new Int32Array(width),
    rewards: new Float32Array(width),
    figures: new Int32Array(width * names),
    values: new Float32Array(width),
    learned: new Float32Array(width),
  }
  const count = search!.run(state, width, depth, out, 0)
  return Array.from({ length: count }, (_, i) => ({
    actions: [...out.sequences.subarray(i * 3, i * 3 + 3)].filter((action) => action >= 0),
    board: [...out.boards.subarray(i * cells, (i + 1) * cells)],
    lines: out.lines[i]!,
    reward: out.rewards[i]!,
    figures: [...out.figures.subarray(i * names, (i + 1) * names)],
    value: out.values[i]!,
  }))
}
