import { envError } from '../env/env-error.ts'
import type { Afterstates, ArraySpec, GameInstance, Refusal } from '../env/game.ts'
import type { Slices } from '../env/slices.ts'
import { bytesOf, elementsOf } from '../env/tensor-spec.ts'
import { readRows } from './inspect.ts'
import { makeGame } from './make-env.ts'
import type { AfterstatesRequest, AfterstatesResponse, PositionMessage } from './message-types.ts'
import { type MadeGame, observationSpecMessage } from './messages.ts'
import { readBeam, searchAfterstates } from './search-afterstates.ts'
import type { Host, Session } from './session.ts'

/** The states to look at, and the outcome whose change is the reward; a state that is over is undefined. */
export interface Subject {
  readonly instance: GameInstance<unknown>
  readonly afterstates: Afterstates<unknown>
  readonly states: readonly unknown[]
  readonly reward: string
}

export function* afterstates(session: Session, request: AfterstatesRequest): Slices<AfterstatesResponse> {
  const subject = readSubject(session, request)
  const board = subject.afterstates.board
  const beam = readBeam(request, subject)
  if (beam !== undefined) return yield* searchAfterstates(subject, beam, session.host)
  const most = yield* countWithinLimit(subject, board, session.host)
  return yield* write(subject, most, board)
}

function readSubject(session: Session, request: AfterstatesRequest): Subject {
  const { envId, position } = request
  const byPosition = position !== undefined && position !== null
  if (byPosition && ((envId !== undefined && envId !== null) || request.rows.length > 0)) {
    throw envError('CONFLICTING_FIELDS', 'give env_id, with or without rows, or position, not both', {
      field: 'position',
    })
  }
  if (byPosition) return readPosition(session.host, position)
  if (envId === undefined || envId === null)
    throw envError('MISSING_FIELD', 'env_id or position is missing', { field: 'env_id' })
  const entry = session.get(envId)
  const { env, instance } = entry
  const { reward } = env.settings
  const found = findAfterstates(entry)
  if (reward !== 'score' && reward !== 'lines') {
    throw envError('NOT_IN_THIS_GAME', `afterstates cannot tell the reward ${reward}`)
  }
  const states = readRows(entry, request.rows).map((row) =>
    env.isFinished(row) ? undefined : env.state(row),
  )
  return { instance, afterstates: found, states, reward }
}

function findAfterstates({ game, instance }: MadeGame): Afterstates<unknown> {
  if (instance.afterstates !== undefined) return instance.afterstates
  throw envError('NOT_IN_THIS_GAME', `${game.title} has no placements, and so no afterstates`)
}

function readPosition(host: Host, message: PositionMessage): Subject {
  const made = makeGame(host, message.gameId, message.config)
  const found = findAfterstates(made)
  const { board, piece, tray, figures } = message
  if (board === undefined || board === null)
    throw envError('MISSING_FIELD', 'position.board is missing', { field: 'position.board' })
  const state = found.fromPosition({
    board,
    ...(piece !== undefined && piece !== null && { piece }),
    ...(tray.length > 0 && { tray }),
    figures,
  })
  if (isRefusal(state)) throw envError('BAD_POSITION', state.message, { field: 'position' })
  return { instance: made.instance, afterstates: found, states: [state], reward: 'score' }
}

function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'reason' in value && 'message' in value
}

/** The legal actions of all states, an upper bound of the entries; refuses an answer over the limit at once. */
function* countWithinLimit({ instance, states }: Subject, board: ArraySpec, host: Host): Slices<number> {
  const entryBytes = elementsOf(board) + 12
  const mask = new Uint8Array(instance.numActions)
  let count = 0
  for (const [i, state] of states.entries()) {
    yield
    count += state === undefined ? 0 : legalIn(instance, state, mask)
    const base64Bytes = Math.ceil(((count * entryBytes + (i + 2) * 4) * 4) / 3)
    if (base64Bytes <= host.limits.maxMessageBytes) continue
    throw envError(
      'MESSAGE_TOO_LARGE',
      `the afterstates of ${states.length} rows can take more than the ${host.limits.maxMessageBytes} bytes that a message holds; ask for fewer rows`,
      { field: 'rows' },
    )
  }
  return count
}

function legalIn(instance: GameInstance<unknown>, state: unknown, mask: Uint8Array): number {
  instance.rules.writeMask(state, mask, 0)
  return mask.reduce((sum, bit) => sum + bit, 0)
}

function* write(
  { instance, afterstates: found, states, reward }: Subject,
  most: number,
  board: ArraySpec,
): Slices<AfterstatesResponse> {
  const cells = elementsOf(board)
  const mask = new Uint8Array(instance.numActions)
  /** `[rows + 1]` int32 where each row's entries start. */
  const rowOffsets = new Int32Array(states.length + 1)
  /** `[most]` int32 action numbers. */
  const actions = new Int32Array(most)
  /** `[most, *board.shape]` uint8 boards. */
  const boards = new Uint8Array(most * cells)
  /** `[most]` int32 lines cleared. */
  const lines = new Int32Array(most)
  /** `[most]` float32 rewards. */
  const rewards = new Float32Array(most)
  let n = 0
  for (const [i, state] of states.entries()) {
    yield
    if (state !== undefined) instance.rules.writeMask(state, mask, 0)
    for (let action = 0; state !== undefined && action < mask.length; action++) {
      if (mask[action] === 0) continue
      const after = found.after(state, action, boards.subarray(n * cells, (n + 1) * cells))
      if (after === undefined) continue
      actions[n] = action
      lines[n] = after.lines
      rewards[n] = reward === 'lines' ? after.lines : after.reward
      n++
    }
    rowOffsets[i + 1] = n
  }
  return {
    rowOffsets: bytesOf(rowOffsets),
    actions: bytesOf(actions.subarray(0, n)),
    boards: boards.subarray(0, n * cells),
    lines: bytesOf(lines.subarray(0, n)),
    rewards: bytesOf(rewards.subarray(0, n)),
    boardSpec: observationSpecMessage(board),
  }
}
