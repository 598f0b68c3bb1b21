import { describe, expect, test } from 'vitest'
import { countLines, listAnchors, type TrayBoard } from '../../../src/games/tray/board.ts'
import { BOARD_8 } from '../../../src/games/tray/board8.ts'
import { BOARD_10 } from '../../../src/games/tray/board10.ts'
import { below, seeded } from '../../../src/random/seeded.ts'
import { shapeCells } from './plain.ts'
import { FULL, LONG } from './tray-games.ts'

const BOARDS = FULL ? 20_000 : 1500

function wordsOf(board: TrayBoard, filled: readonly boolean[]): Int32Array {
  const words = new Int32Array(board.words)
  for (const [position, value] of filled.entries()) if (value) board.fill(words, position)
  return words
}

function cellsOf(board: TrayBoard, words: Int32Array): boolean[] {
  return Array.from({ length: board.size ** 2 }, (_, position) => board.has(words, 0, position))
}

/** Boards of every density, some with full lines, some with a single hole. */
function* boards(board: TrayBoard): Generator<boolean[]> {
  const random = seeded(`boards ${board.size}`)
  const { size } = board
  for (let i = 0; i < BOARDS; i++) {
    const density = random()
    const filled = Array.from({ length: size * size }, () => random() < density)
    for (let lines = below(random, 4); lines > 0; lines--) {
      const line = below(random, size)
      const across = random() < 0.5
      for (let k = 0; k < size; k++) filled[across ? line * size + k : k * size + line] = true
    }
    yield filled
  }
}

describe.each([BOARD_8, BOARD_10])('the board of $size columns', LONG, (board) => {
  const { size } = board
  const last = size * size - 1

  test('keeps each cell in a bit of its own', () => {
    for (let position = 0; position <= last; position++) {
      const words = new Int32Array(board.words)
      board.fill(words, position)
      expect(cellsOf(board, words).flatMap((filled, at) => (filled ? [at] : []))).toEqual([position])
    }
  })

  test('finds the anchors that trying every cell finds', () => {
    const scan = new Int32Array(board.scanWords)
    const anchors = new Int32Array(board.words)
    const list = new Int32Array(size * size)
    for (const filled of boards(board)) {
      board.scan(wordsOf(board, filled), scan)
      for (const shape of board.shapes) {
        const expected: number[] = []
        for (let at = 0; at <= last; at++) {
          const fits = shapeCells(shape.text).every(([r, c]) => {
            const row = Math.floor(at / size) + r
            const col = (at % size) + c
            return row < size && col < size && filled[row * size + col] === false
          })
          if (fits) expected.push(at)
        }
        const any = board.anchors(scan, shape.index, anchors, 0) !== 0
        const count = listAnchors(board, anchors, 0, list)
        expect([...list.subarray(0, count)]).toEqual(expected)
        expect(any).toBe(expected.length > 0)
      }
    }
  })

  test('clears exactly the full rows and columns, all at once', () => {
    for (const filled of boards(board)) {
      const words = wordsOf(board, filled)
      const all = [...Array(size).keys()]
      const rows = all.filter((r) => all.every((c) => filled[r * size + c]))
      const cols = all.filter((c) => all.every((r) => filled[r * size + c]))
      const cleared = board.clear(words)
      expect(all.filter((r) => (cleared >>> (size + r)) & 1)).toEqual(rows)
      expect(all.filter((c) => (cleared >>> c) & 1)).toEqual(cols)
      expect(countLines(cleared)).toBe(rows.length + cols.length)
      const kept = filled.map(
        (v, at) => v && !rows.includes(Math.floor(at / size)) && !cols.includes(at % size),
      )
      expect(cellsOf(board, words)).toEqual(kept)
      expect(board.isEmpty(words)).toBe(!kept.includes(true))
    }
  })

  test('places every piece at every legal position, and nothing else', () => {
    const scan = new Int32Array(board.scanWords)
    const anchors = new Int32Array(board.words)
    board.scan(new Int32Array(board.words), scan)
    for (const shape of board.shapes) {
      board.anchors(scan, shape.index, anchors, 0)
      for (let at = 0; at <= last; at++) {
        if (!board.has(anchors, 0, at)) continue
        const words = new Int32Array(board.words)
        board.place(words, shape.index, at)
        const expected = shapeCells(shape.text).map(([r, c]) => at + r * size + c)
        expect(cellsOf(board, words).flatMap((filled, cell) => (filled ? [cell] : []))).toEqual(expected)
      }
    }
  })
})
