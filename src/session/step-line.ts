import { handle } from './handlers.ts'
import type { BatchMessage, BatchResponse } from './message-types.ts'
import { base64 } from './proto-json.ts'
import type { Session } from './session.ts'

/**
 * The stdio fast path: a step request in the form that programs write it, read by one expression and answered
 * by joining strings. Any other spelling of the same request takes the general path to the same reply.
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

/** Plays the step and writes the reply; throws EnvError. */
export function answerStepLine(session: Session, { id, envId, packedActions }: StepLine): string {
  const { batch } = handle(session, 'step', { envId, packedActions, actions: [] }) as BatchResponse
  return `{"id":"${id}","step":{"batch":${batchJson(batch)}}}`
}

function batchJson(batch: BatchMessage): string {
  return (
    `{"observations":${list(batch.observations)},"actionMasks":"${base64(batch.actionMasks)}",` +
    `"rewards":"${base64(batch.rewards)}","terminations":"${base64(batch.terminations)}",` +
    `"truncations":"${base64(batch.truncations)}","outcomes":"${base64(batch.outcomes)}",` +
    `"refusals":${batch.refusals.length === 0 ? '[]' : JSON.stringify(batch.refusals)},` +
    `"finished":${batch.finished.length === 0 ? '[]' : JSON.stringify(batch.finished)},` +
    `"finalActionMasks":"${base64(batch.finalActionMasks)}",` +
    `"finalObservations":${list(batch.finalObservations)}}`
  )
}

function list(arrays: readonly Uint8Array[]): string {
  return arrays.length === 0 ? '[]' : `["${arrays.map(base64).join('","')}"]`
}
