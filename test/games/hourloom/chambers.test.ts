import { afterAll, describe, expect, it } from 'vitest'
import { DESCEND } from '../../../src/games/hourloom/actions.ts'
import { type Chamber, createChamber } from '../../../src/games/hourloom/chamber.ts'
import { STORED_VALUES, SYMMETRIES, turnChamber } from '../../../src/games/hourloom/fallback.ts'
import { generateChamber, tryValue } from '../../../src/games/hourloom/generate.ts'
import { createRules } from '../../../src/games/hourloom/rules.ts'
import { scriptedAction } from '../../../src/games/hourloom/scripted.ts'
import { ShortestPath, shortestPathAction, TIE_BREAKS } from '../../../src/games/hourloom/shortest-path.ts'
import { createState, type HourloomState, RUNNING } from '../../../src/games/hourloom/state.ts'
import { enterChamber } from '../../../src/games/hourloom/turn.ts'
import { nextBits53, seedState } from '../../../src/random/seeded.ts'
import {
  expectFormulas,
  expectSoundGround,
  expectSparks,
  isSameChamber,
  scriptPaths,
  scriptScore,
  sparksOffPaths,
} from './chamber-properties.ts'
import { at } from './draw.ts'

const SEEDS = process.env.BLOCKLOOM_FULL === '1' ? 2000 : 60
const DEEPEST = 15

const rules = createRules({ startChamber: 1, echoLookahead: 1, allowEndRun: true })
const mask = new Uint8Array(7)
const random = { c: 1, s0: 0, s1: 0, s2: 0 }
const timesMs: number[] = []

/** Calls back with chambers 1 to 15 of a seed, in the order of a run. */
function eachChamber(seed: string, visit: (chamber: Chamber, value: number, n: number) => void): void {
  const chamber = createChamber()
  seedState(random, seed)
  for (let n = 1; n <= DEEPEST; n++) {
    const value = nextBits53(random)
    const start = process.cpuUsage()
    generateChamber(chamber, value, n)
    const { user, system } = process.cpuUsage(start)
    timesMs.push((user + system) / 1000)
    visit(chamber, value, n)
  }
}

/** Plays the script of a chamber: each action legal, no jostle, no toll, no echo off its old way. */
function expectScriptSeals(chamber: Chamber): void {
  const state = createState()
  enterChamber(state, chamber)
  const paths = scriptPaths(chamber)
  while (state.sealed === 0) {
    const { lap, turn } = state
    const action = scriptedAction(state)
    rules.writeMask(state, mask, 0)
    if (action === undefined || mask[action] !== 1)
      throw new Error(`lap ${lap}, turn ${turn}: ${action} is refused`)
    expectOnOldWays(state, paths)
    if (state.sand !== chamber.budget[lap]! - turn)
      throw new Error(`lap ${lap}, turn ${turn}: a jostle or a toll`)
    rules.step(state, action)
    if (state.ending !== RUNNING) throw new Error('the sand ran out')
  }
  expect(state.score).toBe(scriptScore(chamber))
}

function expectOnOldWays(state: HourloomState, paths: readonly string[][]): void {
  for (let k = 0; k < state.lap; k++) {
    const tile = state.echoTile[k]!
    const there = tile === 255 ? undefined : at(tile)
    const expected = state.turn < paths[k]!.length - 1 ? paths[k]![state.turn] : undefined
    if (there !== expected) throw new Error(`lap ${state.lap}, turn ${state.turn}: echo ${k + 1} was held`)
  }
}

const walker = new ShortestPath()

function isSealedByWalking(chamber: Chamber, order: readonly number[]): boolean {
  const state = createState()
  enterChamber(state, chamber)
  while (state.sealed === 0 && state.ending === RUNNING) {
    rules.step(state, shortestPathAction(walker, state, order))
  }
  return state.sealed === 1
}

