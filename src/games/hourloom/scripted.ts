import { DESCEND } from './actions.ts'
import { LOG } from './chamber.ts'
import { type HourloomState, RUNNING } from './state.ts'

/**
 * The scripted player: the next action of the script that the state's chamber was built around, DESCEND at a
 * seal, and undefined once the run is over or has left the script. It reads what no observation shows.
 */
export function scriptedAction(state: HourloomState): number | undefined {
  if (state.ending !== RUNNING) return undefined
  if (state.sealed === 1) return DESCEND
  return isOnScript(state) ? state.chamber.script[state.lap * LOG + state.turn] : undefined
}

/** Whether every input recorded in this chamber so far is the script's. */
function isOnScript(state: HourloomState): boolean {
  const { chamber, lap, log } = state
  if (state.turn >= chamber.scriptLength[lap]!) return false
  for (let past = 0; past <= lap; past++) {
    if (past < lap && state.logLength[past] !== chamber.scriptLength[past]) return false
    const turns = past < lap ? state.logLength[past]! : state.turn
    for (let turn = 0; turn < turns; turn++) {
      if (log[past * LOG + turn] !== chamber.script[past * LOG + turn]) return false
    }
  }
  return true
}
