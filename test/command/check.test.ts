import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { checkGame } from '../../src/command/check/check-game.ts'
import { type ContractClient, inProcessClient } from '../../src/command/check/contract-client.ts'
import type { Game } from '../../src/env/game.ts'
import { GAMES } from '../../src/games/registry.ts'
import { verifyReplay } from '../../src/replay/verify.ts'
import { createHost } from '../../src/session/host.ts'
import type { BatchResponse } from '../../src/session/message-types.ts'
import { ladder } from '../env/ladder-game.ts'
import { startWatched } from '../faults/server.ts'
import { startTcp } from '../transport/connect.ts'
import { runCli, temporaryFile } from './run-cli.ts'

const placing = GAMES.filter((game) => game.create(configOf(game)).afterstates)

function configOf(game: Game) {
  return Object.fromEntries(Object.entries(game.configSchema).map(([key, spec]) => [key, spec.default]))
}

/** The game with a mask that `lie` may change, told the number of placements so far. */
function withMask(game: Game, lie: (mask: Uint8Array, placed: number) => void): Game {
  return {
    ...game,
    create(config) {
      const { packed: _, ...instance } = game.create(config)
      const { rules, outcomes, numActions } = instance
      const figures = new Int32Array(outcomes.names.length)
      return {
        ...instance,
        rules: {
          ...rules,
          writeMask(state, out, offset) {
            rules.writeMask(state, out, offset)
            outcomes.write(state, figures, 0)
            if (!rules.isTerminal(state)) lie(out.subarray(offset, offset + numActions), figures.at(-1)!)
          },
        },
      }
    },
  }
}

async function check(games: readonly Game[], tamper: (client: ContractClient) => ContractClient = (c) => c) {
  const client = tamper(inProcessClient({ ...createHost({ logFault: () => undefined }), games }))
  const [info] = (await client.call('listGames', {})).games
  return checkGame(client, info!, { config: {}, states: 40, seed: '3' })
}

/** A client that sees other batches than the server sent. */
function tampering(change: (batch: BatchResponse['batch'], finishedBefore: number) => void) {
  return (client: ContractClient): ContractClient => {
    let finishedBefore = 0
    return {
      close: () => client.close(),
      async call(name, request) {
        const answer = await client.call(name, request)
        if (name === 'step') {
          const { batch } = answer as unknown as BatchResponse
          change(batch, finishedBefore)
          finishedBefore = batch.finished.length
        }
        return answer
      },
    }
  }
}

describe('a wrong mask is caught, with the shortest replay', () => {
  it.each(placing)('of $id: it forbids a legal action from the third placement on', async (game) => {
    const lying = withMask(game, (mask, placed) => {
      if (placed >= 3) mask[mask.lastIndexOf(1)] = 0
    })
    const { failure } = await check([lying])
    expect(failure?.message).toMatch(/^the mask forbids action \d+ \(\S+\); Explain says that it is legal$/)
    expect(failure?.actions.length).toBe(3)
    expect(verifyReplay(failure!.replay, [game])).toMatchObject({
      ok: true,
      replay: { actions: failure!.actions },
    })
  })

  it.each(placing)('of $id: it allows an illegal action after two placements', async (game) => {
    const lying = withMask(game, (mask, placed) => {
      if (placed === 2) mask[mask.indexOf(0)] = 1
    })
    const { failure } = await check([lying])
    expect(failure?.message).toMatch(
      /^the mask allows action \d+ \(\S+\); Explain says that it is not legal \([a-z_]+\)$/,
    )
    expect(failure?.actions.length).toBe(2)
    expect(verifyReplay(failure!.replay, [game]).ok).toBe(true)
  })

  it('that is wrong at the start alone', async () => {
    const { failure } = await check([withMask(ladder, (mask, moves) => moves === 0 && mask.fill(0))])
    expect(failure).toMatchObject({
      actions: [],
      message: expect.stringMatching(/^the mask forbids action 0 \(up\)/),
    })
  })

  it('that is wrong in the packed encoding alone', async () => {
    const { failure } = await check([
      {
        ...ladder,
        create: (config) => {
          const instance = ladder.create(config)
          return {
            ...instance,
            packed: {
              encode: () => undefined,
              writeMask: (_, out, row) => {
                out[row * 8] = 0b0111
              },
            },
          }
        },
      } as Game,
    ])
    expect(failure?.message).toMatch(
      /after a reset, the mask of action 2 \(down\) is 1; it should be 0 .*packed/,
    )
  })
})