describe(`chambers 1 to ${DEEPEST} of ${SEEDS} seeds`, () => {
  let fallbacks = 0

  it('hold what every chamber must hold, and their scripts seal them', { timeout: 1_800_000 }, () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      eachChamber(String(seed), (chamber, _value, n) => {
        expectFormulas(chamber, n)
        expectSoundGround(chamber)
        if (seed % 10 === 0) expectSparks(chamber)
        expectScriptSeals(chamber)
        for (const order of TIE_BREAKS) expect(isSealedByWalking(chamber, order)).toBe(false)
        fallbacks += chamber.fallback
      })
    }
  })

  it('A23: have most of their sparks off the paths of the script, a third at least from chamber 7 on', {
    timeout: 600_000,
  }, () => {
    const all = new Array<number>(DEEPEST).fill(0)
    const off = new Array<number>(DEEPEST).fill(0)
    for (let seed = 0; seed < SEEDS; seed++) {
      eachChamber(String(seed), (chamber, _value, n) => {
        all[n - 1]! += chamber.sparks
        off[n - 1]! += sparksOffPaths(chamber).length
      })
    }
    const shares = off.map((count, i) => count / all[i]!)
    for (const [i, share] of shares.entries()) {
      expect(share, `chamber ${i + 1}`).toBeGreaterThan(i < 6 ? 0.55 : 0.33)
      expect(share, `chamber ${i + 1}`).toBeLessThan(0.75)
    }
  })

  it('are a function of value and number, whatever was built before', () => {
    const again = createChamber()
    const other = createChamber()
    for (let seed = 0; seed < Math.min(SEEDS, 200); seed++) {
      eachChamber(`-${seed}`, (chamber, value, n) => {
        generateChamber(other, value + 1, 1 + ((n * 7) % DEEPEST))
        generateChamber(again, value, n)
        expect(isSameChamber(again, chamber)).toBe(true)
        expect(isSameChamber(other, chamber)).toBe(false)
      })
    }
  })

  afterAll(() => {
    timesMs.sort((a, b) => a - b)
    const mean = timesMs.reduce((sum, each) => sum + each, 0) / timesMs.length
    const p99 = timesMs[Math.floor(timesMs.length * 0.99)]!
    console.log(
      `${timesMs.length} chambers built, processor time mean ${mean.toFixed(2)} ms, 99th percentile ${p99.toFixed(2)} ms, ${fallbacks} from stored values`,
    )
  })
})

describe('a run from chamber to chamber', () => {
  it('is sealed by the scripted player, chamber after chamber, and scores the sum', () => {
    for (let seed = 0; seed < 8; seed++) {
      const state = rules.createState()
      rules.reset(state, `9${seed}`)
      let sum = 0
      for (let sealed = 0; sealed < 12; sealed++) {
        expect(state.chamber.n).toBe(sealed + 1)
        sum += scriptScore(state.chamber)
        while (state.sealed === 0) rules.step(state, scriptedAction(state)!)
        expect(state.score).toBe(sum)
        rules.step(state, DESCEND)
      }
    }
  })

  it('starts in start_chamber with the run’s first value', () => {
    for (const n of [1, 5, 10, 37, 1000]) {
      const state = rules.createState()
      createRules({ startChamber: n, echoLookahead: 1, allowEndRun: true }).reset(state, '12')
      seedState(random, '12')
      const chamber = createChamber()
      generateChamber(chamber, nextBits53(random), n)
      expect(state.chamber).toEqual(chamber)
      expect(state.random).toEqual(random)
    }
  })

  it('leaves the script when the player does', () => {
    const state = rules.createState()
    rules.reset(state, '1')
    const off = scriptedAction(state) === 4 ? 6 : 4
    rules.step(state, off)
    expect(scriptedAction(state)).toBeUndefined()
  })
})

describe('stored chambers', () => {
  it('come from values whose first draw is accepted', () => {
    STORED_VALUES.forEach((value, index) => {
      expect(tryValue(createChamber(), value, index + 1, 1), `chamber ${index + 1}`).toBe(true)
    })
  })

  it('take the place of a chamber whose draws are all refused, and hold the same', () => {
    const chamber = createChamber()
    const seen = new Set<string>()
    for (let n = 1; n <= 12; n++) {
      for (let value = 0; value < 24; value++) {
        generateChamber(chamber, value, n, 0)
        expect(chamber.fallback).toBe(1)
        expectFormulas(chamber, n)
        expectSoundGround(chamber)
        expectScriptSeals(chamber)
        seen.add(`${n}:${chamber.exit}:${Array.from(chamber.terrain).join('')}`)
      }
    }
    expect(seen.size).toBeGreaterThan(12 * 6)
  })

  it('are the same again after a turn and its reverse', () => {
    const chamber = createChamber()
    generateChamber(chamber, 12345, 10)
    const before = structuredClone(chamber)
    for (let symmetry = 0; symmetry < SYMMETRIES; symmetry++) {
      const reverse = symmetry === 5 ? 6 : symmetry === 6 ? 5 : symmetry
      turnChamber(chamber, symmetry)
      turnChamber(chamber, reverse)
      expect({ ...chamber, fluxTile: before.fluxTile }).toEqual(before)
    }
  })
})
