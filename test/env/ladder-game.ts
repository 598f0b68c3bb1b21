import type { Game, Refusal, Rules } from '../../src/env/game.ts'
import { below, seeded } from '../../src/random/seeded.ts'

/**
 * A game small enough to follow by hand. A climber starts on rung 0, 1 or 2 (by seed) and wins at rung 9:
 * action 0 climbs one rung (1 point), 1 climbs two (2 points), 2 climbs down one (0 points, not on rung 0),
 * 3 is never legal. At rung 9 or above the game is over.
 */
export interface LadderState {
  rung: number
  score: number
  moves: number
  /** `[5]` uint8, how often each of the rungs 0..4 was stood on, at most 15. */
  visits: Uint8Array
}

const TOP = 9

const rules: Rules<LadderState> = {
  createState: () => ({ rung: 0, score: 0, moves: 0, visits: new Uint8Array(5) }),
  reset(state, seed) {
    state.rung = below(seeded(seed), 3)
    state.score = 0
    state.moves = 0
    state.visits.fill(0)
  },
  step(state, action) {
    const climb = [1, 2, -1][action]!
    if (state.rung < 5) state.visits[state.rung] = Math.min(15, state.visits[state.rung]! + 1)
    state.rung += climb
    state.moves++
    state.score += Math.max(0, climb)
    return Math.max(0, climb)
  },
  isTerminal: (state) => state.rung >= TOP,
  writeMask(state, out, offset) {
    for (let action = 0; action < 4; action++)
      out[offset + action] = refusal(state, action) === undefined ? 1 : 0
  },
  explain: refusal,
}

function refusal(state: LadderState, action: number): Refusal | undefined {
  if (state.rung >= TOP) return { reason: 'episode_over', cells: [], message: 'The climb is over.' }
  if (action === 3) return { reason: 'never', cells: [], message: 'This is never legal.' }
  if (action === 2 && state.rung === 0)
    return { reason: 'at_the_foot', cells: [], message: 'There is no rung below.' }
  return undefined
}

export const ladder: Game<LadderState> = {
  id: 'Ladder-v1',
  rulesVersion: 'ladder-v1',
  title: 'Ladder',
  configSchema: {
    height: { type: 'integer', min: 9, max: 9, default: 9, description: 'The winning rung.' },
  },
  rewards: ['score', 'moves'],
  create: () => ({
    numActions: 4,
    rules,
    encoder: {
      spec: [
        {
          name: 'rung',
          kind: 'discrete',
          dtype: 'int32',
          shape: [],
          low: [0],
          high: [10],
          nvec: [11],
          packing: 'none',
          description: 'The rung.',
        },
        {
          name: 'thermometer',
          kind: 'box',
          dtype: 'uint8',
          shape: [11],
          low: [0],
          high: [1],
          packing: 'bits',
          description: 'Ones up to the rung.',
        },
        {
          name: 'visits',
          kind: 'box',
          dtype: 'uint8',
          shape: [5],
          low: [0],
          high: [15],
          packing: 'nibbles',
          description: 'Visits of the lower rungs.',
        },
      ],
      encode(state, out, row) {
        out[0]![row] = state.rung
        for (let i = 0; i < 11; i++) out[1]![row * 11 + i] = i < state.rung ? 1 : 0
        out[2]!.set(state.visits, row * 5)
      },
      renderText: (state) => `rung ${state.rung}\nscore ${state.score}\n`,
    },
    outcomes: {
      names: ['score', 'moves'],
      write(state, out, offset) {
        out[offset] = state.score
        out[offset + 1] = state.moves
      },
    },
    native: {
      toNative: (action) => ['up', 'up2', 'down', 'never'][action]!,
      fromNative: (json) => {
        const action = ['up', 'up2', 'down', 'never'].indexOf(String(json))
        return action >= 0 ? action : { reason: 'unknown_action', cells: [], message: 'Not an action.' }
      },
      name: (action) => ['up', 'up2', 'down', 'never'][action]!,
    },
  }),
}
