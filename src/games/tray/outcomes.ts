import type { Outcomes } from '../../env/game.ts'
import type { TrayState } from './state.ts'

/** The outcomes of the tray games. */
export function trayOutcomes(): Outcomes<TrayState> {
  return {
    names: ['score', 'lines', 'placements'],
    write(state, out, offset) {
      out[offset] = state.score
      out[offset + 1] = state.lines
      out[offset + 2] = state.placements
    },
  }
}
