/**
 * Writes the recorded games of Hourloom anew: `npx tsx test/games/hourloom/record-golden.ts`. A recorded game
 * that changes means a new rules version.
 */
import { writeFileSync } from 'node:fs'
import { parseConfig } from '../../../src/env/config.ts'
import { END_RUN } from '../../../src/games/hourloom/actions.ts'
import { hourloom } from '../../../src/games/hourloom/game.ts'
import { scriptedAction } from '../../../src/games/hourloom/scripted.ts'
import { ShortestPath, shortestPathAction, TIE_BREAKS } from '../../../src/games/hourloom/shortest-path.ts'
import type { HourloomState } from '../../../src/games/hourloom/state.ts'

function record(name: string, seed: number, choose: (state: HourloomState) => number): void {
  const config = parseConfig(hourloom.configSchema, {})
  const { rules, native, outcomes } = hourloom.create(config)
  const state = rules.createState()
  rules.reset(state, String(seed))
  const actions: string[] = []
  while (!rules.isTerminal(state)) {
    const action = choose(state)
    actions.push(`    ${spaced(native.toNative(action))}`)
    rules.step(state, action)
  }
  const values = new Int32Array(outcomes.names.length)
  outcomes.write(state, values, 0)
  const final = { ...Object.fromEntries(outcomes.names.map((key, i) => [key, values[i]])), terminal: true }
  const text = `{
  "schema_version": 1,
  "rules_version": "${hourloom.rulesVersion}",
  "seed": ${seed},
  "config": ${spaced(config)},
  "actions": [
${actions.join(',\n')}
  ],
  "final": ${spaced(final)}
}
`
  writeFileSync(new URL(`../../golden/hourloom/${name}.json`, import.meta.url), text)
}

/** JSON of an object on one line, spaced as the formatter has it. */
function spaced(json: unknown): string {
  const text = JSON.stringify(json).replaceAll(':', ': ').replaceAll(',', ', ')
  return `{ ${text.slice(1, -1)} }`
}

const walker = new ShortestPath()

record('scripted-through-chamber-6', 7, (state) =>
  state.sealed === 1 && state.chamber.n === 6 ? END_RUN : scriptedAction(state)!,
)
record('shortest-way-loses', 7, (state) => shortestPathAction(walker, state, TIE_BREAKS[0]!))