describe('a wrong batch is caught', () => {
  it.each<[string, RegExp, Parameters<typeof tampering>[0]]>([
    [
      'the mask of a finished row',
      /after a step, the mask of action 0 .* is 0; it should be 1 \(autoreset next_step/,
      (batch) => {
        for (const { row } of batch.finished)
          if (batch.terminations.length === 3) batch.actionMasks.fill(0, row * 4, row * 4 + 4)
      },
    ],
    [
      'a final mask',
      /in the final mask/,
      (batch) => {
        if (batch.terminations.length === 3) batch.finalActionMasks.fill(0)
      },
    ],
    [
      'a refusal',
      /mask forbids action 3 .*; step plays it/,
      (batch) => {
        ;(batch as { refusals: readonly object[] }).refusals = batch.refusals.filter(
          ({ action }) => action !== 3,
        )
      },
    ],
    [
      'a reason',
      /is refused for luck; Explain says (never|at_the_foot)/,
      (batch) => {
        ;(batch as { refusals: readonly object[] }).refusals = batch.refusals.map((r) => ({
          ...r,
          reason: 'luck',
        }))
      },
    ],
    [
      'the reward of a resetting step',
      /a resetting step has a reward/,
      (batch, finishedBefore) => {
        if (finishedBefore > 0) batch.rewards.fill(0x3f)
      },
    ],
  ])('%s', async (_, says, change) => {
    const { failure } = await check([ladder], tampering(change))
    expect(failure?.message).toMatch(says)
  })
})

describe('blockloom check', () => {
  it('finds nothing wrong with the games, here or over gRPC', async () => {
    const all = runCli(['check', '--all', '--states', '8'])
    expect(all.stderr).toBe('')
    expect(all.stdout.trimEnd().split('\n')).toEqual(
      GAMES.map(({ id }) => expect.stringMatching(new RegExp(`^${id}: ok \\(8 positions, \\d+ steps`))),
    )
    expect(all.status).toBe(0)
    const server = await startTcp()
    const { address } = server as unknown as { address: string }
    const one = runCli(['check', 'stackcraft', '--server', address, '--states', '8', '--seed', '-5'])
    await server.stop()
    expect(one).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/^Stackcraft-v1: ok \(/),
    })
  })

  it('finds nothing wrong, and a wrong mask, also where a server allows fewer rows than there are actions', async () => {
    const small = { ...createHost({ logFault: () => undefined, limits: { maxRows: 40, maxNumEnvs: 17 } }) }
    const [stackcraft] = GAMES
    const info = (await inProcessClient(small).call('listGames', {})).games[0]!
    expect(info.spec.numActions).toBeGreaterThan(17)
    const settings = { config: {}, states: 10, seed: '3' }
    const report = await checkGame(inProcessClient(small), info, settings)
    expect(report.failure).toBeUndefined()
    expect(report.counts.steps).toBeGreaterThan(5 * info.spec.numActions)
    const lying = withMask(stackcraft!, (mask, placed) => {
      if (placed >= 3) mask[mask.lastIndexOf(1)] = 0
    })
    const { failure } = await checkGame(inProcessClient({ ...small, games: [lying] }), info, settings)
    expect(failure?.message).toMatch(/^the mask forbids action \d+ /)
    expect(failure?.actions.length).toBe(3)
  })

  it('is let in with a token and certificates', async () => {
    const certificate = (name: string) =>
      fileURLToPath(new URL(`../faults/certificates/${name}`, import.meta.url))
    const token = temporaryFile('token', 'a-token-for-the-tests-only\n')
    const server = await startWatched([
      ...['--tls-cert', certificate('server.pem'), '--tls-key', certificate('server.key')],
      ...['--tls-client-ca', certificate('ca.pem'), '--token-file', token],
    ])
    const address = server.address.replace('127.0.0.1', 'localhost')
    const check = ['check', 'stackcraft', '--server', address, '--states', '2']
    const tls = ['--tls-ca', certificate('ca.pem')]
    const own = ['--tls-cert', certificate('client.pem'), '--tls-key', certificate('client.key')]
    const wrong = temporaryFile('token', 'another-token-for-the-tests\n')
    expect(runCli([...check, ...tls, ...own, '--token-file', token])).toMatchObject({ status: 0, stderr: '' })
    expect(runCli([...check, ...tls, ...own, '--token-file', wrong])).toMatchObject({ status: 2 })
    expect(runCli([...check, ...tls, '--token-file', token])).toMatchObject({ status: 2 })
    await server.stop()
  })

  it.each([
    [['--token-file', 'x'], /--token-file needs --server/],
    [['--server', '127.0.0.1:1', '--tls-cert', 'x'], /go together/],
    [['--server', '127.0.0.1:1', '--tls-ca', '/nowhere'], /--tls-ca \/nowhere cannot be read \(ENOENT\)/],
    [['chess'], /no game "chess"/],
    [['stackcraft', '--all'], /not both/],
    [['--seed', '07'], /--seed/],
    [['--states', '0'], /--states/],
    [['stackcraft', '--config', 'luck=1'], /no key "luck"/],
    [['--server', '127.0.0.1:1'], /127\.0\.0\.1:1: /],
  ])('refuses %j', (args, says) => {
    expect(runCli(['check', ...args])).toMatchObject({ status: 2, stderr: expect.stringMatching(says) })
  })
})
