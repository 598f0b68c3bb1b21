import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../src/env/config.ts'
import type { ArraySpec, Game, GameInstance, ObservationArray } from '../../src/env/game.ts'
import {
  allocateDense,
  bytesOf,
  elementsOf,
  maskRowBytes,
  packBits,
  packRow,
  rowBytes,
} from '../../src/env/tensor-spec.ts'
import { GAMES } from '../../src/games/registry.ts'
import { below, seeded } from '../../src/random/seeded.ts'

const SEEDS = ['0', '7', '-1', '4294967301', '9'.repeat(64), `-${'9'.repeat(64)}`]

/** Every configuration that sets one key away from its default, and the default. */
function configsOf(game: Game): Record<string, string>[] {
  const configs: Record<string, string>[] = [{}]
  for (const [key, spec] of Object.entries(game.configSchema)) {
    if (spec.type === 'boolean') configs.push({ [key]: String(!spec.default) })
    else if (spec.type === 'integer')
      configs.push({ [key]: String(spec.min) }, { [key]: String(Math.min(spec.max, 7)) })
    else for (const value of spec.values) if (value !== spec.default) configs.push({ [key]: value })
  }
  return configs
}

function maskOf<State>({ rules, numActions }: GameInstance<State>, state: State): Uint8Array {
  // Guard bytes on both sides show a write out of place.
  const padded = new Uint8Array(numActions + 2).fill(7)
  rules.writeMask(state, padded, 1)
  expect([padded[0], padded[numActions + 1]]).toEqual([7, 7])
  return padded.slice(1, -1)
}

function legalOf(mask: Uint8Array): number[] {
  return Array.from(mask.keys()).filter((action) => mask[action] === 1)
}

/** Plays random games and calls back at every state, the last one included. */
function playRandomly(
  instance: GameInstance<unknown>,
  seed: string,
  steps: number,
  visit: (state: unknown, mask: Uint8Array) => void,
): void {
  const random = seeded(`contract:${seed}`)
  const state = instance.rules.createState()
  instance.rules.reset(state, seed)
  for (let i = 0; i < steps; i++) {
    const mask = maskOf(instance, state)
    visit(state, mask)
    const legal = legalOf(mask)
    if (legal.length === 0) return
    instance.rules.step(state, legal[below(random, legal.length)]!)
  }
}

function observe(instance: GameInstance<unknown>, state: unknown): ObservationArray[] {
  const dense = allocateDense(instance.encoder.spec, 1)
  instance.encoder.encode(state, dense, 0)
  return dense
}

