import { describe, expect, it } from 'vitest'
import { GAMES } from '../../src/games/registry.ts'
import { HANDLERS } from '../../src/session/handlers.ts'
import { createHost } from '../../src/session/host.ts'
import { Session } from '../../src/session/session.ts'
import { thrownBy } from './thrown-by.ts'

const placing = GAMES.filter((game) => game.id !== 'Hourloom-v1').map(({ id }) => id)
const unset = { config: {}, autoresetMode: 0, illegalAction: 0, wireEncoding: 0 }

function make(gameId: string, numEnvs: number, settings: object = {}, limits: object = {}) {
  const session = new Session(createHost({ limits }))
  const { envId } = HANDLERS.makeEnv(session, { ...unset, gameId, numEnvs, ...settings })
  const seeds = Array.from({ length: numEnvs }, (_, i) => String(i))
  HANDLERS.reset(session, { envId, seeds, episodes: [], options: {} })
  const ask = (fields: object) => HANDLERS.afterstates(session, { envId, rows: [], ...fields })
  return { session, envId, ask }
}

function int32(bytes: Uint8Array | undefined): Int32Array {
  return new Int32Array(Uint8Array.from(bytes ?? []).buffer)
}

function float32(bytes: Uint8Array | undefined): Float32Array {
  return new Float32Array(Uint8Array.from(bytes ?? []).buffer)
}

describe.each(placing)('sequences of %s', (gameId) => {
  it('are those of each row, in arrays of one length', () => {
    const { ask } = make(gameId, 5)
    const reply = ask({ beamWidth: 6 })
    const offsets = int32(reply.rowOffsets)
    const n = offsets[5]!
    expect(n).toBe(30)
    expect(int32(reply.sequences).length).toBe(n * reply.sequenceLength!)
    expect(int32(reply.figures).length).toBe(n * reply.figureNames!.length)
    expect(float32(reply.values).length).toBe(n)
    expect(float32(reply.rewards).length).toBe(n)
    expect(int32(reply.lines).length).toBe(n)
    expect(reply.boards.length).toBe(n * reply.boardSpec.shape.reduce((a, b) => a * b, 1))
    const firsts = Array.from({ length: n }, (_, i) => int32(reply.sequences)[i * reply.sequenceLength!])
    expect([...int32(reply.actions)]).toEqual(firsts)
    const third = ask({ beamWidth: 6, rows: [3] })
    expect([...int32(third.sequences)]).toEqual([
      ...int32(reply.sequences).subarray(
        offsets[3]! * reply.sequenceLength!,
        offsets[4]! * reply.sequenceLength!,
      ),
    ])
  })

  it('are asked for by beam_width alone: without it, or with 0, the answer is single placements', () => {
    const { ask } = make(gameId, 2)
    expect(ask({}).sequences).toBeUndefined()
    expect(ask({ beamWidth: 0 })).toEqual(ask({}))
  })

  it('are as few as asked for, the best ones', () => {
    const { ask } = make(gameId, 3)
    const [all, two] = [ask({ beamWidth: 6 }), ask({ beamWidth: 6, mostSequences: 2 })]
    expect([...int32(two.rowOffsets)]).toEqual([0, 2, 4, 6])
    const best = [0, 1, 2].flatMap((row) => {
      const first = int32(all.rowOffsets)[row]! * all.sequenceLength!
      return [...int32(all.sequences).subarray(first, first + 2 * all.sequenceLength!)]
    })
    expect([...int32(two.sequences)]).toEqual(best)
  })

  it('change nothing', () => {
    const { ask, session, envId } = make(gameId, 3)
    const before = ask({})
    const text = HANDLERS.render(session, { envId, row: 1 })
    ask({ beamWidth: 40 })
    expect(ask({})).toEqual(before)
    expect(HANDLERS.render(session, { envId, row: 1 })).toEqual(text)
  })

  it.each([
    [{ beamWidth: -1 }, 'BAD_FIELD', 'beam_width is -1; allowed: 0 to 1000'],
    [{ beamWidth: 1001 }, 'BAD_FIELD', 'beam_width is 1001; allowed: 0 to 1000'],
    [{ depth: 1 }, 'MISSING_FIELD', 'beam_width is missing; depth needs it'],
    [{ beamWidth: 4, depth: 0 }, 'BAD_FIELD', 'depth is 0; allowed: 1 to'],
    [{ beamWidth: 4, depth: 4 }, 'BAD_FIELD', 'depth is 4; allowed: 1 to'],
    [{ mostSequences: 1 }, 'MISSING_FIELD', 'beam_width is missing; most_sequences needs it'],
    [{ beamWidth: 4, mostSequences: 5 }, 'BAD_FIELD', 'most_sequences is 5; allowed: 1 to beam_width, 4'],
    [{ beamWidth: 4, mostSequences: 0 }, 'BAD_FIELD', 'most_sequences is 0; allowed: 1 to beam_width, 4'],
    [{ learnedPercent: 1 }, 'MISSING_FIELD', 'beam_width is missing; learned_percent needs it'],
    [{ beamWidth: 4, handPercent: 1 }, 'MISSING_FIELD', 'learned_percent is missing; hand_percent needs it'],
  ])('are refused for %o', (fields, reason, message) => {
    const { ask } = make(gameId, 2)
    expect(thrownBy(() => ask(fields))).toMatchObject({ reason, message: expect.stringContaining(message) })
  })

  it('are refused when they would be too much work, or more than a message holds', () => {
    const many = make(gameId, 5)
    expect(thrownBy(() => many.ask({ beamWidth: 1000 }))).toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'MESSAGE_TOO_LARGE',
      message: expect.stringContaining('5 rows with beam_width 1000 are more than 4096 in all'),
    })
    expect(int32(many.ask({ beamWidth: 1000, rows: [0, 1, 2, 3] }).rowOffsets).length).toBe(5)
    const small = make(gameId, 4, {}, { maxMessageBytes: 20_000 })
    expect(thrownBy(() => small.ask({ beamWidth: 100 }))).toMatchObject({ reason: 'MESSAGE_TOO_LARGE' })
    expect(int32(small.ask({ beamWidth: 10 }).rowOffsets)[4]).toBeGreaterThan(0)
  })
})

