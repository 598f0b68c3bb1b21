import { envError } from '../env/env-error.ts'
import { type EpisodeRecord, MAX_RECORDED_ACTIONS } from '../env/episode-recorder.ts'
import type { Slices } from '../env/slices.ts'
import type { AutoresetMode, VectorEnvSettings } from '../env/vector-env.ts'
import type { PlayedReplay, ReplayFault } from '../replay/format.ts'
import { saveInSlices } from '../replay/save.ts'
import { verifyInSlices } from '../replay/verify.ts'
import { readRow } from './inspect.ts'
import { checkBatchSize, enumValue } from './make-env.ts'
import type {
  LoadReplayRequest,
  LoadReplayResponse,
  SaveReplayRequest,
  SaveReplayResponse,
  VerifyReplayRequest,
  VerifyReplayResponse,
} from './message-types.ts'
import { batchMessage, envSpecMessage, WIRE_ENCODINGS } from './messages.ts'
import type { Host, Session, SessionEnv } from './session.ts'

/** The modes of LoadReplay, whose default is another than MakeEnv's. */
const AUTORESET_MODES: readonly AutoresetMode[] = ['disabled', 'next_step', 'same_step', 'disabled']

export function* saveReplay(session: Session, request: SaveReplayRequest): Slices<SaveReplayResponse> {
  const entry = session.get(request.envId)
  const row = readRow(entry, request.row)
  const record = findRecord(session.host, entry, row, request.live === true)
  if (record.actions.length > MAX_RECORDED_ACTIONS) {
    throw envError(
      'MESSAGE_TOO_LARGE',
      `the episode is longer than the ${MAX_RECORDED_ACTIONS} actions that a replay holds`,
    )
  }
  return { replayJson: yield* saveInSlices(entry, record) }
}

/** A finished episode, else the one before; the one in play only where the server allows it. */
function findRecord(host: Host, { env }: SessionEnv, row: number, live: boolean): EpisodeRecord {
  const { recorder } = env
  if (recorder === undefined) {
    throw envError('NOT_RECORDING', 'the environment was made without record; make it with record true')
  }
  if (live && !host.allowLiveReplay) {
    throw envError('LIVE_REPLAY_NOT_ALLOWED', 'the server gives replays of finished or closed episodes only')
  }
  const record = live || env.isFinished(row) ? recorder.current(row) : recorder.previous(row)
  if (record !== undefined) return record
  throw envError('NO_FINISHED_EPISODE', `row ${row} has no finished or closed episode yet`, {
    row: String(row),
  })
}

export function* verifyReplay(session: Session, request: VerifyReplayRequest): Slices<VerifyReplayResponse> {
  const verdict = yield* verifyInSlices(readJson(request.replayJson), session.host.games)
  if (verdict.ok)
    return { ok: true, reason: '', message: '', finalJson: JSON.stringify(verdict.replay.summary) }
  const { fault, summary } = verdict
  return { ok: false, ...fault, finalJson: summary === undefined ? '' : JSON.stringify(summary) }
}

export function* loadReplay(session: Session, request: LoadReplayRequest): Slices<LoadReplayResponse> {
  const settings = readSettings(request)
  const verdict = yield* verifyInSlices(readJson(request.replayJson), session.host.games)
  if (!verdict.ok) throw badReplay(verdict.fault)
  const { replay } = verdict
  const ply = readPly(request.ply, replay)
  const made = { game: replay.game, config: replay.config, instance: replay.instance }
  checkBatchSize(made, settings, session.host)
  const envId = session.add(made, settings)
  const { env } = session.get(envId)
  const start = { seed: replay.seed, episode: 0, replay: replay.options }
  yield* env.resumeInSlices(0, start, replay.actions.slice(0, ply))
  return { envId, spec: envSpecMessage(made, settings), batch: batchMessage(env.batch, 1) }
}

function readSettings(request: LoadReplayRequest): VectorEnvSettings {
  return {
    numEnvs: 1,
    maxEpisodeSteps: 0,
    autoresetMode: enumValue(AUTORESET_MODES, request.autoresetMode, 'autoreset_mode'),
    illegalAction: 'refuse',
    reward: 'score',
    packed: enumValue(WIRE_ENCODINGS, request.wireEncoding, 'wire_encoding') === 'packed',
    record: true,
  }
}

function readJson(json: string | null | undefined): string {
  if (json === undefined || json === null)
    throw envError('MISSING_FIELD', 'replay_json is missing', { field: 'replay_json' })
  return json
}

function readPly(given: number | null | undefined, { actions }: PlayedReplay): number {
  const ply = given ?? actions.length
  if (ply >= 0 && ply <= actions.length) return ply
  throw envError('BAD_FIELD', `ply is ${ply}; allowed: 0 to ${actions.length}`, { field: 'ply' })
}

function badReplay({ reason, message, ply }: ReplayFault) {
  return envError('BAD_REPLAY', `${reason}: ${message}`, {
    field: 'replay_json',
    reason,
    ...(ply !== undefined && { ply: String(ply) }),
  })
}
