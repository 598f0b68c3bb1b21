import { episodeSeed } from '../../src/env/seeds.ts'

/** A seed that turns up nowhere by chance. */
export const CANARY = '84467440737095516'

const SEEDS: readonly string[] = Array.from({ length: 8 }, (_, row) => {
  const seed = (BigInt(CANARY) + BigInt(row)).toString()
  return [seed, ...Array.from({ length: 6 }, (_, k) => episodeSeed(seed, k))]
}).flat()

/** What would tell the canary, its rows' seeds or its episodes' seeds as text. */
const TEXTS: readonly string[] = [
  ...new Set([
    ...SEEDS,
    ...SEEDS.map((seed) => BigInt(seed).toString(16)),
    ...SEEDS.map((seed) => Buffer.from(seed).toString('base64').slice(0, 20)),
    Number(CANARY).toString(16),
  ]),
].filter((trace) => trace.length > 8)

/** The same as 8 bytes, the lowest and the highest first, in latin1. */
const BYTES: readonly string[] = [...new Set(SEEDS)].flatMap((seed) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(seed)))
  return [bytes.toString('latin1'), Buffer.from(bytes).reverse().toString('latin1')]
})

/** How many traces are looked for. */
export const TRACE_COUNT = TEXTS.length + BYTES.length

/** The traces of the canary in a text, and as bytes in it and in the base64 that it holds. */
export function tracesIn(text: string): readonly string[] {
  const found = TEXTS.filter((trace) => text.includes(trace))
  const packed = (text.match(/[A-Za-z0-9+/]{11,}={0,2}/g) ?? []).map((part) =>
    Buffer.from(part, 'base64').toString('latin1'),
  )
  const raw = [text, ...packed].join('\n\n')
  for (const trace of BYTES) if (raw.includes(trace)) found.push(Buffer.from(trace, 'latin1').toString('hex'))
  return found
}

/** A replay of the canary made wrong in each part: its seed, its day, an action, its summary. */
export function spoiled(replay: string): readonly string[] {
  const changes: readonly [RegExp, string][] = [
    [/"seed":(-?\d+)/, '"seed":$1.5'],
    [/"seed":(-?\d+)/, '"seed":0$1'],
    [/"seed":(-?\d+)/, '"seed":"$1"'],
    [/"seed":(-?\d+)/, `"seed":$1${'0'.repeat(5000)}`],
    [/"seed":(-?\d+)/, '"seed":$1,"daily":"$1"'],
    [/"seed":(-?\d+)/, '"seed":$1,"daily":"2024-02-30"'],
    [/"actions":\[/, '"actions":["nothing",'],
    [/"actions":\[/, `"actions":[${CANARY},`],
    [/"actions":\[(.*)\],"final"/, '"actions":[$1,$1,$1],"final"'],
    [/"score":(-?\d+)/, '"score":9$1'],
    [/"score":(-?\d+)/, `"score":${CANARY}`],
    [/"rules_version":"/, '"rules_version":"x'],
  ]
  return changes.map(([part, other]) => {
    const changed = replay.replace(part, other)
    if (changed === replay) throw new Error(`the replay has no ${part}`)
    return changed
  })
}
