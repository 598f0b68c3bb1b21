import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createChamber } from '../../../src/games/hourloom/chamber.ts'
import { generateChamber } from '../../../src/games/hourloom/generate.ts'
import { expectFormulas } from './chamber-properties.ts'

const draws = vi.hoisted(() => ({ made: 0, refused: 0 }))

// A chance of one in a million refuses sixteen draws in a row, so the ground of the first ones is refused here.
vi.mock('../../../src/games/hourloom/layout.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../../src/games/hourloom/layout.ts')>()
  const drawLayout: typeof original.drawLayout = (draft) =>
    original.drawLayout(draft) && draws.made++ >= draws.refused
  return { ...original, drawLayout }
})

describe('the draws of one generator value', () => {
  const chamber = createChamber()

  beforeEach(() => {
    draws.made = 0
  })

  it('go on to the sixteenth', () => {
    draws.refused = 15
    generateChamber(chamber, 2024, 1)
    expect([draws.made, chamber.fallback]).toEqual([16, 0])
    expectFormulas(chamber, 1)
  })

  it('end with the sixteenth; the seventeenth is that of a stored value', () => {
    draws.refused = 16
    generateChamber(chamber, 2024, 1)
    expect([draws.made, chamber.fallback]).toEqual([17, 1])
    expectFormulas(chamber, 1)
  })
})
