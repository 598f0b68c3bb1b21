import { bestIndices } from '../../env/best-indices.ts'
import type { AfterstateSearch, LearnedValue, SearchResults } from '../../env/game.ts'
import { countLines, type TrayBoard } from './board.ts'
import { BOARD_STRIDE, MOST_FIGURES, SearchPool } from './search-pool.ts'
import { learnedWhenBought, type RankedBy, type Ranking, rankLevel, rankOf } from './search-rank.ts'
import type { TrayState } from './state.ts'

/*
 * A beam search over the orders of the tray's pieces. A level holds the positions after so many placements; the
 * best of them, by points so far plus value, are tried with each piece still unspent. Positions that are equal in
 * what a player sees are one. Nothing but the board, the tray and the visible figures is read.
 */

/** The width of the second try, when a narrower beam finds no way to spend the whole tray. */
export const WIDE_BEAM = 300

/** What a game adds to the search. */
export interface SearchedGame<State> {
  readonly board: TrayBoard
  /** Names of the figures beside the score, in the order of the observation. */
  readonly figures: readonly string[]
  /** Writes these figures of a state. */
  readFigures(state: State, out: Int32Array): void
  /** Changes the figures by a placement and returns its points. */
  place(figures: Int32Array, piece: number, lines: number, emptied: boolean): number
  readonly ranking: Ranking
  /** The action that buys a new set; the ranking says which figure counts those left. */
  readonly newSet?: number
  /** Writes the cells after a sequence (-1 behind its last action); `words` is the board it leads to. */
  writeCells(state: State, sequence: Int32Array, words: Int32Array, out: Uint8Array): void
}

const SLOTS = 3
const NEW_SET_BIT = 1 << 30

const levels = [new SearchPool(), new SearchPool(), new SearchPool(), new SearchPool()] as const
const board = new Int32Array(BOARD_STRIDE)
const after = new Int32Array(BOARD_STRIDE)
const figures = new Int32Array(MOST_FIGURES)
const figuresAfter = new Int32Array(MOST_FIGURES)
const anchors = new Int32Array(BOARD_STRIDE)
const scan = new Int32Array(64)
const sequence = new Int32Array(SLOTS)

/** Where sequences end: `level << 20 | place among the kept`, with NEW_SET_BIT when a new set ends them. */
let leaves = new Int32Array(1024)
let leafRanks = new Float64Array(1024)
let leafLearned = new Float64Array(1024)
let leafOrder = new Int32Array(1024)
let leafCount = 0

/** The search of a tray game. */
export function createSearch<State extends TrayState>(game: SearchedGame<State>): AfterstateSearch<State> {
  return {
    depth: SLOTS,
    figures: [...game.figures, 'score'],
    get learnedWeights() {
      return game.ranking.values().weightCount
    },
    run(state, beamWidth, depth, out, at, most = beamWidth, learned = undefined) {
      if (state.over) return 0
      let deepest = search(game, state, beamWidth, depth, learned)
      if (deepest < depthOf(game, state, depth) && beamWidth < WIDE_BEAM) {
        deepest = search(game, state, WIDE_BEAM, depth, learned)
      }
      if (leafCount === 0) {
        for (let i = 0; i < levels[deepest]!.keptCount; i++) addLeaf(deepest, i)
      }
      return write(game, state, most, out, at)
    },
  }
}

/** How many placements spend the tray, or the depth if that is less. */
function depthOf<State extends TrayState>(
  { board: { trayAt } }: SearchedGame<State>,
  { words }: State,
  depth: number,
): number {
  let pieces = 0
  for (let slot = 0; slot < SLOTS; slot++) if (words[trayAt + slot] !== 0) pieces++
  return Math.min(pieces, depth)
}

/** Fills the levels and collects the leaves; returns the deepest level that holds anything. */
function search<State extends TrayState>(
  game: SearchedGame<State>,
  state: State,
  beamWidth: number,
  depth: number,
  learned: LearnedValue | undefined,
): number {
  const by = { score: state.score, learned }
  const target = depthOf(game, state, depth)
  leafCount = 0
  startLevel(game, state)
  rankLevel(game.ranking, levels[0], by, 1)
  for (let level = 0; level < target; level++) {
    const from = levels[level]!
    const to = levels[level + 1]!
    to.clear()
    for (let i = 0; i < from.keptCount; i++) {
      if (canBuy(game, from, from.kept[i]!)) addBuyingLeaf(game, level, i, by)
      expand(game, state, from, from.kept[i]!, to)
    }
    if (to.count === 0) return level
    rankLevel(game.ranking, to, by, beamWidth)
  }
  for (let i = 0; i < levels[target]!.keptCount; i++) addLeaf(target, i)
  return target
}

function startLevel<State extends TrayState>(game: SearchedGame<State>, state: State): void {
  board.fill(0)
  figures.fill(0)
  for (let word = 0; word < game.board.words; word++) board[word] = state.words[word]!
  game.readFigures(state, figures)
  levels[0].clear()
  levels[0].add(board, figures, 0, 0, 0, -1, -1)
}

