import type { LineBuffer } from './line-buffer.ts'
import type { BatchMessage, BatchResponse } from './message-types.ts'

/**
 * Adds `before` and a batch to a reply and closes the reply: the JSON that `messageToJson` would give, piece by
 * piece, since the text of many rows would cost more than their steps if it were put together first.
 */
export function writeBatch(before: string, { batch }: BatchResponse, out: LineBuffer): void {
  out.ascii(`${before}{"batch":{"observations":`)
  addList(batch.observations, out)
  addBytes(',"actionMasks":"', batch.actionMasks, out)
  addBytes('","rewards":"', batch.rewards, out)
  addBytes('","terminations":"', batch.terminations, out)
  addBytes('","truncations":"', batch.truncations, out)
  addBytes('","outcomes":"', batch.outcomes, out)
  out.ascii('","refusals":[')
  addRefusals(batch.refusals, out)
  out.ascii('],"finished":[')
  addFinished(batch.finished, out)
  addBytes('],"finalActionMasks":"', batch.finalActionMasks, out)
  out.ascii('","finalObservations":')
  addList(batch.finalObservations, out)
  out.ascii('}}}')
}

function addBytes(before: string, bytes: Uint8Array, out: LineBuffer): void {
  out.ascii(before)
  out.base64(bytes)
}

function addList(arrays: readonly Uint8Array[], out: LineBuffer): void {
  for (let i = 0; i < arrays.length; i++) addBytes(i === 0 ? '["' : '","', arrays[i]!, out)
  out.ascii(arrays.length === 0 ? '[]' : '"]')
}

/** Numbers and reason codes need no escapes, and JSON spells a finite number as JavaScript does. */
function addRefusals(refusals: BatchMessage['refusals'], out: LineBuffer): void {
  for (let i = 0; i < refusals.length; i++) {
    const { row, action, reason } = refusals[i]!
    out.ascii(`${i === 0 ? '' : ','}{"row":${row},"action":${action},"reason":"${reason}"}`)
  }
}

function addFinished(finished: BatchMessage['finished'], out: LineBuffer): void {
  for (let i = 0; i < finished.length; i++) {
    const { row, return: sum, length, outcomes } = finished[i]!
    const start = i === 0 ? '' : ','
    out.ascii(`${start}{"row":${row},"return":${sum},"length":${length},"outcomes":[${outcomes.join()}]}`)
  }
}
