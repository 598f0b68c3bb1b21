import { quote } from '../env/config.ts'
import { envError } from '../env/env-error.ts'
import { addToSeed, isSeed, MAX_SEED_DIGITS } from '../env/seeds.ts'
import type { Slices } from '../env/slices.ts'
import type { EpisodeStart } from '../env/vector-env.ts'
import type { BatchResponse, ResetRequest } from './message-types.ts'
import { batchMessage } from './messages.ts'
import type { Host, Session, SessionEnv } from './session.ts'

export function* reset(session: Session, request: ResetRequest): Slices<BatchResponse> {
  const entry = session.get(request.envId)
  const { env } = entry
  const { numEnvs } = env.settings
  const mask = readResetMask(request.resetMask, entry)
  const given = readStarts(session.host, entry, request)
  const starts: (EpisodeStart | undefined)[] = []
  for (let row = 0; row < numEnvs; row++) {
    starts.push(mask?.[row] === 0 ? undefined : (given?.[row] ?? nextStart(session.host, entry, row)))
  }
  yield* env.resetInSlices(starts)
  return { batch: batchMessage(env.batch, numEnvs) }
}

/** The row's own sequence goes on; a row that was never reset draws a seed. */
function nextStart(host: Host, { env }: SessionEnv, row: number): EpisodeStart {
  return env.wasReset(row) ? env.following(row) : { seed: host.drawSeed(), episode: 0 }
}

function readResetMask(mask: Uint8Array | null | undefined, { env }: SessionEnv): Uint8Array | undefined {
  if (mask === undefined || mask === null) return undefined
  const { numEnvs } = env.settings
  if (mask.length !== numEnvs) {
    throw envError('BAD_RESET_MASK', `reset_mask: expected ${numEnvs} bytes, got ${mask.length}`, {
      field: 'reset_mask',
    })
  }
  mask.forEach((byte, row) => {
    if (byte > 1) {
      throw envError('BAD_RESET_MASK', `reset_mask of row ${row} is ${byte}; allowed: 0 or 1`, {
        field: 'reset_mask',
        row: String(row),
      })
    }
    if (byte === 0 && !env.wasReset(row)) {
      throw envError('RESET_REQUIRED', `row ${row} was never reset; the first reset must take in every row`, {
        row: String(row),
      })
    }
  })
  return mask
}

/** The start of every row, or undefined when the request names none. */
function readStarts(host: Host, entry: SessionEnv, request: ResetRequest): EpisodeStart[] | undefined {
  const seeds = readSeeds(request, entry.env.settings.numEnvs)
  const episodes = readEpisodes(request, entry.env.settings.numEnvs, seeds !== undefined)
  const options = Object.keys(request.options)
  if (options.length === 0) return seeds?.map((seed, row) => ({ seed, episode: episodes?.[row] ?? 0 }))
  if (seeds !== undefined)
    throw envError('CONFLICTING_FIELDS', 'options stand in place of seeds; give one of the two', {
      field: 'options',
    })
  return new Array<EpisodeStart>(entry.env.settings.numEnvs).fill(
    startFromOptions(host, entry, request, options),
  )
}

function startFromOptions(
  host: Host,
  { instance }: SessionEnv,
  request: ResetRequest,
  names: string[],
): EpisodeStart {
  const known = instance.resetOptions?.names ?? []
  for (const name of names) {
    if (known.includes(name)) continue
    const allowed = known.length > 0 ? known.join(', ') : 'none in this game'
    throw envError('BAD_OPTION', `there is no reset option ${quote(name)}; allowed: ${allowed}`, {
      field: 'options',
    })
  }
  const resolved = instance.resetOptions!.resolve(request.options, host.nowMs())
  if ('reason' in resolved) throw envError('BAD_OPTION', resolved.message, { field: 'options' })
  return { seed: resolved.seed, episode: 0, replay: resolved.replay }
}

function readSeeds(request: ResetRequest, numEnvs: number): string[] | undefined {
  const { seed, seeds } = request
  if (seed !== undefined && seed !== null) {
    if (seeds.length > 0)
      throw envError('CONFLICTING_FIELDS', 'give seed or seeds, not both', { field: 'seeds' })
    checkSeed(seed, 'seed', { field: 'seed' })
    const last = addToSeed(seed, numEnvs - 1)
    if (!isSeed(last)) throw badSeed(`seed + ${numEnvs - 1}`, { field: 'seed' })
    return Array.from({ length: numEnvs }, (_, row) => addToSeed(seed, row))
  }
  if (seeds.length === 0) return undefined
  if (seeds.length !== numEnvs) {
    throw envError('SEEDS_MISMATCH', `seeds: expected ${numEnvs}, got ${seeds.length}`, { field: 'seeds' })
  }
  seeds.forEach((text, row) => {
    checkSeed(text, `seeds[${row}]`, { field: 'seeds', row: String(row) })
  })
  return [...seeds]
}

type SeedPlace = { readonly field: string; readonly row?: string }

function checkSeed(text: string, name: string, place: SeedPlace): void {
  if (!isSeed(text)) throw badSeed(name, place)
}

function badSeed(name: string, place: SeedPlace) {
  return envError(
    'BAD_SEED',
    `${name} is no canonical decimal integer of at most ${MAX_SEED_DIGITS} digits, such as 7 or -12`,
    { ...place },
  )
}

function readEpisodes(
  request: ResetRequest,
  numEnvs: number,
  seeded: boolean,
): readonly number[] | undefined {
  const { episodes } = request
  if (episodes.length === 0) return undefined
  if (!seeded) throw envError('EPISODES_MISMATCH', 'episodes need seed or seeds', { field: 'episodes' })
  if (episodes.length !== numEnvs) {
    throw envError('EPISODES_MISMATCH', `episodes: expected ${numEnvs}, got ${episodes.length}`, {
      field: 'episodes',
    })
  }
  episodes.forEach((episode, row) => {
    if (episode < 0) {
      throw envError('BAD_FIELD', `episodes[${row}] is ${episode}; allowed: 0 to 2147483647`, {
        field: 'episodes',
        row: String(row),
      })
    }
  })
  return episodes
}
