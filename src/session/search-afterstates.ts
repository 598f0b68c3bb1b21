import { envError } from '../env/env-error.ts'
import type { AfterstateSearch, SearchResults } from '../env/game.ts'
import { bytesOf, elementsOf } from '../env/tensor-spec.ts'
import type { Subject } from './afterstates.ts'
import type { AfterstatesRequest, AfterstatesResponse } from './message-types.ts'
import { observationSpecMessage } from './messages.ts'
import type { Host } from './session.ts'

/** The widest beam, and the most rows times width of one request: a second of work at most. */
export const MOST_BEAM_WIDTH = 1000
export const MOST_BEAM_WORK = 4096

/** The search that a request asks for. */
export interface Beam {
  readonly search: AfterstateSearch<unknown>
  readonly width: number
  readonly depth: number
}

/** Reads and checks the fields of a search; undefined when the request asks for none. */
export function readBeam(request: AfterstatesRequest, { afterstates, states }: Subject): Beam | undefined {
  const width = request.beamWidth ?? 0
  if (width < 0 || width > MOST_BEAM_WIDTH) {
    throw envError('BAD_FIELD', `beam_width is ${width}; allowed: 0 to ${MOST_BEAM_WIDTH}`, {
      field: 'beam_width',
    })
  }
  const asked = request.depth ?? undefined
  if (width === 0) {
    if (asked !== undefined)
      throw envError('MISSING_FIELD', 'beam_width is missing; depth needs it', { field: 'beam_width' })
    return undefined
  }
  const search = afterstates.search
  if (search === undefined) throw envError('NOT_IN_THIS_GAME', 'this game has no search over sequences')
  const depth = asked ?? search.depth
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
  return { search, width, depth }
}

/** The sequences of all rows; refuses at once what could be over the limit of a message. */
export function searchAfterstates(subject: Subject, beam: Beam, host: Host): AfterstatesResponse {
  const { board } = subject.afterstates
  const { search } = beam
  const cells = elementsOf(board)
  const names = search.figures.length
  const most = subject.states.length * beam.width
  checkSize(most * (cells + 4 * (search.depth + names + 4)) + (subject.states.length + 1) * 4, host)
  const found = allocate(most, cells, search)
  const rowOffsets = new Int32Array(subject.states.length + 1)
  let n = 0
  for (const [i, state] of subject.states.entries()) {
    if (state !== undefined) n += search.run(state, beam.width, beam.depth, found, n)
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
