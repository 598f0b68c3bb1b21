import type { MaskGrid } from '../../env/game.ts'
import type { PlayedGame } from './played-game.ts'

/** Where a person points: a grid of actions (a rotation, a piece) and a place in it. Never past an edge. */
export class Cursor {
  readonly #game: PlayedGame
  readonly grids: readonly MaskGrid[]
  #grid = 0
  #row = 0
  #col = 0

  constructor(game: PlayedGame) {
    this.#game = game
    this.grids = game.made.instance.maskLayout ?? []
    this.settle()
    const [legal] = [this.legalIn(this.#grid)]
    const middle = legal[legal.length >> 1]
    const grid = this.grids[this.#grid]
    if (grid === undefined || middle === undefined) return
    this.#row = Math.floor((middle - grid.first) / grid.cols)
    this.#col = (middle - grid.first) % grid.cols
  }

  /** The number of the grid that is pointed at. */
  get grid(): number {
    return this.#grid
  }

  /** The action that is pointed at; undefined in a game without grids. */
  get action(): number | undefined {
    const grid = this.grids[this.#grid]
    return grid === undefined ? undefined : grid.first + this.#row * grid.cols + this.#col
  }

  /** The legal actions of a grid. */
  legalIn(index: number): number[] {
    const grid = this.grids[index]
    if (grid === undefined) return []
    const all = Array.from({ length: grid.rows * grid.cols }, (_, i) => grid.first + i)
    return all.filter((action) => this.#game.isLegal(action))
  }

  /** Moves by one place, unless the piece would leave the board. */
  move(rows: number, cols: number): void {
    const grid = this.grids[this.#grid]
    if (grid === undefined) return
    const [row, col] = [this.#row + rows, this.#col + cols]
    if (row < 0 || row >= grid.rows || col < 0 || col >= grid.cols) return
    if (!this.#leavesBoard(grid, row, col)) this.#place(row, col)
  }

  /** Points at a grid, as near to the old place as the piece allows. */
  choose(index: number): void {
    const grid = this.grids[index]
    if (grid === undefined) return
    this.#grid = index
    for (let row = Math.min(this.#row, grid.rows - 1); row >= 0; row--) {
      for (let col = Math.min(this.#col, grid.cols - 1); col >= 0; col--) {
        if (this.#leavesBoard(grid, row, col)) continue
        this.#place(row, col)
        return
      }
    }
    this.#place(0, 0)
  }

  /** Goes to the next grid in a direction that has a legal action, if any has. */
  turn(direction: 1 | -1): void {
    const count = this.grids.length
    for (let i = 1; i <= count; i++) {
      const index = (this.#grid + direction * i + count * count) % count
      if (this.legalIn(index).length === 0) continue
      this.choose(index)
      return
    }
  }

  /** After a change of the position: stays in the grid if it has a legal action, else goes on. */
  settle(): void {
    if (this.legalIn(this.#grid).length > 0) this.choose(this.#grid)
    else this.turn(1)
  }

  #place(row: number, col: number): void {
    this.#row = row
    this.#col = col
  }

  #leavesBoard({ first, cols }: MaskGrid, row: number, col: number): boolean {
    return this.#game.refusal(first + row * cols + col)?.reason === 'out_of_bounds'
  }
}