describe.each(GAMES.map((game) => [game.id, game] as const))('%s', (_, game) => {
  const instances = configsOf(game).map((config) => game.create(parseConfig(game.configSchema, config)))
  const instance = instances[0]!

  it('has well-formed names', () => {
    expect(game.id).toMatch(/^[A-Z][A-Za-z0-9]*-v[1-9]\d*$/)
    expect(game.rulesVersion).toMatch(/^[a-z0-9-]+-v[1-9]\d*$/)
    expect(game.rewards[0]).toBe('score')
    expect(instance.outcomes.names[0]).toBe('score')
    for (const reward of game.rewards) expect(instance.outcomes.names).toContain(reward)
    const names = Array.from({ length: instance.numActions }, (_, action) => instance.native.name(action))
    expect(new Set(names).size).toBe(instance.numActions)
  })

  it('describes its observation within the rules of a spec', () => {
    for (const { encoder } of instances) {
      for (const spec of encoder.spec) checkSpec(spec)
      expect(new Set(encoder.spec.map(({ name }) => name)).size).toBe(encoder.spec.length)
    }
  })

  it('documents every observation, with dtype and shape, in its README', () => {
    const folder = game.rulesVersion.replace(/-v\d+$/, '')
    const readme = readFileSync(new URL(`../../src/games/${folder}/README.md`, import.meta.url), 'utf8')
    for (const spec of instance.encoder.spec) {
      const row = readme.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${spec.name}\``))
      expect(row, `${folder}/README.md has no table row for ${spec.name}`).toBeDefined()
      expect(row!.replaceAll(' ', ''), spec.name).toContain(
        spec.nvec && spec.kind === 'discrete'
          ? `Discrete(${spec.nvec[0]})`
          : spec.kind === 'multi_discrete'
            ? 'MultiDiscrete'
            : `${spec.dtype}(${spec.shape.join(',')}${spec.shape.length === 1 ? ',' : ''})`,
      )
    }
    for (const name of instance.outcomes.names) expect(readme).toContain(`\`${name}\``)
    for (const key of Object.keys(game.configSchema)) expect(readme).toContain(`\`${key}\``)
    expect(readme).toContain(game.rulesVersion)
  })

  it('keeps mask, explain, terminality and native actions in agreement', () => {
    for (const each of instances) {
      for (const seed of SEEDS) {
        playRandomly(each, seed, 150, (state, mask) => {
          expect(Array.from(mask).every((byte) => byte <= 1)).toBe(true)
          const over = each.rules.isTerminal(state)
          expect(legalOf(mask).length === 0).toBe(over)
          for (let action = 0; action < each.numActions; action++) {
            const refusal = each.rules.explain(state, action)
            if ((refusal === undefined) !== (mask[action] === 1)) {
              throw new Error(
                `action ${action}: the mask says ${mask[action]}, explain says ${refusal?.reason}`,
              )
            }
            if (refusal !== undefined && !/^[a-z_]+$/.test(refusal.reason)) throw new Error(refusal.reason)
            if (refusal !== undefined && !refusal.message.endsWith('.')) throw new Error(refusal.message)
            const native = each.native.fromNative(each.native.toNative(action), state)
            if (!over && native !== action)
              throw new Error(`${action} comes back as ${JSON.stringify(native)}`)
          }
        })
      }
    }
  })

  it('refuses JSON that is no native action', () => {
    const state = instance.rules.createState()
    instance.rules.reset(state, '1')
    for (const json of [
      null,
      true,
      7,
      'x',
      '',
      [],
      {},
      { type: 'fly' },
      { type: 7 },
      [['r0x0']],
      { r0x0: 1 },
    ]) {
      expect(instance.native.fromNative(json, state)).toMatchObject({ reason: 'unknown_action' })
    }
  })

  it('reads a state without changing it', () => {
    for (const each of instances) {
      playRandomly(each, '42', 120, (state) => {
        const before = structuredClone(state)
        observe(each, state)
        each.encoder.renderText(state)
        each.rules.isTerminal(state)
        for (let action = 0; action < each.numActions; action++) {
          each.rules.explain(state, action)
          if (each.rules.explain(state, action)) continue
          each.placement?.(state, action)
          each.afterstates?.after(state, action, new Uint8Array(elementsOf(each.afterstates.board)))
        }
        expect(state).toEqual(before)
      })
    }
  })

  it('stays within the bounds of its observation, in play and at the end', () => {
    for (const each of instances) {
      for (const seed of SEEDS) {
        playRandomly(each, seed, 200, (state) => {
          observe(each, state).forEach((array, i) => {
            const spec = each.encoder.spec[i]!
            array.forEach((value, at) => {
              const low = spec.low[spec.low.length === 1 ? 0 : at]!
              const high = spec.high[spec.high.length === 1 ? 0 : at]!
              if (value < low || value > high)
                throw new Error(`${spec.name}[${at}] is ${value}, not ${low}..${high}`)
            })
          })
        })
      }
    }
  })

  it('packs rows as the dense form says, in any row of a batch', () => {
    for (const each of instances) {
      if (each.packed === undefined) continue
      const { spec } = each.encoder
      const strides = spec.map((array) => rowBytes(array, true))
      const maskStride = maskRowBytes(each.numActions, true)
      const dirty = 0xa5
      playRandomly(each, '123', 200, (state, mask) => {
        const out = strides.map((stride) => new Uint8Array(3 * stride).fill(dirty))
        const masks = new Uint8Array(3 * maskStride).fill(dirty)
        each.packed!.encode(state, out, 1)
        each.packed!.writeMask(state, masks, 1)
        observe(each, state).forEach((array, i) => {
          const expected = new Uint8Array(3 * strides[i]!).fill(dirty)
          expected.fill(0, strides[i]!, 2 * strides[i]!)
          packRow(spec[i]!, array, expected, strides[i]!)
          expect(out[i], spec[i]!.name).toEqual(expected)
        })
        const expected = new Uint8Array(3 * maskStride).fill(dirty)
        expected.fill(0, maskStride, 2 * maskStride)
        packBits(mask, 0, mask.length, expected, maskStride)
        expect(masks).toEqual(expected)
      })
    }
  })

  it('writes the same row wherever it stands in a batch', () => {
    playRandomly(instance, '5', 60, (state) => {
      const one = observe(instance, state)
      const three = allocateDense(instance.encoder.spec, 3)
      instance.encoder.encode(state, three, 2)
      three.forEach((array, i) => {
        const length = elementsOf(instance.encoder.spec[i]!)
        expect(array.subarray(2 * length)).toEqual(one[i])
        expect(array.subarray(0, 2 * length).every((value) => value === 0)).toBe(true)
      })
    })
  })

  it('pays the score change, and the score is the sum of the rewards', () => {
    const random = seeded('sum')
    const state = instance.rules.createState()
    instance.rules.reset(state, '9')
    const outcomes = new Int32Array(instance.outcomes.names.length)
    let sum = 0
    for (let i = 0; i < 300 && !instance.rules.isTerminal(state); i++) {
      const legal = legalOf(maskOf(instance, state))
      sum += instance.rules.step(state, legal[below(random, legal.length)]!)
      instance.outcomes.write(state, outcomes, 0)
      expect(outcomes[0]).toBe(sum)
    }
  })

  it('plays a seed the same again, in a used state, with or without work ahead of need', () => {
    for (const each of instances) {
      const states = [0, 1, 2].map(() => each.rules.createState())
      for (const seed of SEEDS) {
        const random = seeded(`again:${seed}`)
        each.rules.prepareReset?.(states[1], seed)
        each.rules.prepareReset?.(states[2], '31337')
        for (const state of states) each.rules.reset(state, seed)
        each.rules.expectReset?.(states[1], SEEDS[1]!)
        for (let i = 0; i < 150; i++) {
          const [first, second, third] = states.map((state) => observe(each, state).map(bytesOf))
          expect(second).toEqual(first)
          expect(third).toEqual(first)
          const legal = legalOf(maskOf(each, states[0]))
          if (legal.length === 0) break
          const action = legal[below(random, legal.length)]!
          while (each.rules.prepareStep?.(states[1])) each.rules.prepareReset?.(states[1], '77')
          const rewards = states.map((state) => each.rules.step(state, action))
          expect(rewards[1]).toBe(rewards[0])
          expect(rewards[2]).toBe(rewards[0])
        }
      }
    }
  })

  it('gives other games to other seeds', () => {
    const digests = Array.from({ length: 40 }, (_, seed) => {
      const seen: number[] = []
      playRandomly(instance, String(seed), 30, (state) => {
        for (const array of observe(instance, state)) for (const value of array) seen.push(value)
      })
      return seen.join()
    })
    expect(new Set(digests).size).toBe(40)
  })

  it('gives afterstates that stepping confirms, dense, with lines and reward', () => {
    for (const each of instances) {
      if (each.afterstates === undefined) continue
      const { afterstates } = each
      const size = elementsOf(afterstates.board)
      playRandomly(each, '77', 60, (state, mask) => {
        for (const action of legalOf(mask)) {
          const board = new Uint8Array(size).fill(9)
          const after = afterstates.after(state, action, board)
          if (after === undefined) continue
          const copy = structuredClone(state)
          expect(each.rules.step(copy, action)).toBe(after.reward)
          const index = each.encoder.spec.findIndex(({ name }) => name === 'board')
          expect(board).toEqual(observe(each, copy)[index])
        }
      })
    }
  })
})

function checkSpec(spec: ArraySpec): void {
  const elements = elementsOf(spec)
  expect([1, elements]).toContain(spec.low.length)
  expect(spec.high.length).toBe(spec.low.length)
  spec.low.forEach((low, i) => {
    expect(low).toBeLessThanOrEqual(spec.high[i]!)
  })
  const highest = Math.max(...spec.high)
  expect(Math.min(...spec.low)).toBeGreaterThanOrEqual(spec.dtype === 'uint8' ? 0 : -(2 ** 31))
  expect(highest).toBeLessThanOrEqual(spec.dtype === 'uint8' ? 255 : 2 ** 31 - 1)
  if (spec.packing === 'bits') expect(highest).toBe(1)
  if (spec.packing === 'nibbles') expect(highest).toBeLessThanOrEqual(15)
  if (spec.packing !== 'none') expect(spec.dtype).toBe('uint8')
  expect(spec.description).toMatch(/\.$/)
  if (spec.kind === 'box') expect(spec.nvec).toBeUndefined()
  else {
    expect(spec.dtype).toBe('int32')
    expect(spec.nvec!.length).toBe(elements)
    expect(spec.shape).toEqual(spec.kind === 'discrete' ? [] : [spec.nvec!.length])
  }
}
