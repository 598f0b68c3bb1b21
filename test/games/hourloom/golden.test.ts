import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hourloom } from '../../../src/games/hourloom/game.ts'
import { SAND_RAN_OUT } from '../../../src/games/hourloom/state.ts'

const folder = new URL('../../golden/hourloom/', import.meta.url)

function play(name: string) {
  const { seed, config, actions, final } = JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
  const { rules, native, outcomes } = hourloom.create(config)
  const state = rules.createState()
  rules.reset(state, String(seed))
  for (const [ply, json] of actions.entries()) {
    const action = native.fromNative(json, state)
    if (typeof action !== 'number') throw new Error(`ply ${ply}: ${action.message}`)
    const refusal = rules.explain(state, action)
    if (refusal !== undefined) throw new Error(`ply ${ply}: ${refusal.message}`)
    rules.step(state, action)
  }
  const values = new Int32Array(outcomes.names.length)
  outcomes.write(state, values, 0)
  const [score, chamber, laps] = values
  return { state, final, reached: { score, chamber, laps, terminal: rules.isTerminal(state) } }
}

describe('recorded games', () => {
  it('are two', () => expect(readdirSync(folder)).toHaveLength(2))

  it('a script seals chambers 1 to 6 and keeps its score', () => {
    const { state, final, reached } = play('scripted-through-chamber-6.json')
    expect(reached).toEqual(final)
    expect([state.sealed, state.chamber.n, state.lapsCompleted]).toEqual([1, 6, 3 + 3 + 4 + 4 + 5 + 5])
  })

  it('the shortest way, without a thought of time, runs out of sand', () => {
    const { state, final, reached } = play('shortest-way-loses.json')
    expect(reached).toEqual(final)
    expect([state.ending, state.sealed, state.chamber.n]).toEqual([SAND_RAN_OUT, 0, 1])
  })
})
