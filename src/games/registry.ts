import type { Game } from '../env/game.ts'
import { blockPuzzle8 } from './block-puzzle-8/game.ts'
import { blockPuzzle10 } from './block-puzzle-10/game.ts'
import { hourloom } from './hourloom/game.ts'
import { lumenBlocks } from './lumen-blocks/game.ts'
import { stackcraft } from './stackcraft/game.ts'

/** Every game, in the order in which they are listed. A new game is its folder and one line here. */
export const GAMES: readonly Game[] = [stackcraft, lumenBlocks, blockPuzzle8, blockPuzzle10, hourloom]

/** The game of an id such as `Stackcraft-v1`, or undefined. */
export function findGame(id: string): Game | undefined {
  return GAMES.find((game) => game.id === id)
}
