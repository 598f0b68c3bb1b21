/**
 * The stream of pieces: bag b of a seed holds each piece once, shuffled by CPython's
 * `random.Random('stackcraft-v1:{seed}:{b}')` with int(random() * (p + 1)) for p = 6 down to 1.
 *
 * Seeding such a generator costs far more than a step of the game, and LANES of them little more than one. So
 * streams ask for their bags ahead of need, and whenever LANES bags are asked for, they are made together.
 * A bag depends on its seed and number alone: who asks when changes the cost and never the pieces.
 *
 * A bag is one number of seven hexadecimal digits 1..7, the first piece in the lowest digit.
 */
import { fractionOf, PythonRandom } from '../../random/python-random.ts'
import {
  createRandomLanes,
  FEW_LANES,
  keyLength,
  LANE_BYTES,
  LANES,
  type RandomLanes,
} from '../../random/python-random-lanes.ts'

const PREFIX = 'stackcraft-v1:'
const BAG_SIZE = 7
const BAG_IN_ORDER = 0x765_4321

/** Strings of longer keys, from seeds of some 90 digits on, do not all fit into a lane. */
const LONGEST_KEY = keyLength(LANE_BYTES) - 1

/** How many bags of a stream are kept ahead at most; a power of two. */
const RING = 4

/** The pieces of one seed, as plain data. */
export interface BagStream {
  /** The seed, or '' when the stream was never started. */
  seed: string
  /** The pieces left in the bag in play, as a bag of fewer digits. */
  hand: number
  /** Bags opened so far. */
  opened: number
  /** Bags made so far. */
  made: number
  /** Bags made or asked for; only a hint, as a copy of the stream is not in the queue. */
  asked: number
  /** [4] int32 bags made and not yet opened: bag b is in place b % 4. */
  readonly bags: Int32Array
  /** [28] int32 ASCII of `stackcraft-v1:{seed}:`, four characters a word, to which a bag's number is added. */
  readonly message: Int32Array
  messageLength: number
}

/** Allocates a stream that must be started before use. */
export function createStream(): BagStream {
  return {
    seed: '',
    hand: 0,
    opened: 0,
    made: 0,
    asked: 0,
    bags: new Int32Array(RING),
    message: new Int32Array(LANE_BYTES / 4),
    messageLength: 0,
  }
}

/** Goes to the first piece of a seed. */
export function startStream(stream: BagStream, seed: string): void {
  const { message } = stream
  message.fill(0)
  let length = 0
  for (let i = 0; i < PREFIX.length; i++, length++) {
    message[length >> 2]! |= PREFIX.charCodeAt(i) << ((length & 3) * 8)
  }
  for (let i = 0; i < seed.length; i++, length++) {
    message[length >> 2]! |= seed.charCodeAt(i) << ((length & 3) * 8)
  }
  message[length >> 2]! |= 58 << ((length & 3) * 8)
  stream.messageLength = length + 1
  stream.seed = seed
  stream.hand = 0
  stream.opened = 0
  stream.made = 0
  stream.asked = 0
}

/** Draws the next piece, 1..7. */
export function draw(stream: BagStream): number {
  if (stream.hand === 0) {
    if (stream.made === stream.opened) makeNow(stream)
    stream.hand = stream.bags[stream.opened % RING]!
    stream.opened++
  }
  const piece = stream.hand & 7
  stream.hand >>= 4
  // With two pieces left, late enough that few games end before the next bag is opened.
  if (stream.hand < 0x100) askAhead(stream)
  return piece
}

