/**
 * The first sets of episodes that are expected, seeded together: one costs a good part of what a whole game of
 * random play does, and four at once little more than one. A set depends on its seed and number alone: who expects
 * what changes the cost and never a piece.
 */
import { type AleaLanes, createAleaLanes, GROUPS } from '../../random/alea-lanes.ts'
import { COLON, HASH_3, READY_WORDS, readyWord, type SetStream, ZERO } from './set-stream.ts'

/** The first five sets of an episode, as plain data. */
export interface ExpectedSets {
  /** The seed, or '' when none is expected. */
  seed: string
  /** Whether `head` and `words` are right; else they are asked for at most. */
  ready: boolean
  /** The stream's head. */
  head: number
  /** [READY_WORDS] int32 the stream's ready generators. */
  readonly words: Int32Array
}

/** Expects nothing yet. */
export function createExpected(): ExpectedSets {
  return { seed: '', ready: false, head: 0.5, words: new Int32Array(READY_WORDS) }
}

const LANES: AleaLanes | undefined = createAleaLanes()

/** The longest seed that is made ahead, in characters. */
const MOST_CHARACTERS = 65

/** Those that are asked for, by the length of their seeds: texts of one length are hashed together. */
const asked: readonly ExpectedSets[][] = Array.from({ length: MOST_CHARACTERS + 1 }, () => [])

/** [characters] the text of one seed. */
const text = new Uint8Array(MOST_CHARACTERS + 1)

/** Asks for the first sets of a seed; they are made once enough are asked for. */
export function expectSets(expected: ExpectedSets, seed: string): void {
  const queue = asked[seed.length]
  if (expected.seed === seed || queue === undefined || LANES === undefined) return
  expected.seed = seed
  expected.ready = false
  queue.push(expected)
  if (queue.length === GROUPS) makeAll(queue, seed.length, LANES)
}

/** Makes the first sets of a seed now, with all that are asked for; false when they were ready. */
export function makeExpected(expected: ExpectedSets, seed: string): boolean {
  if (LANES === undefined) return false
  expectSets(expected, seed)
  const queue = asked[seed.length]
  if (expected.ready || queue === undefined) return false
  if (!queue.includes(expected)) queue[0] = expected // one that was copied is in no queue
  makeAll(queue, seed.length, LANES)
  return true
}

/** Begins a stream with what was expected of its seed; false when that is not there. */
export function takeExpected(stream: SetStream, expected: ExpectedSets, seed: string): boolean {
  if (!expected.ready || expected.seed !== seed) return false
  const { words } = stream
  const at = words.length - READY_WORDS
  for (let i = 0; i < READY_WORDS; i++) words[at + i] = expected.words[i]!
  stream.seed = seed
  stream.head = expected.head
  stream.first = 0
  expected.seed = ''
  expected.ready = false
  return true
}

/** Empties a queue; an entry that expects a seed of another length by now is in another queue too. */
function makeAll(queue: ExpectedSets[], length: number, lanes: AleaLanes): void {
  for (let group = 0; group < queue.length; group++) {
    const { seed } = queue[group]!
    if (seed.length !== length) continue
    for (let i = 0; i < seed.length; i++) text[i] = seed.charCodeAt(i)
    text[seed.length] = COLON
    lanes.load(group, text, seed.length + 1, ZERO)
  }
  lanes.run(HASH_3, length + 1)
  for (let group = 0; group < queue.length; group++) {
    const expected = queue[group]!
    if (expected.seed.length !== length) continue
    expected.head = lanes.head(group)
    for (let i = 0; i < READY_WORDS; i++)
      expected.words[i] = readyWord(i % 3, lanes.hash(group, (i / 3) | 0, i % 3))
    expected.ready = true
  }
  queue.length = 0
}
