import type { JsonObject } from './connect.ts'

/** A request that every transport refuses, and how. `envId` is an environment of two rows, already reset. */
export interface RefusedRequest {
  readonly request: (envId: string, gameId: string) => JsonObject
  readonly code: string
  readonly reason: string
  readonly says: RegExp
}

const packed = (...actions: number[]) => Buffer.from(Int32Array.from(actions).buffer).toString('base64')

function refused(
  code: string,
  reason: string,
  says: RegExp,
  request: RefusedRequest['request'],
): RefusedRequest {
  return { request, code, reason, says }
}

const invalid = (reason: string, says: RegExp, request: RefusedRequest['request']) =>
  refused('INVALID_ARGUMENT', reason, says, request)

const BAD_SEEDS = ['007', '+7', '-0', ' 7', '7 ', '1e3', '', '0x7', '7.0', '9'.repeat(65), '１']

export const REFUSED_REQUESTS: readonly RefusedRequest[] = [
  invalid('MISSING_FIELD', /no call/, () => ({})),
  invalid('MISSING_FIELD', /env_id/, () => ({ step: { actions: [0, 0] } })),
  invalid('MISSING_FIELD', /env_id/, () => ({ reset: {} })),
  invalid('MISSING_FIELD', /game_id/, () => ({ makeEnv: {} })),
  invalid('MISSING_FIELD', /packed_actions or actions/, (envId) => ({ step: { envId } })),
  invalid('MISSING_FIELD', /packed_actions or actions/, (envId) => ({ step: { envId, actions: [] } })),
  invalid('MISSING_FIELD', /action_json/, (envId) => ({ play: { envId } })),
  invalid('CONFLICTING_FIELDS', /not both/, (envId) => ({
    step: { envId, actions: [0, 0], packedActions: packed(0, 0) },
  })),
  invalid('ACTIONS_MISMATCH', /expected 2, got 1/, (envId) => ({ step: { envId, actions: [0] } })),
  invalid('ACTIONS_MISMATCH', /expected 2, got 3/, (envId) => ({
    step: { envId, packedActions: packed(0, 0, 0) },
  })),
  invalid('ACTIONS_MISMATCH', /5 bytes/, (envId) => ({ step: { envId, packedActions: 'AAAAAAA=' } })),
  invalid('ACTIONS_MISMATCH', /expected 2, got 0/, (envId) => ({ step: { envId, packedActions: '' } })),
  invalid('ACTION_OUT_OF_RANGE', /row 1 is 100000/, (envId) => ({ step: { envId, actions: [0, 100000] } })),
  invalid('ACTION_OUT_OF_RANGE', /row 0 is -1/, (envId) => ({
    step: { envId, packedActions: packed(-1, 0) },
  })),
  ...BAD_SEEDS.map((seed) => invalid('BAD_SEED', /^seed is no/, (envId) => ({ reset: { envId, seed } }))),
  ...BAD_SEEDS.map((seed) =>
    invalid('BAD_SEED', /^seeds\[1\] is no/, (envId) => ({ reset: { envId, seeds: ['1', seed] } })),
  ),
  invalid('BAD_SEED', /^seed \+ 1/, (envId) => ({ reset: { envId, seed: '9'.repeat(64) } })),
  invalid('SEEDS_MISMATCH', /expected 2, got 1/, (envId) => ({ reset: { envId, seeds: ['1'] } })),
  invalid('SEEDS_MISMATCH', /expected 2, got 3/, (envId) => ({ reset: { envId, seeds: ['1', '2', '3'] } })),
  invalid('CONFLICTING_FIELDS', /not both/, (envId) => ({ reset: { envId, seed: '1', seeds: ['1', '2'] } })),
  invalid('EPISODES_MISMATCH', /need seed/, (envId) => ({ reset: { envId, episodes: [0, 0] } })),
  invalid('EPISODES_MISMATCH', /expected 2, got 1/, (envId) => ({
    reset: { envId, seed: '1', episodes: [0] },
  })),
  invalid('BAD_FIELD', /episodes\[1\] is -1/, (envId) => ({
    reset: { envId, seed: '1', episodes: [0, -1] },
  })),
  invalid('BAD_RESET_MASK', /expected 2 bytes, got 1/, (envId) => ({ reset: { envId, resetMask: 'AQ==' } })),
  invalid('BAD_RESET_MASK', /row 1 is 2/, (envId) => ({ reset: { envId, resetMask: 'AQI=' } })),
  invalid('BAD_OPTION', /no reset option "nonsense"/, (envId) => ({
    reset: { envId, options: { nonsense: '1' } },
  })),
  invalid('BAD_FIELD', /num_envs is 0/, (_, gameId) => ({ makeEnv: { gameId, numEnvs: 0 } })),
  invalid('BAD_FIELD', /num_envs is -3/, (_, gameId) => ({ makeEnv: { gameId, numEnvs: -3 } })),
  refused('RESOURCE_EXHAUSTED', 'TOO_MANY_ROWS', /num_envs is 2147483647/, (_, gameId) => ({
    makeEnv: { gameId, numEnvs: 2147483647 },
  })),
  invalid('BAD_FIELD', /max_episode_steps is -1/, (_, gameId) => ({
    makeEnv: { gameId, maxEpisodeSteps: -1 },
  })),
  invalid('BAD_FIELD', /reward is "luck"/, (_, gameId) => ({ makeEnv: { gameId, reward: 'luck' } })),
  invalid('UNKNOWN_CONFIG_KEY', /no key "depth"/, (_, gameId) => ({
    makeEnv: { gameId, config: { depth: '1' } },
  })),
  invalid('UNKNOWN_CONFIG_KEY', /no key "__proto__"/, (_, gameId) => ({
    makeEnv: { gameId, config: JSON.parse('{"__proto__":"1"}') as JsonObject },
  })),
  invalid('ROW_OUT_OF_RANGE', /row is 2/, (envId) => ({ explain: { envId, row: 2 } })),
  invalid('ROW_OUT_OF_RANGE', /row is -1/, (envId) => ({ render: { envId, row: -1 } })),
  invalid('ROW_OUT_OF_RANGE', /row is 7/, (envId) => ({ getActionMask: { envId, rows: [0, 7] } })),
  invalid('ACTION_OUT_OF_RANGE', /holds -4/, (envId) => ({ explain: { envId, actions: [-4] } })),
  invalid('BAD_FIELD', /one JSON value/, (envId) => ({ play: { envId, actionJson: '{' } })),
  invalid('BAD_FIELD', /4096 bytes/, (envId) => ({ play: { envId, actionJson: `"${'x'.repeat(5000)}"` } })),
  refused('NOT_FOUND', 'UNKNOWN_GAME', /"Chess-v1"/, () => ({ makeEnv: { gameId: 'Chess-v1' } })),
  refused('NOT_FOUND', 'UNKNOWN_ENV', /no environment/, () => ({ step: { envId: 'nope', actions: [0, 0] } })),
]
