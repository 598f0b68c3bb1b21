import type { Chamber } from './chamber.ts'
import { LOG } from './chamber.ts'
import { type Draft, MOMENTS } from './draft.ts'
import { createState, type HourloomState, PLAYER, RUNNING } from './state.ts'
import { NO_TILE, STEP, TILES, WAIT } from './tiles.ts'
import { CLEAR, enterChamber, obstacle, resolveTurn } from './turn.ts'

const scratch = createState()

/**
 * Plays a chamber's script in the real rules and says whether it seals the chamber with no refusal, jostle,
 * toll or held echo.
 */
export function isSealedByScript(chamber: Chamber, draft: Draft): boolean {
  scratch.ending = RUNNING
  enterChamber(scratch, chamber)
  for (let lap = 0; lap < chamber.laps; lap++) {
    const turns = chamber.scriptLength[lap]!
    for (let turn = 0; turn < turns; turn++) {
      if (scratch.lap !== lap || scratch.sand !== chamber.budget[lap]! - turn) return false
      if (!echoesOnPath(scratch, draft)) return false
      const input = chamber.script[lap * LOG + turn]!
      const target = STEP[input * TILES + scratch.player]!
      if (input !== WAIT && obstacle(scratch, target, PLAYER) !== CLEAR) return false
      resolveTurn(scratch, input)
      if (scratch.ending !== RUNNING) return false
    }
  }
  return scratch.sealed === 1
}

function echoesOnPath(state: HourloomState, draft: Draft): boolean {
  for (let k = 0; k < state.lap; k++) {
    const gone = state.turn >= draft.turns[k]!
    const expected = gone ? NO_TILE : draft.path[k * MOMENTS + state.turn]!
    if (state.echoTile[k] !== expected) return false
  }
  return true
}