/** Asks for the bag after the one in play, unless that was done; returns whether it did. */
export function askAhead(stream: BagStream): boolean {
  if (stream.asked > stream.opened) return false
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

/** Bags to be made together, all with keys of one length, as the lanes that make them need. */
interface Queue {
  keyLength: number
  readonly streams: BagStream[]
  readonly seeds: string[]
  readonly bags: number[]
  count: number
}

/** By key length: bags asked for ahead of need. */
const queues: Queue[] = []

/** Bags of one stream that cannot wait. */
const urgent: Queue = { keyLength: 0, streams: [], seeds: [], bags: [], count: 0 }

let lanes: RandomLanes | 'none' | undefined

function keyLengthOf(stream: BagStream, bag: number): number {
  let length = stream.messageLength + 1
  for (let rest = bag; rest >= 10; rest = Math.floor(rest / 10)) length++
  return keyLength(length)
}

function queueFor(words: number): Queue {
  queues[words] ??= { keyLength: words, streams: [], seeds: [], bags: [], count: 0 }
  return queues[words]
}

function ask(stream: BagStream): void {
  const queue = queueFor(keyLengthOf(stream, stream.asked))
  enqueue(queue, stream)
  if (queue.count === LANES) makeAll(queue)
}

function enqueue(queue: Queue, stream: BagStream): void {
  queue.streams[queue.count] = stream
  queue.seeds[queue.count] = stream.seed
  queue.bags[queue.count] = stream.asked
  queue.count++
  stream.asked++
}

/** Makes the bag that is needed now, with all that wait beside it or, if it was not asked for, by itself. */
function makeNow(stream: BagStream): void {
  const words = keyLengthOf(stream, stream.made)
  let queue = queueFor(words)
  if (!isQueued(queue, stream)) {
    queue = urgent
    queue.keyLength = words
    stream.asked = stream.made
  }
  // Lanes that cost nothing go to the stream's later bags.
  while (queue.count < FEW_LANES && stream.asked < stream.opened + RING) {
    if (keyLengthOf(stream, stream.asked) !== words) break
    enqueue(queue, stream)
  }
  makeAll(queue)
}

function isQueued({ streams, seeds, bags, count }: Queue, stream: BagStream): boolean {
  for (let i = 0; i < count; i++) {
    if (streams[i] === stream && bags[i] === stream.made && seeds[i] === stream.seed) return true
  }
  return false
}

function makeAll(queue: Queue): void {
  const { streams, seeds, bags, count } = queue
  const made = runLanes(queue)
  for (let i = 0; i < count; i++) {
    const stream = streams[i]!
    const bag = bags[i]!
    if (stream.seed !== seeds[i] || stream.made !== bag || bag >= stream.opened + RING) continue
    stream.bags[bag % RING] = made ? laneBag(made.words, i) : plainBag(stream.seed, bag)
    stream.made++
  }
  queue.count = 0
}

/** Seeds the queue's bags side by side; undefined where that cannot be done, and each is made on its own. */
function runLanes({ keyLength, streams, seeds, bags, count }: Queue): RandomLanes | undefined {
  lanes ??= createRandomLanes() ?? 'none'
  if (lanes === 'none' || keyLength > LONGEST_KEY) return undefined
  for (let i = 0; i < count; i++) {
    const stream = streams[i]!
    // A stream that went on to another seed has no use for the bag; its lane keeps what it had.
    if (stream.seed === seeds[i]) lanes.load(i, stream.message, stream.messageLength, bags[i]!)
  }
  lanes.run(keyLength, count)
  return lanes
}

function laneBag(words: Uint32Array, lane: number): number {
  let bag = BAG_IN_ORDER
  let w = lane
  for (let p = BAG_SIZE - 1; p > 0; p--) {
    bag = swapped(bag, p, (fractionOf(words[w]!, words[w + LANES]!) * (p + 1)) | 0)
    w += 2 * LANES
  }
  return bag
}

/** A bag straight from its definition, as a number. */
export function plainBag(seed: string, number: number): number {
  const generator = new PythonRandom(`${PREFIX}${seed}:${number}`)
  let bag = BAG_IN_ORDER
  for (let p = BAG_SIZE - 1; p > 0; p--) bag = swapped(bag, p, Math.floor(generator.random() * (p + 1)))
  return bag
}

/** The bag with the pieces in places p and q exchanged. */
function swapped(bag: number, p: number, q: number): number {
  const difference = ((bag >> (4 * p)) ^ (bag >> (4 * q))) & 7
  return bag ^ (difference << (4 * p)) ^ (difference << (4 * q)) // nothing for p = q
}
