import { handle } from './handlers.ts'
import type { LineBuffer } from './line-buffer.ts'
import type { BatchMessage, BatchResponse } from './message-types.ts'
import type { Session } from './session.ts'

/**
 * The stdio fast path: a step request in the form that programs write it, read by one expression and answered
 * piece by piece. Any other spelling of the same request takes the general path to the same reply.
 */
const STEP_LINE =
  /^\{"id":"([\w-]{1,80})","step":\{"envId":"([0-9a-f]{32})","packedActions":"([A-Za-z0-9+/]*={0,2})"\}\}$/

/** A step request, once it was recognised. */
export interface StepLine {
  readonly id: string
  readonly envId: string
  readonly packedActions: Uint8Array
}

/** Reads a line in the one form that is fast, or gives undefined. */
export function readStepLine(line: Uint8Array): StepLine | undefined {
  const match = STEP_LINE.exec(Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('latin1'))
  if (match === null) return undefined
  const packedActions = Buffer.from(match[3]!, 'base64')
  if (packedActions.toString('base64') !== match[3]) return undefined
  return { id: match[1]!, envId: match[2]!, packedActions }
}

/** Plays the step, adds the reply to `out` and returns what it says; throws EnvError. */
export function answerStepLine(
  session: Session,
  { id, envId, packedActions }: StepLine,
  out: LineBuffer,
): BatchResponse {
  const response = handle(session, 'step', { envId, packedActions, actions: [] }) as BatchResponse
  const { batch } = response
  out.ascii(`{"id":"${id}","step":{"batch":{"observations":`)
  addList(batch.observations, out)
  addBytes(',"actionMasks":"', batch.actionMasks, out)
  addBytes('","rewards":"', batch.rewards, out)
  addBytes('","terminations":"', batch.terminations, out)
  addBytes('","truncations":"', batch.truncations, out)
  addBytes('","outcomes":"', batch.outcomes, out)
  out.ascii('","refusals":')
  addPlain(batch.refusals, out)
  out.ascii(',"finished":')
  addPlain(batch.finished, out)
  addBytes(',"finalActionMasks":"', batch.finalActionMasks, out)
  out.ascii('","finalObservations":')
  addList(batch.finalObservations, out)
  out.ascii('}}}')
  return response
}

function addBytes(before: string, bytes: Uint8Array, out: LineBuffer): void {
  out.ascii(before)
  out.base64(bytes)
}

function addPlain(records: BatchMessage['refusals'] | BatchMessage['finished'], out: LineBuffer): void {
  if (records.length === 0) out.ascii('[]')
  else out.text(JSON.stringify(records))
}

function addList(arrays: readonly Uint8Array[], out: LineBuffer): void {
  for (const [i, array] of arrays.entries()) addBytes(i === 0 ? '["' : '","', array, out)
  out.ascii(arrays.length === 0 ? '[]' : '"]')
}
