import { envError } from '../env/env-error.ts'
import type { AfterstateSearch, GameInstance, LearnedValue, SearchResults } from '../env/game.ts'
import type { Slices } from '../env/slices.ts'
import { bytesOf, elementsOf } from '../env/tensor-spec.ts'
import type { Subject } from './afterstates.ts'
import type { AfterstatesRequest, AfterstatesResponse } from './message-types.ts'
import { observationSpecMessage } from './messages.ts'
import type { Host } from './session.ts'

/** The widest beam, and the most rows times width of one request: a second of work at most. */
export const MOST_BEAM_WIDTH = 1000
export const MOST_BEAM_WORK = 4096
const MOST_PERCENT = 1_000_000

/** The search that a request asks for. */
export interface Beam {
  readonly search: AfterstateSearch<unknown>
  readonly width: number
  readonly depth: number
  /** The most sequences of a row, at most the width. */
  readonly most: number
  readonly learned: LearnedValue | undefined
}

/** The weights given last for each environment's game. */
const weightsOf = new WeakMap<GameInstance<unknown>, Float32Array>()

/** Reads and checks the fields of a search; undefined when the request asks for none. */
export function readBeam(request: AfterstatesRequest, subject: Subject): Beam | undefined {
  const { afterstates, states } = subject
  const width = request.beamWidth ?? 0
  if (width < 0 || width > MOST_BEAM_WIDTH) {
    throw envError('BAD_FIELD', `beam_width is ${width}; allowed: 0 to ${MOST_BEAM_WIDTH}`, {
      field: 'beam_width',
    })
  }
  if (width === 0) {
    refuseWithoutBeam(request)
    return undefined
  }
  const search = afterstates.search
  if (search === undefined) throw envError('NOT_IN_THIS_GAME', 'this game has no search over sequences')
  const depth = request.depth ?? search.depth
  if (depth < 1 || depth > search.depth) {
    throw envError('BAD_FIELD', `depth is ${depth}; allowed: 1 to ${search.depth}`, { field: 'depth' })
  }
  if (states.length * width > MOST_BEAM_WORK) {
    throw envError(
      'MESSAGE_TOO_LARGE',
      `${states.length} rows with beam_width ${width} are more than ${MOST_BEAM_WORK} in all; ask for fewer rows or a narrower beam`,
      { field: 'beam_width' },
    )
  }
  const most = request.mostSequences ?? width
  if (most < 1 || most > width) {
    throw envError('BAD_FIELD', `most_sequences is ${most}; allowed: 1 to beam_width, ${width}`, {
      field: 'most_sequences',
    })
  }
  return { search, width, depth, most, learned: readLearned(request, subject, search) }
}

function refuseWithoutBeam(request: AfterstatesRequest): void {
  const given = [
    ['depth', request.depth],
    ['most_sequences', request.mostSequences],
    ['learned_weights', request.learnedWeights],
    ['learned_percent', request.learnedPercent],
    ['hand_percent', request.handPercent],
  ] as const
  for (const [name, value] of given) {
    if (value === undefined || value === null) continue
    throw envError('MISSING_FIELD', `beam_width is missing; ${name} needs it`, { field: 'beam_width' })
  }
}

/** Keeps the weights of a request, and gives the learned value that it ranks by, if any. */
function readLearned(
  request: AfterstatesRequest,
  { instance }: Subject,
  { learnedWeights }: AfterstateSearch<unknown>,
): LearnedValue | undefined {
  const bytes = request.learnedWeights ?? undefined
  const learnedPercent = request.learnedPercent ?? undefined
  const handPercent = request.handPercent ?? undefined
  if (learnedPercent === undefined && handPercent !== undefined) {
    throw envError('MISSING_FIELD', 'learned_percent is missing; hand_percent needs it', {
      field: 'learned_percent',
    })
  }
  if (bytes === undefined && learnedPercent === undefined) return undefined
  if (learnedWeights === undefined) {
    throw envError('NOT_IN_THIS_GAME', 'the search of this game takes no learned value')
  }
  const handFactor = readPercent('hand_percent', handPercent ?? 100)
  const learnedFactor = readPercent('learned_percent', learnedPercent ?? 0)
  if (bytes !== undefined) weightsOf.set(instance, readWeights(bytes, learnedWeights))
  if (learnedPercent === undefined) return undefined
  const weights = weightsOf.get(instance)
  if (weights === undefined) {
    throw envError('MISSING_FIELD', 'learned_weights is missing, and none were given before', {
      field: 'learned_weights',
    })
  }
  return { weights, handFactor, learnedFactor }
}

