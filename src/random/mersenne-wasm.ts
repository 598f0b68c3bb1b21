/**
 * MT19937's seeding and first output words (Matsumoto and Nishimura's mt19937ar.c) as WebAssembly, for
 * generators that lie side by side: word i of all of them, then word i + 1.
 */
import { MT_INITIAL } from './python-random.ts'
import { type Code, type FunctionCode, get, I32, i32, repeatWhile, set, V128, v128 } from './wasm-code.ts'

/** How many generators there are, a multiple of four, and where in memory they have what. */
export interface MersenneLayout {
  readonly lanes: number
  /** [key words, lanes] uint32 the seeding keys, each word with its own index added. */
  readonly keys: number
  /** [624] uint32 MT_INITIAL. */
  readonly initial: number
  /** [624, lanes] uint32 the generators' words. */
  readonly state: number
  /** [words, lanes] uint32 the output words. */
  readonly output: number
}

/** The operations of a 32-bit integer, or of four in a vector. */
interface Words {
  readonly type: number
  readonly bytes: number
  readonly load: (address: Code, offset: number) => Code
  /** Loads one 32-bit integer, into each of the four places of a vector. */
  readonly loadShared: (address: Code, offset: number) => Code
  readonly shared: (value: Code) => Code
  readonly store: (address: Code, value: Code, offset: number) => Code
  readonly add: (a: Code, b: Code) => Code
  readonly sub: (a: Code, b: Code) => Code
  readonly mul: (a: Code, b: Code) => Code
  readonly xor: (a: Code, b: Code) => Code
  readonly shrU: (a: Code, bits: Code) => Code
}

const INTEGER: Words = { ...i32, type: I32, bytes: 4, loadShared: i32.load, shared: (value) => value }
const VECTOR: Words = { ...v128, type: V128, bytes: 16, loadShared: v128.load32Splat, shared: v128.splat }

/** seedAll(keyWords): seeds every generator, in vectors. */
export function seedAll(layout: MersenneLayout): FunctionCode {
  return seed('seedAll', layout, VECTOR, layout.lanes / 4)
}

/** seedFew(keyWords): seeds the first `count` generators, on ordinary integers. */
export function seedFew(layout: MersenneLayout, count: number): FunctionCode {
  return seed('seedFew', layout, INTEGER, count)
}

/** init_by_array, except that only the words that `firstWords` reads are right after it. */
function seed(name: string, layout: MersenneLayout, words: Words, count: number): FunctionCode {
  const [keyWords, at, key, index] = [0, 1, 2, 3] as const
  const { state, keys, initial } = layout
  const row = layout.lanes * 4
  const last = Array.from({ length: count }, (_, v) => 4 + v)
  const each = (code: (local: number, offset: number) => Code): Code =>
    last.flatMap((local, v) => code(local, v * words.bytes))
  const mixed = (local: number, factor: number): Code =>
    words.mul(words.xor(get(local), words.shrU(get(local), i32.const(30))), words.shared(i32.const(factor)))
  const keep = (local: number, offset: number): Code => words.store(get(at), get(local), state + offset)
  const first = (old: (offset: number) => Code): Code => [
    ...each((local, offset) => {
      const addend = words.load(get(key), keys + offset)
      return [
        ...set(local, words.add(words.xor(old(offset), mixed(local, 1_664_525)), addend)),
        ...keep(local, offset),
      ]
    }),
    ...set(key, i32.add(get(key), i32.const(row))),
    ...set(key, i32.select(i32.const(0), get(key), i32.eq(get(key), get(keyWords)))),
  ]
  const old = (offset: number): Code => words.load(get(at), state + offset)
  const second = each((local, offset) => [
    ...set(local, words.sub(words.xor(old(offset), mixed(local, 1_566_083_941)), words.shared(get(index)))),
    ...keep(local, offset),
  ])
  const fresh = words.loadShared(i32.mul(get(index), i32.const(4)), initial)
  const start = (i: number): Code => [...set(at, i32.const(i * row)), ...set(index, i32.const(i))]
  const advance = [
    ...set(at, i32.add(get(at), i32.const(row))),
    ...set(index, i32.add(get(index), i32.const(1))),
  ]
  const more = i32.ne(get(index), i32.const(624))
  const body = [
    // From here on, the end of the key in bytes.
    ...set(keyWords, i32.mul(get(keyWords), i32.const(row))),
    ...each((local) => set(local, words.shared(i32.const(MT_INITIAL[0]!)))),
    ...start(1),
    ...repeatWhile(
      more,
      first(() => fresh),
      advance,
    ),
    // The first pass is one step longer than the words, and the second ends where it began.
    ...start(1),
    ...first(old),
    ...start(2),
    ...repeatWhile(more, second, advance),
    ...start(1),
    ...second,
    ...start(0),
    ...each((_, offset) => words.store(get(at), words.shared(i32.const(0x8000_0000)), state + offset)),
  ]
  return { name, parameters: [I32], locals: [I32, I32, I32, ...last.map(() => words.type)], body }
}

/**
 * firstWords(): twists and tempers the first `count` words, which are so few that none reads a word that
 * another has twisted; the twisted words are not kept.
 */
export function firstWords(layout: MersenneLayout, count: number): FunctionCode {
  const [at, y] = [0, 1] as const
  const row = layout.lanes * 4
  const constant = (value: number): Code => v128.splat(i32.const(value))
  const temper = (shifted: Code): Code => set(y, v128.xor(get(y), shifted))
  const one = (offset: number): Code => {
    const word = (i: number): Code => v128.load(get(at), layout.state + i * row + offset)
    const joined = v128.or(v128.and(word(0), constant(0x8000_0000)), v128.and(word(1), constant(0x7fff_ffff)))
    const odd = v128.and(v128.neg(v128.and(get(y), constant(1))), constant(0x9908_b0df))
    return [
      ...set(y, joined),
      ...set(y, v128.xor(v128.xor(word(397), v128.shrU(get(y), i32.const(1))), odd)),
      ...temper(v128.shrU(get(y), i32.const(11))),
      ...temper(v128.and(v128.shl(get(y), i32.const(7)), constant(0x9d2c_5680))),
      ...temper(v128.and(v128.shl(get(y), i32.const(15)), constant(0xefc6_0000))),
      ...temper(v128.shrU(get(y), i32.const(18))),
      ...v128.store(get(at), get(y), layout.output + offset),
    ]
  }
  const body = [
    ...set(at, i32.const(0)),
    ...repeatWhile(
      i32.ne(get(at), i32.const(count * row)),
      ...Array.from({ length: layout.lanes / 4 }, (_, v) => one(v * 16)),
      set(at, i32.add(get(at), i32.const(row))),
    ),
  ]
  return { name: 'firstWords', parameters: [], locals: [I32, V128], body }
}
