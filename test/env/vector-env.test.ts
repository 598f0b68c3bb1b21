import { describe, expect, it } from 'vitest'
import { EnvError } from '../../src/env/env-error.ts'
import { episodeSeed } from '../../src/env/seeds.ts'
import { VectorEnv, type VectorEnvSettings } from '../../src/env/vector-env.ts'
import { ladder } from './ladder-game.ts'

const SETTINGS: VectorEnvSettings = {
  numEnvs: 1,
  maxEpisodeSteps: 0,
  autoresetMode: 'next_step',
  illegalAction: 'refuse',
  reward: 'score',
  packed: false,
  record: false,
}
const UP = 0
const UP2 = 1
const DOWN = 2
const NEVER = 3
/** Seeds by the rung that they start on. */
const SEED_ON = [0, 1, 2].map((rung) => {
  for (let seed = 0; ; seed++) {
    const env = make({})
    env.reset([{ seed: String(seed), episode: 0 }])
    if (rungs(env)[0] === rung) return String(seed)
  }
})

function make(settings: Partial<VectorEnvSettings>) {
  return new VectorEnv(ladder.create({ height: 9 }), { ...SETTINGS, ...settings })
}

function started(settings: Partial<VectorEnvSettings>, startRungs: readonly number[] = [0]) {
  const env = make({ numEnvs: startRungs.length, ...settings })
  env.reset(startRungs.map((rung) => ({ seed: SEED_ON[rung]!, episode: 0 })))
  return env
}

function rungs(env: { batch: { observations: readonly Uint8Array[] } }): number[] {
  const bytes = env.batch.observations[0]!
  return Array.from(new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4))
}

function step(env: ReturnType<typeof make>, ...actions: number[]) {
  env.step(Int32Array.from(actions))
}

/** Row 0's part of a batch. */
function look(env: ReturnType<typeof make>) {
  const { batch } = env
  return {
    rung: rungs(env)[0],
    reward: batch.rewards[0],
    terminated: batch.terminations[0],
    truncated: batch.truncations[0],
    mask: Array.from(batch.actionMasks.subarray(0, 4)).join(''),
    finished: batch.finished.length,
  }
}

function nextRung(rung: number): number {
  const env = make({})
  env.reset([{ seed: SEED_ON[rung]!, episode: 1 }])
  return rungs(env)[0]!
}

