import type { ObservationArray } from '../../../src/env/game.ts'
import { createEncoder } from '../../../src/games/hourloom/encode.ts'
import type { HourloomState } from '../../../src/games/hourloom/state.ts'
import { at } from './draw.ts'

/** What a player sees: the three arrays, and the text. */
export function look(state: HourloomState, echoLookahead = 1) {
  const encoder = createEncoder({ startChamber: 1, echoLookahead, allowEndRun: true })
  const arrays: ObservationArray[] = encoder.spec.map(({ dtype, shape }) => {
    const length = shape.reduce((product, side) => product * side, 1)
    return dtype === 'uint8' ? new Uint8Array(length) : new Int32Array(length)
  })
  encoder.encode(state, arrays, 0)
  const [planes, echoes, scalars] = arrays as [Uint8Array, Uint8Array, Int32Array]
  return { planes, echoes, scalars, text: encoder.renderText(state) }
}

/** The cells of a plane that are not 0, as `row,col` or `row,col=value` where the value is not 1. */
export function plane(state: HourloomState, number: number): string[] {
  const cells = look(state).planes.subarray(81 * number, 81 * number + 81)
  return Array.from(cells).flatMap((value, tile) =>
    value === 0 ? [] : [value === 1 ? at(tile) : `${at(tile)}=${value}`],
  )
}