const trays = [
  ['LumenBlocks-v1', 301_933],
  ['BlockPuzzle8-v1', 301_933],
  ['BlockPuzzle10-v1', 137_348],
] as const

function weightsOf(count: number, turn: number): Uint8Array {
  const weights = Float32Array.from({ length: count }, (_, i) => ((i * 7919 * turn) % 101) / 10)
  return new Uint8Array(weights.buffer)
}

describe.each(trays)('sequences of %s by a learned value', (gameId, count) => {
  const learnedWeights = weightsOf(count, 1)

  it('are ordered by score and both values', () => {
    const { ask } = make(gameId, 4)
    const reply = ask({ beamWidth: 8, learnedWeights, learnedPercent: 50, handPercent: 30 })
    const [rewards, values, learned] = [reply.rewards, reply.values, reply.learned].map(float32)
    const ranks = [...rewards!].map((reward, i) => reward + 0.3 * values![i]! + 0.5 * learned![i]!)
    const offsets = int32(reply.rowOffsets)
    expect([...offsets]).toEqual([0, 8, 16, 24, 32])
    for (let i = 1; i < 32; i++) {
      if (i % 8 > 0) expect(ranks[i]).toBeLessThanOrEqual(ranks[i - 1]! + 1e-3)
    }
    expect(new Set(learned).size).toBeGreaterThan(16)
    expect(ask({ beamWidth: 8 }).learned).toBeUndefined()
    expect(ask({ beamWidth: 8 }).sequences).not.toEqual(reply.sequences)
    const unlearned = ask({ beamWidth: 8, learnedPercent: 0 })
    expect(unlearned.sequences).toEqual(ask({ beamWidth: 8 }).sequences)
  })

  it('keep the weights of their own environment until others come', () => {
    const { ask, session } = make(gameId, 2)
    const other = HANDLERS.makeEnv(session, { ...unset, gameId, numEnvs: 2 }).envId
    HANDLERS.reset(session, { envId: other, seeds: ['0', '1'], episodes: [], options: {} })
    const askOther = (fields: object) =>
      HANDLERS.afterstates(session, { envId: other, rows: [], beamWidth: 5, learnedPercent: 100, ...fields })
    const first = ask({ beamWidth: 5, learnedWeights, learnedPercent: 100 })
    expect(thrownBy(() => askOther({}))).toMatchObject({
      reason: 'MISSING_FIELD',
      message: 'learned_weights is missing, and none were given before',
    })
    expect(thrownBy(() => askOther({ learnedWeights, learnedPercent: -1 }))).toMatchObject({
      reason: 'BAD_FIELD',
    })
    expect(thrownBy(() => askOther({}))).toMatchObject({ reason: 'MISSING_FIELD' })
    const second = askOther({ learnedWeights: weightsOf(count, 2) })
    expect(second.learned).not.toEqual(first.learned)
    expect(ask({ beamWidth: 5, learnedPercent: 100 })).toEqual(first)
    expect(askOther({})).toEqual(second)
    expect(askOther({ learnedWeights })).toEqual(first)
  })

  it.each([
    [{ learnedWeights: learnedWeights.subarray(4) }, `learned_weights has ${count * 4 - 4} bytes; allowed`],
    [{ learnedWeights: learnedWeights.subarray(2) }, 'learned_weights has'],
    [{ learnedWeights: new Uint8Array(count * 4).fill(0xff) }, 'finite float32 numbers'],
    [{ learnedWeights, learnedPercent: 1_000_001 }, 'learned_percent is 1000001; allowed: 0 to 1000000'],
    [{ learnedWeights, handPercent: -5 }, 'hand_percent is -5; allowed: 0 to 1000000'],
  ])('refuse what does not make one', (fields, message) => {
    const { ask } = make(gameId, 1)
    const wrong = { beamWidth: 4, learnedPercent: 100, ...fields }
    expect(thrownBy(() => ask(wrong))).toMatchObject({
      reason: 'BAD_FIELD',
      message: expect.stringContaining(message),
    })
  })
})