function thrown(act: () => void): EnvError {
  try {
    act()
  } catch (error) {
    if (error instanceof EnvError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('autoreset', () => {
  // From rung 0: four climbs of two, then one of one, reach the top.
  const climb = (env: ReturnType<typeof make>) => {
    for (let i = 0; i < 4; i++) step(env, UP2)
    expect(look(env)).toEqual({ rung: 8, reward: 2, terminated: 0, truncated: 0, mask: '1110', finished: 0 })
    step(env, UP)
  }

  it('next_step: the step after the last one resets, whatever its action, and pays nothing', () => {
    const env = started({ autoresetMode: 'next_step' })
    climb(env)
    expect(look(env)).toEqual({ rung: 9, reward: 1, terminated: 1, truncated: 0, mask: '1111', finished: 1 })
    expect(env.batch.finished[0]).toEqual({ row: 0, return: 9, length: 5, outcomes: [9, 5] })
    step(env, NEVER)
    const rung = nextRung(0)
    const mask = rung === 0 ? '1100' : '1110'
    expect(look(env)).toEqual({ rung, reward: 0, terminated: 0, truncated: 0, mask, finished: 0 })
    expect(env.batch.refusals).toEqual([])
  })

  it('same_step: the last step shows the new episode and keeps the final one', () => {
    const env = started({ autoresetMode: 'same_step' })
    climb(env)
    const rung = nextRung(0)
    const mask = rung === 0 ? '1100' : '1110'
    expect(look(env)).toEqual({ rung, reward: 1, terminated: 1, truncated: 0, mask, finished: 1 })
    expect(env.batch.finalObservations[0]![0]).toBe(9)
    expect(Array.from(env.batch.finalActionMasks.subarray(0, 4))).toEqual([0, 0, 0, 0])
    expect(Array.from(env.batch.outcomes)).toEqual([0, 0])
    step(env, UP)
    expect(look(env)).toMatchObject({ rung: rung + 1, reward: 1, terminated: 0, finished: 0 })
  })

  it('disabled: the row stays finished, its mask is empty, and stepping it is refused', () => {
    const env = started({ autoresetMode: 'disabled' }, [0, 1])
    for (let i = 0; i < 4; i++) step(env, UP2, DOWN + (i % 2 === 0 ? 0 : -2))
    step(env, UP, UP)
    expect(look(env)).toMatchObject({ rung: 9, terminated: 1, mask: '0000' })
    const before = Array.from(env.batch.actionMasks)
    expect(thrown(() => step(env, UP, UP))).toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'RESET_REQUIRED',
    })
    expect(Array.from(env.batch.actionMasks)).toEqual(before)
    expect(env.explain(0, UP)?.reason).toBe('episode_over')
    env.reset([env.following(0), undefined])
    expect(look(env)).toMatchObject({ rung: nextRung(0), reward: 0, terminated: 0 })
    step(env, UP, UP)
    expect(look(env)).toMatchObject({ rung: nextRung(0) + 1 })
  })
})

describe('time limit', () => {
  it('truncates, keeps the game’s own mask for bootstrapping, and never says terminated', () => {
    const env = started({ maxEpisodeSteps: 2 })
    step(env, UP)
    step(env, UP)
    expect(look(env)).toEqual({ rung: 2, reward: 1, terminated: 0, truncated: 1, mask: '1111', finished: 1 })
    expect(Array.from(env.batch.finalActionMasks.subarray(0, 4))).toEqual([1, 1, 1, 0])
    expect(env.batch.finished[0]).toMatchObject({ return: 2, length: 2 })
  })

  it('counts refused steps, and not the resetting call', () => {
    const env = started({ maxEpisodeSteps: 2 })
    step(env, NEVER)
    step(env, NEVER)
    expect(look(env)).toMatchObject({ rung: 0, truncated: 1 })
    step(env, NEVER)
    step(env, UP)
    expect(look(env)).toMatchObject({ truncated: 0, terminated: 0 })
    step(env, UP)
    expect(look(env)).toMatchObject({ truncated: 1, terminated: 0 })
  })

  it('is a termination when the game ends on the last allowed step', () => {
    const env = started({ maxEpisodeSteps: 5 })
    for (const action of [UP2, UP2, UP2, UP2, UP]) step(env, action)
    expect(look(env)).toMatchObject({ terminated: 1, truncated: 0 })
  })
})

describe('illegal actions', () => {
  it('refuse: the row stays, the others go on', () => {
    const env = started({ illegalAction: 'refuse' }, [0, 1])
    step(env, DOWN, UP)
    expect(rungs(env)).toEqual([0, 2])
    expect(env.batch.refusals).toEqual([{ row: 0, action: DOWN, reason: 'at_the_foot' }])
    expect(Array.from(env.batch.rewards)).toEqual([0, 1])
    step(env, UP, UP)
    expect(env.batch.refusals).toEqual([])
  })

  it('reject: no row is stepped', () => {
    const env = started({ illegalAction: 'reject' }, [1, 0])
    expect(thrown(() => step(env, UP, DOWN))).toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'at_the_foot',
      metadata: { row: '1', action: '2' },
    })
    expect(rungs(env)).toEqual([1, 0])
  })

  it('terminate: the episode ends with reward 0 and an empty final mask', () => {
    const env = started({ illegalAction: 'terminate', autoresetMode: 'disabled' })
    step(env, UP2)
    step(env, NEVER)
    expect(look(env)).toEqual({ rung: 2, reward: 0, terminated: 1, truncated: 0, mask: '0000', finished: 1 })
    expect(Array.from(env.batch.finalActionMasks.subarray(0, 4))).toEqual([0, 0, 0, 0])
    expect(env.batch.finished[0]).toEqual({ row: 0, return: 2, length: 2, outcomes: [2, 1] })
    expect(env.explain(0, UP)?.reason).toBe('episode_over')
  })

  it('a number outside the space turns the whole batch away in every policy', () => {
    for (const illegalAction of ['refuse', 'reject', 'terminate'] as const) {
      const env = started({ illegalAction }, [0, 0])
      for (const bad of [-1, 4, 2 ** 31 - 1]) {
        expect(thrown(() => step(env, UP, bad))).toMatchObject({
          code: 'INVALID_ARGUMENT',
          metadata: { row: '1', action: String(bad) },
        })
      }
      expect(rungs(env)).toEqual([0, 0])
    }
  })

  it('is ignored in a finished next_step row, but not a number outside the space', () => {
    const env = started({ illegalAction: 'reject', maxEpisodeSteps: 1 })
    step(env, UP)
    expect(thrown(() => step(env, 4)).reason).toBe('ACTION_OUT_OF_RANGE')
    step(env, NEVER)
    expect(look(env)).toMatchObject({ truncated: 0 })
  })
})

