/**
 * A second Stackcraft, slow and plain: frozen objects, one array of strings a board, nothing shared with the
 * first but the generator. What both agree on is unlikely to be a slip of one.
 */
import { PythonRandom } from '../../../src/random/python-random.ts'

export interface PlainCell {
  readonly x: number
  readonly y: number
}

export interface PlainMove {
  readonly name: string
  readonly landingY: number
  readonly cells: readonly PlainCell[]
}

export interface PlainState {
  readonly seed: string
  /** Twenty strings of ten letters `.IOTSZJL`. */
  readonly board: readonly string[]
  readonly current: string
  readonly next: string
  readonly score: number
  readonly lines: number
  readonly pieces: number
}

const DRAWINGS: { readonly [letter: string]: readonly string[] } = {
  I: ['####'],
  O: ['##', '##'],
  T: ['.#.', '###'],
  S: ['.##', '##.'],
  Z: ['##.', '.##'],
  J: ['#..', '###'],
  L: ['..#', '###'],
}

const POINTS: { readonly [lines: number]: number } = { 0: 0, 1: 100, 2: 300, 3: 500, 4: 800 }

/** The piece in place n (from 0) of a seed's stream, from the bag's own definition. */
export function plainPiece(seed: string, n: number): string {
  const random = new PythonRandom(`stackcraft-v1:${seed}:${Math.floor(n / 7)}`)
  const bag = [...'IOTSZJL']
  for (let p = 6; p >= 1; p--) {
    const j = Math.floor(random.random() * (p + 1))
    const [a, b] = [bag[p]!, bag[j]!]
    bag[p] = b
    bag[j] = a
  }
  return bag[n % 7]!
}

/** Distinct orientations by successive clockwise turns, each moved to x = 0, y = 0. */
export function plainOrientations(letter: string): readonly (readonly PlainCell[])[] {
  const known = orientations.get(letter) ?? turns(letter)
  orientations.set(letter, known)
  return known
}

const orientations = new Map<string, readonly (readonly PlainCell[])[]>()

function turns(letter: string): PlainCell[][] {
  let cells: PlainCell[] = []
  for (const [y, row] of DRAWINGS[letter]!.entries()) {
    for (const [x, mark] of [...row].entries()) if (mark === '#') cells.push({ x, y })
  }
  const found: PlainCell[][] = []
  for (let turn = 0; turn < 4; turn++) {
    const left = Math.min(...cells.map((cell) => cell.x))
    const top = Math.min(...cells.map((cell) => cell.y))
    cells = cells.map(({ x, y }) => ({ x: x - left, y: y - top })).sort((a, b) => a.y - b.y || a.x - b.x)
    const same = (other: PlainCell[]) => JSON.stringify(other) === JSON.stringify(cells)
    if (!found.some(same)) found.push(cells)
    // With y downwards, a clockwise turn takes right to down and down to left.
    cells = cells.map(({ x, y }) => ({ x: -y, y: x }))
  }
  return found
}

export function plainStart(seed: string): PlainState {
  const board = Object.freeze(Array.from({ length: 20 }, () => '..........'))
  const [current, next] = [plainPiece(seed, 0), plainPiece(seed, 1)]
  return Object.freeze({ seed, board, current, next, score: 0, lines: 0, pieces: 0 })
}

const onBoard = ({ x, y }: PlainCell): boolean => x >= 0 && x < 10 && y >= 0 && y < 20

function free(board: readonly string[], cells: readonly PlainCell[]): boolean {
  return cells.every((cell) => onBoard(cell) && board[cell.y]![cell.x] === '.')
}

const moved = (cells: readonly PlainCell[], dx: number, dy: number): PlainCell[] =>
  cells.map(({ x, y }) => ({ x: x + dx, y: y + dy }))

/** The first reason that `r{rotation}x{x}` is no move, with the cells to blame, or undefined when it is one. */
export function plainReason(
  { board, current }: PlainState,
  rotation: number,
  x: number,
): { readonly reason: string; readonly cells: readonly PlainCell[] } | undefined {
  if (plainMoves(board, current).length === 0) return { reason: 'episode_over', cells: [] }
  const shape = plainOrientations(current)[rotation]
  if (!shape) return { reason: 'no_such_rotation', cells: [] }
  const cells = moved(shape, x, 0)
  if (!cells.every(onBoard)) return { reason: 'out_of_bounds', cells: [] }
  const blocked = cells.filter((cell) => board[cell.y]![cell.x] !== '.')
  return blocked.length > 0 ? { reason: 'spawn_blocked', cells: blocked } : undefined
}

/** Legal moves by rotation, then x. */
export function plainMoves(board: readonly string[], letter: string): readonly PlainMove[] {
  const moves: PlainMove[] = []
  for (const [rotation, shape] of plainOrientations(letter).entries()) {
    for (let x = 0; x < 10; x++) {
      let cells = moved(shape, x, 0)
      if (!free(board, cells)) continue
      let landingY = 0
      while (free(board, moved(cells, 0, 1))) {
        cells = moved(cells, 0, 1)
        landingY++
      }
      moves.push({ name: `r${rotation}x${x}`, landingY, cells })
    }
  }
  return moves
}

/** The board after a move, and how many rows it cleared. */
export function plainPlace(
  board: readonly string[],
  letter: string,
  move: PlainMove,
): { readonly board: readonly string[]; readonly lines: number } {
  const filled = board.map((row, y) =>
    [...row]
      .map((old, x) => (move.cells.some((cell) => cell.x === x && cell.y === y) ? letter : old))
      .join(''),
  )
  const kept = filled.filter((row) => row.includes('.'))
  const lines = 20 - kept.length
  const fresh = Array.from({ length: lines }, () => '..........')
  return { board: Object.freeze([...fresh, ...kept]), lines }
}

export function plainStep(state: PlainState, name: string): PlainState {
  const move = plainMoves(state.board, state.current).find((candidate) => candidate.name === name)
  if (!move) throw new Error(`${name} is not legal`)
  const { board, lines } = plainPlace(state.board, state.current, move)
  return Object.freeze({
    seed: state.seed,
    board,
    current: state.next,
    next: plainPiece(state.seed, state.pieces + 2),
    score: state.score + POINTS[lines]!,
    lines: state.lines + lines,
    pieces: state.pieces + 1,
  })
}