function readWeights(bytes: Uint8Array, count: number): Float32Array {
  const weights = bytes.length === count * 4 ? new Float32Array(Uint8Array.from(bytes).buffer) : undefined
  if (weights?.every(Number.isFinite)) return weights
  throw envError(
    'BAD_FIELD',
    `learned_weights has ${bytes.length} bytes; allowed: ${count} finite float32 numbers, ${count * 4} bytes`,
    { field: 'learned_weights' },
  )
}

function readPercent(field: string, percent: number): number {
  if (percent >= 0 && percent <= MOST_PERCENT) return percent / 100
  throw envError('BAD_FIELD', `${field} is ${percent}; allowed: 0 to ${MOST_PERCENT}`, { field })
}

/** The sequences of all rows; refuses at once what could be over the limit of a message. */
export function* searchAfterstates(subject: Subject, beam: Beam, host: Host): Slices<AfterstatesResponse> {
  const { board } = subject.afterstates
  const { search } = beam
  const cells = elementsOf(board)
  const names = search.figures.length
  const most = subject.states.length * beam.most
  checkSize(most * (cells + 4 * (search.depth + names + 5)) + (subject.states.length + 1) * 4, host)
  const found = allocate(most, cells, search)
  const rowOffsets = new Int32Array(subject.states.length + 1)
  let n = 0
  for (const [i, state] of subject.states.entries()) {
    yield
    if (state !== undefined) n += search.run(state, beam.width, beam.depth, found, n, beam.most, beam.learned)
    rowOffsets[i + 1] = n
  }
  const actions = Int32Array.from({ length: n }, (_, i) => found.sequences[i * search.depth]!)
  return {
    rowOffsets: bytesOf(rowOffsets),
    actions: bytesOf(actions),
    boards: found.boards.subarray(0, n * cells),
    lines: bytesOf(found.lines.subarray(0, n)),
    rewards: bytesOf(
      subject.reward === 'lines'
        ? Float32Array.from(found.lines.subarray(0, n))
        : found.rewards.subarray(0, n),
    ),
    boardSpec: observationSpecMessage(board),
    sequences: bytesOf(found.sequences.subarray(0, n * search.depth)),
    sequenceLength: search.depth,
    figures: bytesOf(found.figures.subarray(0, n * names)),
    figureNames: search.figures,
    values: bytesOf(found.values.subarray(0, n)),
    ...(beam.learned !== undefined && { learned: bytesOf(found.learned.subarray(0, n)) }),
  }
}

function allocate(most: number, cells: number, search: AfterstateSearch<unknown>): SearchResults {
  return {
    sequences: new Int32Array(most * search.depth),
    boards: new Uint8Array(most * cells),
    lines: new Int32Array(most),
    rewards: new Float32Array(most),
    figures: new Int32Array(most * search.figures.length),
    values: new Float32Array(most),
    learned: new Float32Array(most),
  }
}

function checkSize(bytes: number, host: Host): void {
  if (Math.ceil((bytes * 4) / 3) <= host.limits.maxMessageBytes) return
  throw envError(
    'MESSAGE_TOO_LARGE',
    `the sequences can take more than the ${host.limits.maxMessageBytes} bytes that a message holds; ask for fewer rows or a narrower beam`,
    { field: 'beam_width' },
  )
}
