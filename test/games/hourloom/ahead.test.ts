import { describe, expect, it } from 'vitest'
import { DESCEND } from '../../../src/games/hourloom/actions.ts'
import { createRules } from '../../../src/games/hourloom/rules.ts'
import { scriptedAction } from '../../../src/games/hourloom/scripted.ts'
import type { HourloomState } from '../../../src/games/hourloom/state.ts'
import { isSameChamber } from './chamber-properties.ts'
import { look } from './look.ts'

const rules = createRules({ startChamber: 1, echoLookahead: 1, allowEndRun: true })

/** Everything but the spare chambers, which may or may not be there. */
function withoutSpares(state: HourloomState) {
  const { next: _, first: __, firstSeed: ___, firstRandom: ____, ...rest } = structuredClone(state)
  return rest
}

describe('work ahead of need', () => {
  it('changes no result of a run, whenever it is done', () => {
    for (const every of [1, 7, 50]) {
      const [plain, ahead] = [rules.createState(), rules.createState()]
      rules.prepareReset!(ahead, '21')
      rules.reset(plain, '21')
      rules.reset(ahead, '21')
      for (let step = 0; plain.chamber.n < 6; step++) {
        if (step % every === 0) rules.prepareStep!(ahead)
        if (step % (3 * every) === 0) rules.prepareReset!(ahead, `${step}`)
        const action = scriptedAction(plain)!
        expect(rules.step(ahead, action)).toBe(rules.step(plain, action))
        expect(isSameChamber(ahead.chamber, plain.chamber)).toBe(true)
        expect(ahead.random).toEqual(plain.random)
        if (step % 20 === 0 || action === DESCEND) expect(look(ahead)).toEqual(look(plain))
      }
      expect(withoutSpares(ahead)).toEqual(withoutSpares(plain))
    }
  })

  it('is used: a DESCEND takes over the chamber that was built', () => {
    const state = rules.createState()
    rules.reset(state, '21')
    while (state.sealed === 0) rules.step(state, scriptedAction(state)!)
    expect(rules.prepareStep!(state)).toBe(true)
    expect(rules.prepareStep!(state)).toBe(false)
    const built = state.next
    // A mark that building anew would wipe out.
    built.script[500] = 9
    rules.step(state, DESCEND)
    expect(state.chamber).toBe(built)
    expect(state.chamber.script[500]).toBe(9)
    while (state.sealed === 0) rules.step(state, scriptedAction(state)!)
    state.next.script[500] = 9
    rules.step(state, DESCEND)
    expect(state.chamber.script[500]).toBe(0)
  })

  it('is used: a reset takes over the first chamber that was built for its seed, and for no other', () => {
    const state = rules.createState()
    expect(rules.prepareReset!(state, '5')).toBe(true)
    expect(rules.prepareReset!(state, '5')).toBe(false)
    const built = state.first
    // A mark that building anew would wipe out.
    built.script[500] = 9
    rules.reset(state, '5')
    expect(state.chamber).toBe(built)
    expect(state.chamber.script[500]).toBe(9)
    expect(state.firstSeed).toBe('')
    rules.prepareReset!(state, '6')
    state.first.script[500] = 9
    rules.reset(state, '7')
    expect(state.chamber.script[500]).toBe(0)
  })

  it('is not used for another run that needs a chamber of the same number', () => {
    const [plain, ahead] = [rules.createState(), rules.createState()]
    rules.reset(ahead, '21')
    while (ahead.sealed === 0) rules.step(ahead, scriptedAction(ahead)!)
    expect(rules.prepareStep!(ahead)).toBe(true)
    for (const state of [plain, ahead]) {
      rules.reset(state, '22')
      while (state.chamber.n < 2) rules.step(state, scriptedAction(state)!)
    }
    expect(isSameChamber(ahead.chamber, plain.chamber)).toBe(true)
  })

  it('waits with the next chamber for the last lap, and stops at the end of the run', () => {
    const state = rules.createState()
    rules.reset(state, '21')
    for (let lap = 0; lap < state.chamber.laps; lap++) {
      const due = lap + 1 === state.chamber.laps
      expect(rules.prepareStep!(state)).toBe(due)
      while (state.lap === lap) rules.step(state, scriptedAction(state)!)
    }
    state.ending = 1
    expect(rules.prepareStep!(state)).toBe(false)
  })

  it('builds for the chamber that runs start in', () => {
    const deep = createRules({ startChamber: 9, echoLookahead: 1, allowEndRun: true })
    const [plain, ahead] = [deep.createState(), deep.createState()]
    deep.prepareReset!(ahead, '-3')
    deep.reset(ahead, '-3')
    deep.reset(plain, '-3')
    expect(ahead.chamber.n).toBe(9)
    expect(withoutSpares(ahead)).toEqual(withoutSpares(plain))
  })
})

describe('a state', () => {
  it('is plain data: a clone plays on like the original', () => {
    const state = rules.createState()
    rules.reset(state, '33')
    for (let i = 0; i < 60; i++) rules.step(state, scriptedAction(state)!)
    const clone = structuredClone(state)
    while (state.chamber.n < 3) {
      const action = scriptedAction(state)!
      expect(rules.step(clone, action)).toBe(rules.step(state, action))
    }
    expect(clone).toEqual(state)
  })

  it('keeps its arrays: nothing is allocated from step to step', () => {
    const state = rules.createState()
    rules.reset(state, '33')
    const arrays = [state.body, state.echoTile, state.sparkAt, state.log, state.logLength]
    const chambers = new Set([state.chamber, state.next, state.first])
    while (state.chamber.n < 4) rules.step(state, scriptedAction(state)!)
    rules.reset(state, '34')
    const kept = [state.body, state.echoTile, state.sparkAt, state.log, state.logLength]
    expect(kept.map((array, i) => array === arrays[i])).toEqual(kept.map(() => true))
    for (const chamber of [state.chamber, state.next, state.first]) expect(chambers.has(chamber)).toBe(true)
    expect(new Set([state.chamber, state.next, state.first]).size).toBe(3)
  })
})
