import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { stackcraft } from '../../../src/games/stackcraft/game.ts'
import { table } from './play.ts'

const text = readFileSync(new URL('../../../src/games/stackcraft/README.md', import.meta.url), 'utf8')

/** The rows of the table under a heading cell, as trimmed cells without backticks. */
function rowsUnder(heading: string): string[][] {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.split('|')[1]?.trim() === heading)
  const rest = lines.slice(start + 2)
  return rest
    .slice(
      0,
      rest.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    )
}

describe('the README', () => {
  it('lists the observation as specified', () => {
    const rows = rowsUnder('name').map((row) => row.slice(0, 3))
    const specified = table().encoder.spec.map(({ name, dtype, shape, low, high, nvec }) => [
      name,
      nvec ? `Discrete(${nvec[0]})` : `${dtype} (${shape.join(', ')})`,
      `${low[0]} to ${high[0]}`,
    ])
    expect(rows).toEqual(specified)
  })

  it('lists the configuration as accepted', () => {
    const keys = Object.entries(stackcraft.configSchema).map(([key, spec]) => [
      key,
      spec.type === 'choice' ? spec.values.join(', ') : spec.type,
      String(spec.default),
    ])
    expect(rowsUnder('config key').map((row) => row.slice(0, 3))).toEqual(keys)
  })

  it('names the versions in force', () => {
    expect(text).toContain(`Id \`${stackcraft.id}\`, rules version \`${stackcraft.rulesVersion}\``)
  })
})
