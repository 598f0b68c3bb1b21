/**
 * The stream of pieces: bag b of a seed holds each piece once, shuffled by CPython's
 * `random.Random('stackcraft-v1:{seed}:{b}')` with int(random() * (p + 1)) for p = 6 down to 1.
 *
 * Seeding such a generator costs far more than a step of the game, and sixteen cost little more than one. So
 * streams ask for their bags ahead of need, and whenever sixteen bags are asked for, they are made together.
 * A bag depends on its seed and number alone: who asks when changes the cost and never the pieces.
 */
import { fractionOf, PythonRandom } from '../../random/python-random.ts'
import { createRandomLanes, keyLength, LANES, type RandomLanes } from '../../random/python-random-lanes.ts'

/** Pieces in a bag. */
export const BAG_SIZE = 7

/** How many bags of a stream are held at once; a power of two. */
const RING = 4

/** At this place in a bag the next one is asked for, if nobody has done so. */
const ASK_AT = 3

const LONGEST_MESSAGE = 96

/** The pieces of one seed, as plain data. */
export interface BagStream {
  /** The seed, or '' when the stream was never started. */
  seed: string
  /** [96] uint8 ASCII of `stackcraft-v1:{seed}:`, to which a bag's number is added. */
  readonly message: Uint8Array
  messageLength: number
  /** [RING * 7] uint8 pieces 1..7: bag b is in place b % RING. */
  readonly bags: Uint8Array
  /** Bags made so far, always the first ones. */
  made: number
  /** Bags made or asked for; only a hint, as a copy of the stream is not in the queue. */
  asked: number
  /** The bag to draw from, and the next place in it. */
  bag: number
  place: number
}

/** Allocates a stream that must be started before use. */
export function createStream(): BagStream {
  return {
    seed: '',
    message: new Uint8Array(LONGEST_MESSAGE),
    messageLength: 0,
    bags: new Uint8Array(RING * BAG_SIZE),
    made: 0,
    asked: 0,
    bag: 0,
    place: 0,
  }
}

const PREFIX = 'stackcraft-v1:'

/** Goes back to the first piece of a seed. */
export function startStream(stream: BagStream, seed: string): void {
  stream.seed = seed
  let length = 0
  for (let i = 0; i < PREFIX.length; i++) stream.message[length++] = PREFIX.charCodeAt(i)
  for (let i = 0; i < seed.length; i++) stream.message[length++] = seed.charCodeAt(i)
  stream.message[length++] = 58
  stream.messageLength = length
  stream.made = 0
  stream.asked = 0
  stream.bag = 0
  stream.place = 0
}

/** Draws the next piece, 1..7. */
export function draw(stream: BagStream): number {
  if (stream.made <= stream.bag) makeNow(stream)
  const piece = stream.bags[(stream.bag % RING) * BAG_SIZE + stream.place]!
  if (++stream.place === BAG_SIZE) {
    stream.place = 0
    stream.bag++
  } else if (stream.place === ASK_AT) {
    askAhead(stream)
  }
  return piece
}

/** Asks for the bag after the one in use, unless that was done; returns whether it did. */
export function askAhead(stream: BagStream): boolean {
  const wanted = stream.place === 0 ? stream.bag : stream.bag + 1
  if (stream.asked > wanted) return false
  ask(stream)
  return true
}

/** Starts a stream ahead of its use and asks for its first bag, unless that was done; returns whether it did. */
export function prepareStream(stream: BagStream, seed: string): boolean {
  if (stream.seed === seed) return false
  startStream(stream, seed)
  ask(stream)
  return true
}

/** Bags asked for, all with keys of one length, as the lanes that make them need. */
interface Queue {
  readonly streams: BagStream[]
  readonly seeds: string[]
  readonly bags: number[]
  readonly keyLength: number
}

const queues: Queue[] = []
let lanes: RandomLanes | 'none' | undefined

function queueFor(stream: BagStream, bag: number): Queue {
  let length = stream.messageLength + 1
  for (let rest = bag; rest >= 10; rest = Math.floor(rest / 10)) length++
  const words = keyLength(length)
  queues[words] ??= { streams: [], seeds: [], bags: [], keyLength: words }
  return queues[words]
}

function ask(stream: BagStream): void {
  const bag = stream.asked++
  const queue = queueFor(stream, bag)
  queue.streams.push(stream)
  queue.seeds.push(stream.seed)
  queue.bags.push(bag)
  if (queue.streams.length === LANES) makeAll(queue)
}

/** Makes the bag that is needed now; free lanes go to the stream's later bags. */
function makeNow(stream: BagStream): void {
  const queue = queueFor(stream, stream.made)
  if (!isQueued(queue, stream)) {
    stream.asked = stream.made
    ask(stream)
  }
  while (stream.made <= stream.bag) {
    const room = stream.bag + RING - stream.asked
    if (room > 0 && queueFor(stream, stream.asked) === queue) ask(stream)
    else makeAll(queue)
  }
}

function isQueued(queue: Queue, stream: BagStream): boolean {
  for (let i = 0; i < queue.streams.length; i++) {
    if (queue.streams[i] === stream && queue.bags[i] === stream.made && queue.seeds[i] === stream.seed)
      return true
  }
  return false
}

function makeAll(queue: Queue): void {
  const { streams, seeds, bags } = queue
  const made = runLanes(queue)
  for (let i = 0; i < streams.length; i++) {
    const stream = streams[i]!
    const bag = bags[i]!
    if (stream.seed !== seeds[i] || stream.made !== bag || bag >= stream.bag + RING) continue
    const at = (bag % RING) * BAG_SIZE
    if (made) shuffleFromLane(stream.bags, at, made.words, i)
    else shufflePlain(stream.bags, at, `${PREFIX}${stream.seed}:${bag}`)
    stream.made++
  }
  streams.length = 0
  seeds.length = 0
  bags.length = 0
}

/** Seeds the queue's bags side by side; undefined where that cannot be done, and each is made on its own. */
function runLanes({ streams, seeds, bags, keyLength }: Queue): RandomLanes | undefined {
  lanes ??= createRandomLanes() ?? 'none'
  if (lanes === 'none') return undefined
  for (let i = 0; i < streams.length; i++) {
    const stream = streams[i]!
    // A stream that went on to another seed has no use for the bag; its lane keeps what it had.
    if (stream.seed === seeds[i]) lanes.load(i, stream.message, stream.messageLength, bags[i]!)
  }
  lanes.run(keyLength)
  return lanes
}

function shuffleFromLane(bags: Uint8Array, at: number, words: Uint32Array, lane: number): void {
  fillInOrder(bags, at)
  let w = lane
  for (let p = BAG_SIZE - 1; p > 0; p--) {
    const fraction = fractionOf(words[w]!, words[w + LANES]!)
    w += 2 * LANES
    swap(bags, at + p, at + Math.floor(fraction * (p + 1)))
  }
}

/** The same shuffle, straight from the definition. */
export function shufflePlain(bags: Uint8Array, at: number, text: string): void {
  fillInOrder(bags, at)
  const generator = new PythonRandom(text)
  for (let p = BAG_SIZE - 1; p > 0; p--) swap(bags, at + p, at + Math.floor(generator.random() * (p + 1)))
}

function fillInOrder(bags: Uint8Array, at: number): void {
  for (let i = 0; i < BAG_SIZE; i++) bags[at + i] = i + 1
}

function swap(bags: Uint8Array, i: number, j: number): void {
  const piece = bags[i]!
  bags[i] = bags[j]!
  bags[j] = piece
}
