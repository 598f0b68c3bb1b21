import { describe, expect, test } from 'vitest'
import { SCANNED, twoParts } from '../../../src/games/tray/fit-plan.ts'
import { parseShape, SHAPES_8, SHAPES_10 } from '../../../src/games/tray/shapes.ts'
import { PLAIN_19, PLAIN_37, shapeCells } from './plain.ts'

describe.each([
  ['37 pieces', SHAPES_8, PLAIN_37],
  ['19 pieces', SHAPES_10, PLAIN_19],
] as const)('the catalogue of %s', (name, shapes, texts) => {
  test('has the documented shapes in the documented order', () => {
    expect(shapes.map((shape) => shape.text)).toEqual(texts)
    expect(name).toContain(String(shapes.length))
    expect(new Set(texts).size).toBe(texts.length)
  })

  test('names every piece once and counts its cells', () => {
    expect(new Set(shapes.map((shape) => shape.name)).size).toBe(shapes.length)
    for (const shape of shapes) {
      expect(shape.cells).toBe(shapeCells(shape.text).length)
      expect(shape.index).toBe(shapes.indexOf(shape))
      expect([shape.height, shape.width]).toEqual([
        shape.text.split('/').length,
        shape.text.indexOf('/') < 0 ? shape.text.length : shape.text.indexOf('/'),
      ])
    }
  })

  test('is made of two scanned parts each', () => {
    for (const shape of shapes) {
      const cells = new Set<string>()
      for (const part of twoParts(shape)) {
        for (const [r, c] of shapeCells(SCANNED[part.entry] ?? ''))
          cells.add(`${part.row + r},${part.col + c}`)
      }
      expect([...cells].sort()).toEqual(
        shapeCells(shape.text)
          .map(([r, c]) => `${r},${c}`)
          .sort(),
      )
    }
  })
})

test('the shape with a hole in it is not made of two parts', () => {
  expect(() => twoParts({ index: 0, name: 'ring', ...parseShape('###/#.#/###') })).toThrow('ring')
})

test.each(['', '#/##', '#x', '##/', '/#'])('%j is no shape', (text) => {
  expect(() => parseShape(text)).toThrow('not a shape')
})