describe('sequences', () => {
  it('take no learned value where the search has no room for one', () => {
    const { ask } = make('Stackcraft-v1', 1)
    const learned = { beamWidth: 4, learnedWeights: new Uint8Array(4), learnedPercent: 100 }
    expect(thrownBy(() => ask(learned))).toMatchObject({ reason: 'NOT_IN_THIS_GAME' })
  })

  it('are of no use to a game without placements', () => {
    const { ask } = make('Hourloom-v1', 1)
    expect(thrownBy(() => ask({ beamWidth: 4 }))).toMatchObject({ reason: 'NOT_IN_THIS_GAME' })
  })

  it('tell lines as the reward where that is the reward', () => {
    const { ask } = make('Stackcraft-v1', 1, { reward: 'lines' })
    const reply = ask({ beamWidth: 30 })
    expect([...float32(reply.rewards)]).toEqual([...int32(reply.lines)])
  })

  it('come for a position too', () => {
    const { session } = make('BlockPuzzle8-v1', 1)
    const position = {
      gameId: 'BlockPuzzle8-v1',
      config: {},
      board: new Uint8Array(64),
      tray: [1, 0, 0],
      figures: {},
    }
    const reply = HANDLERS.afterstates(session, { rows: [], position, beamWidth: 100 })
    expect(int32(reply.rowOffsets)[1]).toBe(64)
    expect(reply.sequenceLength).toBe(3)
    expect([...int32(reply.sequences)].filter((action) => action === -1).length).toBe(128)
  })
})
