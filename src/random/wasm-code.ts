/**
 * A few WebAssembly instructions as functions that return their bytes, and the frame of a module around them.
 * Operands are written before the operator, so an expression reads as a nested call.
 * Names and numbers follow the WebAssembly core specification, binary format.
 */

/** The bytes of an expression or of a run of instructions. */
export type Code = readonly number[]

/** What Blockloom uses of the `WebAssembly` object, which browsers and Node have but the ES library lacks. */
interface WebAssemblyApi {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object) => { readonly exports: { readonly [name: string]: unknown } }
}

export const I32 = 0x7f
export const I64 = 0x7e
export const F32 = 0x7d
export const F64 = 0x7c
export const V128 = 0x7b

/** One exported function without a result: its parameters and locals by type, in order, and its body. */
export interface FunctionCode {
  readonly name: string
  readonly parameters: readonly number[]
  readonly locals: readonly number[]
  readonly body: Code
}

const unsigned = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(Math.floor(value / 0x80))]

const signed = (value: bigint): number[] => {
  const low = Number(value & 0x7fn)
  const rest = value >> 7n
  const done = (rest === 0n && low < 0x40) || (rest === -1n && low >= 0x40)
  return done ? [low] : [low | 0x80, ...signed(rest)]
}

const unary =
  (...opcode: number[]) =>
  (a: Code): Code => [...a, ...opcode]
const binary =
  (...opcode: number[]) =>
  (a: Code, b: Code): Code => [...a, ...b, ...opcode]
const simd = (opcode: number): number[] => [0xfd, ...unsigned(opcode)]
const load =
  (align: number, ...opcode: number[]) =>
  (address: Code, offset = 0): Code => [...address, ...opcode, align, ...unsigned(offset)]
const store =
  (align: number, ...opcode: number[]) =>
  (address: Code, value: Code, offset = 0): Code => [
    ...address,
    ...value,
    ...opcode,
    align,
    ...unsigned(offset),
  ]

export const get = (local: number): Code => [0x20, ...unsigned(local)]
export const set = (local: number, value: Code): Code => [...value, 0x21, ...unsigned(local)]

export const i32 = {
  const: (value: number): Code => [0x41, ...signed(BigInt(value | 0))],
  load: load(0, 0x28),
  store: store(0, 0x36),
  add: binary(0x6a),
  sub: binary(0x6b),
  mul: binary(0x6c),
  and: binary(0x71),
  or: binary(0x72),
  xor: binary(0x73),
  shl: binary(0x74),
  shrU: binary(0x76),
  rotl: binary(0x77),
  eq: binary(0x46),
  ltU: binary(0x49),
  ne: binary(0x47),
  select: (ifTrue: Code, ifFalse: Code, condition: Code): Code => [...ifTrue, ...ifFalse, ...condition, 0x1b],
}

export const i64 = {
  /** The low 32 bits of a value. */
  low: unary(0xa7),
  const: (value: bigint): Code => [0x42, ...signed(BigInt.asIntN(64, value))],
  load: load(0, 0x29),
  store: store(0, 0x37),
  add: binary(0x7c),
  and: binary(0x83),
  or: binary(0x84),
  xor: binary(0x85),
  shl: binary(0x86),
  shrU: binary(0x88),
  rotr: binary(0x8a),
  /** The number of bits set. */
  popcnt: unary(0x7b),
}

export const f32 = {
  const: (value: number): Code => [0x43, ...new Uint8Array(Float32Array.of(value).buffer)],
  load: load(0, 0x2a),
  store: store(0, 0x38),
  add: binary(0x92),
}

export const f64 = {
  const: (value: number): Code => [0x44, ...new Uint8Array(Float64Array.of(value).buffer)],
  load: load(0, 0x2b),
  store: store(0, 0x39),
  add: binary(0xa0),
  mul: binary(0xa2),
  /** A 64-bit integer as a float. */
  fromI64: unary(0xb9),
}

export const v128 = {
  load: load(0, ...simd(0)),
  load32Splat: load(0, ...simd(9)),
  load64Splat: load(0, ...simd(10)),
  store: store(0, ...simd(11)),
  /** Reorders the 16 bytes of a value. */
  bytes: (a: Code, order: readonly number[]): Code => [...a, ...a, ...simd(13), ...order],
  splat: unary(...simd(17)),
  and: binary(...simd(78)),
  or: binary(...simd(80)),
  xor: binary(...simd(81)),
  neg: unary(...simd(161)),
  shl: binary(...simd(171)),
  shrU: binary(...simd(173)),
  add: binary(...simd(174)),
  sub: binary(...simd(177)),
  mul: binary(...simd(181)),
}

/** Two 64-bit floats in a vector. */
export const f64x2 = {
  /** A single float, for `splat`. */
  const: (value: number): Code => [0x44, ...new Uint8Array(Float64Array.of(value).buffer)],
  splat: unary(...simd(20)),
  floor: unary(...simd(117)),
  add: binary(...simd(240)),
  sub: binary(...simd(241)),
  mul: binary(...simd(242)),
}

/** Runs the body, then again as long as the condition holds after it. */
export const repeatWhile = (condition: Code, ...body: readonly Code[]): Code => [
  ...[0x03, 0x40],
  ...body.flat(),
  ...condition,
  ...[0x0d, 0x00, 0x0b],
]

const vector = (items: readonly (readonly number[])[]): number[] => [
  ...unsigned(items.length),
  ...items.flat(),
]
const section = (id: number, content: readonly number[]): number[] => [
  id,
  ...unsigned(content.length),
  ...content,
]
const named = (name: string): number[] => vector([...name].map((letter) => [letter.charCodeAt(0)]))

/** Compiles a module of these functions and a memory of 64 KiB pages; throws where the engine cannot run it. */
export function instantiate(functions: readonly FunctionCode[], pages: number) {
  const types = functions.map(({ parameters }) => [0x60, ...vector(parameters.map((type) => [type])), 0])
  const exports = functions.map(({ name }, i) => [...named(name), 0, ...unsigned(i)])
  const bodies = functions.map(({ locals, body }) => {
    const code = [...vector(locals.map((type) => [1, type])), ...body, 0x0b]
    return [...unsigned(code.length), ...code]
  })
  const bytes = [
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector(types)),
    ...section(3, vector(functions.map((_, i) => unsigned(i)))),
    ...section(5, vector([[0, ...unsigned(pages)]])),
    ...section(7, vector([...exports, [...named('memory'), 2, 0]])),
    ...section(10, vector(bodies)),
  ]
  const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyApi }
  return new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(bytes))).exports
}