describe('seeds', () => {
  it('episode k of a seed is the same whether it is reached by playing or asked for', () => {
    const env = make({ maxEpisodeSteps: 1, autoresetMode: 'same_step' })
    env.reset([{ seed: '7', episode: 0 }])
    for (let episode = 1; episode < 20; episode++) {
      step(env, UP)
      const direct = make({})
      direct.reset([{ seed: '7', episode }])
      expect(rungs(env)).toEqual(rungs(direct))
      const plain = make({})
      plain.reset([{ seed: episodeSeed('7', episode), episode: 0 }])
      expect(rungs(env)).toEqual(rungs(plain))
    }
  })
})

describe('rewards and encodings', () => {
  it('another reward is the change of the outcome of that name', () => {
    const env = started({ reward: 'moves' }, [1])
    for (const action of [UP2, DOWN]) {
      step(env, action)
      expect(env.batch.rewards[0]).toBe(1)
    }
    step(env, NEVER)
    expect(env.batch.rewards[0]).toBe(0)
  })

  it('packed rows hold the dense content, low bits first', () => {
    const dense = started({ numEnvs: 3, maxEpisodeSteps: 6 }, [0, 1, 2])
    const packed = started({ numEnvs: 3, maxEpisodeSteps: 6, packed: true }, [0, 1, 2])
    for (let i = 0; i < 40; i++) {
      const actions = [i % 3, (i + 1) % 4, (i * 7) % 4]
      step(dense, ...actions)
      step(packed, ...actions)
      expect(packed.batch.rewards).toEqual(dense.batch.rewards)
      for (let row = 0; row < 3; row++) {
        const bit = (bytes: Uint8Array, from: number, n: number) => (bytes[from + (n >> 3)]! >> (n & 7)) & 1
        for (let n = 0; n < 11; n++) {
          expect(bit(packed.batch.observations[1]!, row * 2, n)).toBe(
            dense.batch.observations[1]![row * 11 + n],
          )
        }
        for (let n = 0; n < 5; n++) {
          const nibble = (packed.batch.observations[2]![row * 3 + (n >> 1)]! >> (4 * (n & 1))) & 15
          expect(nibble).toBe(dense.batch.observations[2]![row * 5 + n])
        }
        for (let n = 0; n < 64; n++) {
          const expected = n < 4 ? dense.batch.actionMasks[row * 4 + n] : 0
          expect(bit(packed.batch.actionMasks, row * 8, n)).toBe(expected)
        }
      }
    }
  })
})
