import { quote } from '../../env/config.ts'
import type { Json, Native, Refusal } from '../../env/game.ts'
import type { TrayBoard } from './board.ts'
import { splitAction } from './explain.ts'

const PLACE_KEYS = ['pieceIndex', 'row', 'col'] as const

/**
 * The grammar `{"type":"place","pieceIndex":0,"row":3,"col":4}`, and `{"type":NAME}` for each of `others`, whose
 * action numbers follow the placements.
 */
export function trayNative(board: TrayBoard, others: readonly string[]): Native<unknown> {
  const cells = board.size * board.size
  const limits = [2, board.size - 1, board.size - 1] as const
  const unknown = (what: string): Refusal => ({ reason: 'unknown_action', cells: [], message: what })

  function placeFrom(json: { readonly [key: string]: Json }): number | Refusal {
    const values: number[] = []
    for (const [i, key] of PLACE_KEYS.entries()) {
      const value = Object.hasOwn(json, key) ? json[key] : undefined
      const limit = limits[i] ?? 0
      if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > limit) {
        return unknown(`${key} must be an integer from 0 to ${limit}.`)
      }
      values.push(value)
    }
    const [slot = 0, row = 0, col = 0] = values
    return Math.abs(slot * cells + row * board.size + col)
  }

  function fromNative(json: Json): number | Refusal {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) {
      return unknown('An action is a JSON object with a type.')
    }
    const action = json as { readonly [key: string]: Json }
    const type = Object.hasOwn(action, 'type') ? action.type : undefined
    const other = typeof type === 'string' ? others.indexOf(type) : -1
    if (type !== 'place' && other < 0) {
      return unknown(`type must be one of ${['place', ...others].join(', ')}.`)
    }
    const allowed: readonly string[] = type === 'place' ? ['type', ...PLACE_KEYS] : ['type']
    const extra = Object.keys(action).find((key) => !allowed.includes(key))
    if (extra !== undefined) return unknown(`This type of action has no key ${quote(extra)}.`)
    return type === 'place' ? placeFrom(action) : 3 * cells + other
  }

  return {
    toNative(action) {
      const { slot, row, col } = splitAction(board, action)
      if (slot < 3) return { type: 'place', pieceIndex: slot, row, col }
      return { type: others[action - 3 * cells] ?? '' }
    },
    fromNative,
    name(action) {
      const { slot, row, col } = splitAction(board, action)
      return slot < 3 ? `p${slot}r${row}c${col}` : (others[action - 3 * cells] ?? '')
    },
  }
}
