import type { EnvError } from '../env/env-error.ts'
import type { ArraySpec, Cell, Config, ConfigKey, Game, GameInstance, Refusal } from '../env/game.ts'
import { bytesOf } from '../env/tensor-spec.ts'
import type { AutoresetMode, Batch, IllegalActionPolicy, VectorEnvSettings } from '../env/vector-env.ts'
import type {
  BatchMessage,
  CellMessage,
  ConfigKeyMessage,
  EnvSpecMessage,
  ErrorMessage,
  ObservationSpecMessage,
} from './message-types.ts'

/** The contract's enum numbers; index 0, UNSPECIFIED, stands for the default. */
export const AUTORESET_MODES: readonly AutoresetMode[] = ['next_step', 'next_step', 'same_step', 'disabled']
export const ILLEGAL_ACTIONS: readonly IllegalActionPolicy[] = ['refuse', 'refuse', 'reject', 'terminate']
export const WIRE_ENCODINGS: readonly ('dense' | 'packed')[] = ['dense', 'dense', 'packed']

const DTYPES = ['', 'uint8', 'int32']
const SPACE_KINDS = ['', 'box', 'discrete', 'multi_discrete']
const PACKINGS = ['', 'none', 'bits', 'nibbles']

/** A game made ready, as an environment keeps it. */
export interface MadeGame {
  readonly game: Game
  readonly config: Config
  readonly instance: GameInstance<unknown>
}

export function observationSpecMessage(spec: ArraySpec): ObservationSpecMessage {
  return {
    name: spec.name,
    kind: SPACE_KINDS.indexOf(spec.kind),
    dtype: DTYPES.indexOf(spec.dtype),
    shape: spec.shape,
    low: spec.low,
    high: spec.high,
    nvec: spec.nvec ?? [],
    packing: PACKINGS.indexOf(spec.packing),
    description: spec.description,
  }
}

export function envSpecMessage(made: MadeGame, settings: VectorEnvSettings): EnvSpecMessage {
  const { game, config, instance } = made
  return {
    gameId: game.id,
    rulesVersion: game.rulesVersion,
    observations: instance.encoder.spec.map(observationSpecMessage),
    numActions: instance.numActions,
    actionNames: Array.from({ length: instance.numActions }, (_, action) => instance.native.name(action)),
    outcomeNames: instance.outcomes.names,
    config: Object.fromEntries(Object.entries(config).map(([key, value]) => [key, String(value)])),
    numEnvs: settings.numEnvs,
    maxEpisodeSteps: settings.maxEpisodeSteps,
    autoresetMode: AUTORESET_MODES.lastIndexOf(settings.autoresetMode),
    illegalAction: ILLEGAL_ACTIONS.lastIndexOf(settings.illegalAction),
    wireEncoding: WIRE_ENCODINGS.lastIndexOf(settings.packed ? 'packed' : 'dense'),
    reward: settings.reward,
    record: settings.record,
    resetOptions: instance.resetOptions?.names ?? [],
  }
}

export function configKeyMessage(name: string, key: ConfigKey): ConfigKeyMessage {
  return {
    name,
    type: key.type,
    defaultValue: String(key.default),
    min: key.type === 'integer' ? key.min : 0,
    max: key.type === 'integer' ? key.max : 0,
    values: key.type === 'choice' ? key.values : [],
    description: key.description,
  }
}

/** The batch as it goes on the wire: views of the environment's buffers, so encode it before the next call. */
export function batchMessage(batch: Batch, numEnvs: number): BatchMessage {
  const finished = batch.finished.length
  const finalRows = (bytes: Uint8Array) => bytes.subarray(0, (bytes.length / numEnvs) * finished)
  return {
    observations: batch.observations,
    actionMasks: batch.actionMasks,
    rewards: bytesOf(batch.rewards),
    terminations: batch.terminations,
    truncations: batch.truncations,
    outcomes: bytesOf(batch.outcomes),
    refusals: batch.refusals,
    finished: batch.finished,
    finalActionMasks: finalRows(batch.finalActionMasks),
    finalObservations: batch.finalObservations.map(finalRows),
  }
}

export function cellMessages(cells: readonly Cell[]): CellMessage[] {
  return cells.map(({ row, col }) => ({ row, col }))
}

/** The fields that a refusal fills in a reply. */
export function refusalFields(refusal: Refusal | undefined): { reason: string; message: string } {
  return { reason: refusal?.reason ?? '', message: refusal?.message ?? '' }
}

export function errorMessage(error: EnvError): ErrorMessage {
  return { code: error.code, reason: error.reason, message: error.message, metadata: error.metadata }
}
