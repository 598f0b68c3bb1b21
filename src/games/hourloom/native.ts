import type { Json, Native, Refusal } from '../../env/game.ts'
import { ACTION_NAMES, DESCEND, END_RUN } from './actions.ts'
import { badDirection, runEnded, unknownAction } from './explain.ts'
import { type HourloomState, RUNNING } from './state.ts'
import { DIRECTIONS, WAIT } from './tiles.ts'

/** The rules' own JSON grammar: an object with `type` and, for a move, `dir`, and nothing else. */
export const native: Native<HourloomState> = {
  toNative(action) {
    const dir = DIRECTIONS[action]
    return dir === undefined ? { type: ACTION_NAMES[action] ?? '' } : { type: 'MOVE', dir }
  },
  fromNative,
  name: (action) => ACTION_NAMES[action] ?? '',
}

function fromNative(json: Json, state: HourloomState): number | Refusal {
  if (json === null || typeof json !== 'object' || Array.isArray(json)) return unknownAction()
  const given = json as { readonly [key: string]: Json }
  const keys = Object.keys(given)
  if (!Object.hasOwn(given, 'type')) return unknownAction()
  if (given.type === 'MOVE') {
    const dir = Object.hasOwn(given, 'dir') ? given.dir : undefined
    if (keys.length !== 2 || typeof dir !== 'string') return unknownAction()
    if (state.ending !== RUNNING) return runEnded(state)
    const input = (DIRECTIONS as readonly string[]).indexOf(dir)
    return input < 0 ? badDirection() : input
  }
  if (keys.length !== 1) return unknownAction()
  if (given.type === 'WAIT') return WAIT
  if (given.type === 'DESCEND') return DESCEND
  return given.type === 'END_RUN' ? END_RUN : unknownAction()
}
