/** The most figures beside the score. */
export const MOST_FIGURES = 3
/** Words reserved for a board. */
export const BOARD_STRIDE = 4

/** The figures that a merge compares and the parts of an entry, each at `index * stride` of its array. */
const FIRST_SIZE = 2048

/**
 * The positions found at one level of a search, each kept once: of two ways to the same board, pieces left and
 * figures, the one with more points stays. It grows as needed and is used again and again.
 */
export class SearchPool {
  count = 0
  /** [capacity, BOARD_STRIDE] int32 board words. */
  boards = new Int32Array(FIRST_SIZE * BOARD_STRIDE)
  /** [capacity, MOST_FIGURES] int32 figures. */
  figures = new Int32Array(FIRST_SIZE * MOST_FIGURES)
  /** [capacity] int32 points and lines since the start, and the action and the entry of the level before. */
  points = new Int32Array(FIRST_SIZE)
  lines = new Int32Array(FIRST_SIZE)
  actions = new Int32Array(FIRST_SIZE)
  parents = new Int32Array(FIRST_SIZE)
  /** [capacity] uint8 spent slots as bits. */
  used = new Uint8Array(FIRST_SIZE)
  /** [capacity] float64 the hand-made and the learned value of the board and figures, and what they rank by. */
  values = new Float64Array(FIRST_SIZE)
  learned = new Float64Array(FIRST_SIZE)
  ranks = new Float64Array(FIRST_SIZE)
  /** [capacity] int32 the best entries, best first. */
  kept = new Int32Array(FIRST_SIZE)
  keptCount = 0

  private hashes = new Int32Array(FIRST_SIZE)
  /** [buckets] int32 1 + the entry of a bucket, or 0. */
  private buckets = new Int32Array(FIRST_SIZE)
  private bucketMask = 0

  clear(): void {
    this.count = 0
    this.keptCount = 0
    this.bucketMask = 255
    this.buckets.fill(0, 0, 256)
  }

  /** Adds an entry, or merges it with its equal; the board begins at word 0. */
  add(
    board: Int32Array,
    figures: Int32Array,
    used: number,
    points: number,
    lines: number,
    action: number,
    parent: number,
  ): void {
    const hash = hashOf(board, figures, used)
    let bucket = hash & this.bucketMask
    let index = -1
    for (let taken = this.buckets[bucket]!; taken !== 0; taken = this.buckets[bucket]!) {
      if (this.hashes[taken - 1] === hash && this.equals(taken - 1, board, figures, used)) {
        if (this.points[taken - 1]! >= points) return
        index = taken - 1
        break
      }
      bucket = (bucket + 1) & this.bucketMask
    }
    if (index < 0) {
      if (this.count === this.points.length) this.grow()
      index = this.count++
      this.buckets[bucket] = index + 1
      this.hashes[index] = hash
      for (let i = 0; i < BOARD_STRIDE; i++) this.boards[index * BOARD_STRIDE + i] = board[i]!
      for (let i = 0; i < MOST_FIGURES; i++) this.figures[index * MOST_FIGURES + i] = figures[i]!
      this.used[index] = used
      if (this.count * 2 > this.bucketMask) this.spread()
    }
    this.points[index] = points
    this.lines[index] = lines
    this.actions[index] = action
    this.parents[index] = parent
  }

  private equals(index: number, board: Int32Array, figures: Int32Array, used: number): boolean {
    const at = index * BOARD_STRIDE
    const figuresAt = index * MOST_FIGURES
    return (
      this.used[index] === used &&
      this.boards[at] === board[0] &&
      this.boards[at + 1] === board[1] &&
      this.boards[at + 2] === board[2] &&
      this.boards[at + 3] === board[3] &&
      this.figures[figuresAt] === figures[0] &&
      this.figures[figuresAt + 1] === figures[1] &&
      this.figures[figuresAt + 2] === figures[2]
    )
  }

  /** Doubles the buckets in use and puts every entry in its new one. */
  private spread(): void {
    const size = (this.bucketMask + 1) * 2
    if (this.buckets.length < size) this.buckets = new Int32Array(size)
    else this.buckets.fill(0, 0, size)
    this.bucketMask = size - 1
    for (let index = 0; index < this.count; index++) {
      let bucket = this.hashes[index]! & this.bucketMask
      while (this.buckets[bucket] !== 0) bucket = (bucket + 1) & this.bucketMask
      this.buckets[bucket] = index + 1
    }
  }

  private grow(): void {
    const size = this.points.length * 2
    this.boards = into(new Int32Array(size * BOARD_STRIDE), this.boards)
    this.figures = into(new Int32Array(size * MOST_FIGURES), this.figures)
    this.points = into(new Int32Array(size), this.points)
    this.lines = into(new Int32Array(size), this.lines)
    this.actions = into(new Int32Array(size), this.actions)
    this.parents = into(new Int32Array(size), this.parents)
    this.hashes = into(new Int32Array(size), this.hashes)
    this.used = into(new Uint8Array(size), this.used)
    this.values = new Float64Array(size)
    this.learned = new Float64Array(size)
    this.ranks = new Float64Array(size)
    this.kept = new Int32Array(size)
  }
}

function into<T extends Int32Array | Uint8Array>(bigger: T, old: T): T {
  bigger.set(old)
  return bigger
}

function hashOf(board: Int32Array, figures: Int32Array, used: number): number {
  let hash = used + 1
  for (let i = 0; i < BOARD_STRIDE; i++) {
    hash = Math.imul(hash ^ board[i]!, 0x9e3779b1)
    hash ^= hash >>> 15
  }
  for (let i = 0; i < MOST_FIGURES; i++) hash = Math.imul(hash ^ figures[i]!, 0x85ebca6b)
  return hash ^ (hash >>> 13)
}
