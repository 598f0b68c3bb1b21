import { fills, parseShape, type Shape } from './shapes.ts'

/**
 * The runs and blocks that a board scan finds, in the order in which it stores them. Every piece of the
 * catalogues is one of them or the union of two:
 *
 *     ###   ###         #
 *     #.. = ... and at  #
 *     #..   ...         #
 *
 * so the legal anchors of a piece are two shifted scan entries, combined with one AND a word.
 */
export const SCANNED = [
  '#',
  '##',
  '###',
  '####',
  '#####',
  '#/#',
  '#/#/#',
  '#/#/#/#',
  '#/#/#/#/#',
  '###/###',
] as const

/** Parts start in the first three rows, so that no shift passes a whole word on either board size. */
const MAX_ROW = 2

/** For each shape, the two parts it is made of and how far each is shifted. */
export interface FitPlan {
  /** [shapes, 4] int32: the first part's scan offset in words and its shift in bits, then the second's. */
  readonly terms: Int32Array
  /** [shapes] int32 one word's columns in which an anchor leaves room for the shape's width. */
  readonly columns: Int32Array
}

interface Part {
  readonly entry: number
  readonly row: number
  readonly col: number
  readonly cells: ReadonlySet<string>
}

/** The plan for boards of `size` columns, kept `rowsPerWord` rows a word in `words` words. */
export function fitPlan(shapes: readonly Shape[], size: number, rowsPerWord: number, words: number): FitPlan {
  const terms = new Int32Array(shapes.length * 4)
  const columns = new Int32Array(shapes.length)
  for (const shape of shapes) {
    const [a, b] = twoParts(shape)
    terms.set([a.entry * words, a.row * size + a.col, b.entry * words, b.row * size + b.col], shape.index * 4)
    for (let row = 0; row < rowsPerWord; row++) {
      columns[shape.index]! |= ((1 << (size - shape.width + 1)) - 1) << (row * size)
    }
  }
  return { terms, columns }
}

/** Two scanned parts, biggest first, whose union is exactly the shape; the same one twice when one is enough. */
export function twoParts(shape: Shape): readonly [Part, Part] {
  const parts = partsInside(shape)
  for (const a of parts) {
    for (const b of parts) {
      if (new Set([...a.cells, ...b.cells]).size === shape.cells) return [a, b]
    }
  }
  throw new Error(`no two scanned parts make ${shape.name}`)
}

function partsInside(shape: Shape): Part[] {
  const parts: Part[] = []
  for (const [entry, text] of SCANNED.entries()) {
    const part = parseShape(text)
    for (let row = 0; row <= Math.min(MAX_ROW, shape.height - part.height); row++) {
      for (let col = 0; col + part.width <= shape.width; col++) {
        const cells = new Set<string>()
        let inside = true
        for (let r = 0; r < part.height; r++) {
          for (let c = 0; c < part.width; c++) {
            inside &&= fills(shape, row + r, col + c)
            cells.add(`${row + r},${col + c}`)
          }
        }
        if (inside) parts.push({ entry, row, col, cells })
      }
    }
  }
  return parts.sort((a, b) => b.cells.size - a.cells.size)
}
