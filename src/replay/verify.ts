import { quote } from '../env/config.ts'
import type { Game, Json } from '../env/game.ts'
import { finish, type Slices } from '../env/slices.ts'
import { type PlayedReplay, type ReplayFault, type Summary, summaryOf } from './format.ts'
import { type ReadReplay, readReplay } from './read.ts'

/** A replay that is true, or what is wrong with it; `summary` is there once all actions could be played. */
export type Verdict =
  | { readonly ok: true; readonly replay: PlayedReplay }
  | { readonly ok: false; readonly fault: ReplayFault; readonly summary?: Summary }

/** Actions that are played again in one slice. */
export const ACTIONS_A_SLICE = 256

/** Reads a replay, plays every action again and compares its summary. Never throws; no message holds the seed. */
export function verifyReplay(text: string, games: readonly Game[]): Verdict {
  return finish(verifyInSlices(text, games))
}

/** The same in slices. */
export function* verifyInSlices(text: string, games: readonly Game[]): Slices<Verdict> {
  const read = readReplay(text, games)
  if ('reason' in read) return { ok: false, fault: read }
  const { instance } = read
  const state = instance.rules.createState()
  instance.rules.reset(state, read.seed)
  const actions: number[] = []
  const mask = new Uint8Array(instance.numActions)
  for (const [ply, json] of read.actions.entries()) {
    if (ply % ACTIONS_A_SLICE === 0) yield
    const action = readAction(read, state, json, ply, mask)
    if (typeof action === 'string') return illegal(ply, action)
    instance.rules.step(state, action)
    actions.push(action)
  }
  const summary = summaryOf(instance, state)
  const lie = read.final === undefined ? undefined : falsehood(read, summary)
  if (lie !== undefined) return { ok: false, fault: { reason: 'summary_mismatch', message: lie }, summary }
  const { game, config, seed, options } = read
  return { ok: true, replay: { game, config, instance, seed, options, actions, summary } }
}

const NOT_LEGAL = { reason: 'not_legal', message: 'the mask refuses it.' }

/** The number of a legal action, or why it is none. */
function readAction(
  { instance, notIntegerPly }: ReadReplay,
  state: unknown,
  json: Json,
  ply: number,
  mask: Uint8Array,
): number | string {
  if (ply === notIntegerPly) return 'unknown_action: numbers in actions are plain integers.'
  const action = instance.native.fromNative(json, state)
  if (typeof action !== 'number') return `${action.reason}: ${action.message}`
  instance.rules.writeMask(state, mask, 0)
  if (mask[action] === 1) return action
  const { reason, message } = instance.rules.explain(state, action) ?? NOT_LEGAL
  return `${reason}: ${message}`
}

function illegal(ply: number, why: string): Verdict {
  const message = `The action at index ${ply} is refused: ${why}`
  return { ok: false, fault: { reason: 'illegal_action', message, ply } }
}

/** The first way in which a summary is not the one that the actions give. Types count: 1 is not true, nor 1.0. */
function falsehood({ final, finalIsIntegers }: ReadReplay, summary: Summary): string | undefined {
  if (typeof final !== 'object' || final === null || Array.isArray(final)) return 'final must be an object.'
  const given = final as { readonly [key: string]: Json }
  const expected = Object.keys(summary)
  const missing = expected.find((key) => !Object.hasOwn(given, key))
  if (missing !== undefined) return `final has no ${missing}.`
  const extra = Object.keys(given).find((key) => !expected.includes(key))
  if (extra !== undefined) return `final has a key ${quote(extra)}; its keys are ${expected.join(', ')}.`
  if (!finalIsIntegers) return 'The figures of final must be plain integers.'
  const wrong = expected.find((key) => given[key] !== summary[key])
  if (wrong === undefined) return undefined
  return `final.${wrong} is another than the actions give, which is ${summary[wrong]}.`
}