/** Adds every placement of every unspent piece; of equal pieces the first slot's is taken. */
function expand<State extends TrayState>(
  game: SearchedGame<State>,
  state: State,
  from: SearchPool,
  entry: number,
  to: SearchPool,
): void {
  const { trayAt, words } = game.board
  const used = from.used[entry]!
  for (let word = 0; word < BOARD_STRIDE; word++) board[word] = from.boards[entry * BOARD_STRIDE + word]!
  game.board.scan(board, scan)
  for (let slot = 0; slot < SLOTS; slot++) {
    const piece = state.words[trayAt + slot]!
    if (piece === 0 || ((used >> slot) & 1) === 1 || isRepeated(state.words, trayAt, slot, used)) continue
    if (game.board.anchors(scan, piece - 1, anchors, 0) === 0) continue
    for (let word = 0; word < words; word++) {
      const first = word * (game.board.size === 8 ? 32 : 30)
      for (let bits = anchors[word]!; bits !== 0; bits &= bits - 1) {
        addPlacement(game, from, entry, slot, piece - 1, first + 31 - Math.clz32(bits & -bits), to)
      }
    }
  }
}

/** Whether an earlier unspent slot holds the same piece. */
function isRepeated(words: Int32Array, trayAt: number, slot: number, used: number): boolean {
  for (let earlier = 0; earlier < slot; earlier++) {
    if (((used >> earlier) & 1) === 0 && words[trayAt + earlier] === words[trayAt + slot]) return true
  }
  return false
}

function addPlacement<State>(
  game: SearchedGame<State>,
  from: SearchPool,
  entry: number,
  slot: number,
  piece: number,
  position: number,
  to: SearchPool,
): void {
  const { board: tray } = game
  for (let word = 0; word < BOARD_STRIDE; word++) after[word] = board[word]!
  for (let i = 0; i < MOST_FIGURES; i++) figuresAfter[i] = from.figures[entry * MOST_FIGURES + i]!
  tray.place(after, piece, position)
  const cleared = tray.clear(after)
  const lines = cleared === 0 ? 0 : countLines(cleared)
  const points = game.place(figuresAfter, piece, lines, cleared !== 0 && tray.isEmpty(after))
  to.add(
    after,
    figuresAfter,
    from.used[entry]! | (1 << slot),
    from.points[entry]! + points,
    from.lines[entry]! + lines,
    slot * tray.size * tray.size + position,
    entry,
  )
}

function canBuy<State>({ newSet, ranking }: SearchedGame<State>, pool: SearchPool, entry: number): boolean {
  return newSet !== undefined && pool.figures[entry * MOST_FIGURES + ranking.newSet!.figure]! > 0
}

function addLeaf(level: number, place: number): void {
  if (leafCount === leaves.length) growLeaves()
  const pool = levels[level]!
  const entry = pool.kept[place]!
  leaves[leafCount] = (level << 20) | place
  leafRanks[leafCount] = pool.ranks[entry]!
  leafLearned[leafCount] = pool.learned[entry]!
  leafCount++
}

function addBuyingLeaf<State>(
  { ranking }: SearchedGame<State>,
  level: number,
  place: number,
  by: RankedBy,
): void {
  if (leafCount === leaves.length) growLeaves()
  const pool = levels[level]!
  const entry = pool.kept[place]!
  const learned = learnedWhenBought(ranking, pool, entry, by)
  leaves[leafCount] = (level << 20) | place | NEW_SET_BIT
  leafRanks[leafCount] = rankOf(by, pool.points[entry]!, pool.values[entry]! - ranking.newSet!.worth, learned)
  leafLearned[leafCount] = learned
  leafCount++
}

function growLeaves(): void {
  const bigger = new Int32Array(leaves.length * 2)
  bigger.set(leaves)
  leaves = bigger
  const ranks = new Float64Array(bigger.length)
  ranks.set(leafRanks)
  leafRanks = ranks
  const learned = new Float64Array(bigger.length)
  learned.set(leafLearned)
  leafLearned = learned
  leafOrder = new Int32Array(bigger.length)
}

/** Writes the best leaves, best first. */
function write<State extends TrayState>(
  game: SearchedGame<State>,
  state: State,
  most: number,
  out: SearchResults,
  at: number,
): number {
  const cells = game.board.size * game.board.size
  const names = game.figures.length
  const count = bestIndices(leafRanks, leafCount, most, leafOrder)
  for (let i = 0; i < count; i++) {
    const leaf = leaves[leafOrder[i]!]!
    const buys = (leaf & NEW_SET_BIT) !== 0
    const level = (leaf >> 20) & 0xff
    const pool = levels[level]!
    const entry = pool.kept[leaf & 0xfffff]!
    const row = at + i
    readSequence(level, entry, buys ? game.newSet! : -1)
    out.sequences.set(sequence, row * SLOTS)
    for (let word = 0; word < BOARD_STRIDE; word++) board[word] = pool.boards[entry * BOARD_STRIDE + word]!
    game.writeCells(state, sequence, board, out.boards.subarray(row * cells, (row + 1) * cells))
    for (let f = 0; f < names; f++)
      out.figures[row * (names + 1) + f] = pool.figures[entry * MOST_FIGURES + f]!
    out.figures[row * (names + 1) + names] = state.score + pool.points[entry]!
    if (buys) out.figures[row * (names + 1) + game.ranking.newSet!.figure]! -= 1
    out.lines[row] = pool.lines[entry]!
    out.rewards[row] = pool.points[entry]!
    out.values[row] = pool.values[entry]! - (buys ? game.ranking.newSet!.worth : 0)
    out.learned[row] = leafLearned[leafOrder[i]!]!
  }
  return count
}

/** The actions that lead to an entry, then `last`, then -1. */
function readSequence(level: number, entry: number, last: number): void {
  sequence.fill(-1)
  if (level < SLOTS) sequence[level] = last
  let index = entry
  for (let step = level; step > 0; step--) {
    sequence[step - 1] = levels[step]!.actions[index]!
    index = levels[step]!.parents[index]!
  }
}
