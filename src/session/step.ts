import { envError } from '../env/env-error.ts'
import type { Slices } from '../env/slices.ts'
import type { BatchResponse, StepRequest } from './message-types.ts'
import { batchMessage } from './messages.ts'
import type { Session, SessionEnv } from './session.ts'

export function* step(session: Session, request: StepRequest): Slices<BatchResponse> {
  const entry = session.get(request.envId)
  readActions(entry, request)
  yield* entry.env.stepInSlices(entry.actions)
  return { batch: batchMessage(entry.env.batch, entry.env.settings.numEnvs) }
}

/** Puts the actions into the environment's own buffer, once their number is right. */
function readActions({ actions, actionBytes }: SessionEnv, request: StepRequest): void {
  const packed = request.packedActions
  if (packed === undefined || packed === null) {
    if (request.actions.length === 0)
      throw envError('MISSING_FIELD', 'packed_actions or actions is missing', { field: 'actions' })
    checkCount('actions', actions.length, request.actions.length)
    actions.set(request.actions)
    return
  }
  if (request.actions.length > 0) {
    throw envError('CONFLICTING_FIELDS', 'give packed_actions or actions, not both', { field: 'actions' })
  }
  if (packed.length % 4 !== 0) {
    throw envError('ACTIONS_MISMATCH', `packed_actions has ${packed.length} bytes; each action takes 4`, {
      field: 'packed_actions',
    })
  }
  checkCount('packed_actions', actions.length, packed.length / 4)
  actionBytes.set(packed)
}

function checkCount(field: string, expected: number, got: number): void {
  if (expected !== got)
    throw envError('ACTIONS_MISMATCH', `${field}: expected ${expected}, got ${got}`, { field })
}
