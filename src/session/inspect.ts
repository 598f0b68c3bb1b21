import { quote } from '../env/config.ts'
import { envError } from '../env/env-error.ts'
import type { Json, Refusal } from '../env/game.ts'
import type { Slices } from '../env/slices.ts'
import type { VectorEnv } from '../env/vector-env.ts'
import type {
  ExplainRequest,
  ExplainResponse,
  ExplanationMessage,
  GetActionMaskResponse,
  LegalActionMessage,
  PlayRequest,
  PlayResponse,
  RenderRequest,
  RenderResponse,
  RowsRequest,
} from './message-types.ts'
import { cellMessages, refusalFields } from './messages.ts'
import type { Session, SessionEnv } from './session.ts'

const MAX_ACTION_JSON_BYTES = 4096

/** About what one action takes in the answer about masks, and in an explanation, in bytes. */
const MASK_ACTION_BYTES = 128
const EXPLANATION_BYTES = 256

const EXPLANATIONS_A_SLICE = 64

export function* getActionMask(session: Session, request: RowsRequest): Slices<GetActionMaskResponse> {
  const entry = session.get(request.envId)
  const rows = readRows(entry, request.rows)
  checkAnswerSize(session, rows.length * entry.instance.numActions * MASK_ACTION_BYTES)
  const masks: GetActionMaskResponse['masks'][number][] = []
  for (const row of rows) {
    masks.push({ row, mask: denseMask(entry.env, row), legal: legalActions(entry, row) })
    yield
  }
  return { masks }
}

export function* explain(session: Session, request: ExplainRequest): Slices<ExplainResponse> {
  const entry = session.get(request.envId)
  const row = readRow(entry, request.row)
  const { numActions } = entry.instance
  checkAnswerSize(session, request.actions.length * EXPLANATION_BYTES)
  for (const action of request.actions) {
    if (action >= 0 && action < numActions) continue
    throw envError('ACTION_OUT_OF_RANGE', `actions holds ${action}; allowed: 0 to ${numActions - 1}`, {
      field: 'actions',
      action: String(action),
    })
  }
  const actions =
    request.actions.length > 0 ? request.actions : Array.from({ length: numActions }, (_, i) => i)
  const explanations: ExplanationMessage[] = []
  for (const action of actions) {
    if (explanations.length % EXPLANATIONS_A_SLICE === 0) yield
    explanations.push(explanation(entry, row, action))
  }
  return { explanations }
}

/** Refuses what would not fit into a message before it is put together. */
function checkAnswerSize(session: Session, bytes: number): void {
  const { maxMessageBytes } = session.host.limits
  if (bytes <= maxMessageBytes) return
  throw envError(
    'MESSAGE_TOO_LARGE',
    `the answer would take about ${bytes} bytes; a message holds at most ${maxMessageBytes}; ask for fewer at a time`,
  )
}

export function render(session: Session, request: RenderRequest): RenderResponse {
  const entry = session.get(request.envId)
  const row = readRow(entry, request.row)
  return { text: entry.instance.encoder.renderText(entry.env.state(row)) }
}

export function play(session: Session, request: PlayRequest): PlayResponse {
  const entry = session.get(request.envId)
  const row = readRow(entry, request.row)
  const json = readActionJson(request.actionJson)
  const { env, instance } = entry
  const action = instance.native.fromNative(json, env.state(row))
  const refusal = typeof action === 'number' ? env.explainPlay(row, action) : firstRefusal(env, row, action)
  if (refusal === undefined) env.stepOne(row, action as number)
  const finished = env.isFinished(row)
  const legal: Json[] = []
  if (!finished) {
    denseMask(env, row).forEach((bit, number) => {
      if (bit === 1) legal.push(instance.native.toNative(number))
    })
  }
  return {
    ok: refusal === undefined,
    ...refusalFields(refusal),
    text: instance.encoder.renderText(env.state(row)),
    legalActions: legal.map((native) => JSON.stringify(native)),
    score: env.batch.outcomes[row * instance.outcomes.names.length]!,
    gameOver: finished || (refusal === undefined && hasEnded(env, row)),
    reward: refusal === undefined ? env.batch.rewards[row]! : 0,
  }
}

/** JSON of another shape is told first, the end of the episode before anything else that is wrong with it. */
function firstRefusal(env: VectorEnv, row: number, refusal: Refusal): Refusal {
  if (refusal.reason === 'unknown_action' || !env.isFinished(row)) return refusal
  return env.explainPlay(row, 0) ?? refusal
}

/** Whether the last step ended a row's episode; in SAME_STEP the row has gone on to its next one. */
function hasEnded({ batch }: VectorEnv, row: number): boolean {
  return batch.terminations[row] === 1 || batch.truncations[row] === 1
}

function readActionJson(text: string | null | undefined): Json {
  if (text === undefined || text === null)
    throw envError('MISSING_FIELD', 'action_json is missing', { field: 'action_json' })
  if (Buffer.byteLength(text) > MAX_ACTION_JSON_BYTES) {
    throw envError('BAD_FIELD', `action_json is longer than ${MAX_ACTION_JSON_BYTES} bytes`, {
      field: 'action_json',
    })
  }
  try {
    return JSON.parse(text) as Json
  } catch {
    throw envError('BAD_FIELD', `action_json is ${quote(text)}; allowed: one JSON value`, {
      field: 'action_json',
    })
  }
}

function explanation(entry: SessionEnv, row: number, action: number): ExplanationMessage {
  const refusal = entry.env.explain(row, action)
  return {
    action,
    name: entry.instance.native.name(action),
    legal: refusal === undefined,
    ...refusalFields(refusal),
    cells: cellMessages(refusal?.cells ?? []),
  }
}

function legalActions({ env, instance }: SessionEnv, row: number): LegalActionMessage[] {
  if (env.isFinished(row)) return []
  const state = env.state(row)
  const mask = denseMask(env, row)
  const legal: LegalActionMessage[] = []
  mask.forEach((bit, action) => {
    if (bit === 0) return
    const placement = instance.placement?.(state, action)
    legal.push({
      action,
      name: instance.native.name(action),
      ...(placement && { landing: { row: placement.row, col: placement.col } }),
      cells: cellMessages(placement?.cells ?? []),
    })
  })
  return legal
}

/** `[num_actions]` uint8, 1 where a step would accept the action now. */
function denseMask(env: VectorEnv, row: number): Uint8Array {
  const mask = new Uint8Array(env.instance.numActions)
  for (let action = 0; action < mask.length; action++) mask[action] = env.isLegal(row, action) ? 1 : 0
  return mask
}

/** A row that can be looked at: in range, and reset before. Default 0. */
export function readRow({ env }: SessionEnv, row: number | null | undefined): number {
  const value = row ?? 0
  const { numEnvs } = env.settings
  if (value < 0 || value >= numEnvs) {
    throw envError('ROW_OUT_OF_RANGE', `row is ${value}; allowed: 0 to ${numEnvs - 1}`, {
      row: String(value),
    })
  }
  if (!env.wasReset(value)) {
    throw envError('RESET_REQUIRED', `row ${value} was never reset; reset it first`, { row: String(value) })
  }
  return value
}

/** The rows asked for, each as in `readRow`; none means all. */
export function readRows(entry: SessionEnv, rows: readonly number[]): readonly number[] {
  const asked = rows.length > 0 ? rows : Array.from({ length: entry.env.settings.numEnvs }, (_, row) => row)
  return asked.map((row) => readRow(entry, row))
}
