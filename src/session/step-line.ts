import { writeBatch } from './batch-line.ts'
import type { LineBuffer } from './line-buffer.ts'
import type { BatchResponse } from './message-types.ts'
import { batchMessage } from './messages.ts'
import type { Session, SessionEnv } from './session.ts'

/**
 * The stdio fast path: a step request in the form that programs write it, read byte by byte and answered piece by
 * piece. Any other spelling of the same request, and any request that is wrong, takes the general path.
 */
const START = Buffer.from('{"id":"')
const BEFORE_ENV = Buffer.from('","step":{"envId":"')
const BEFORE_ACTIONS = Buffer.from('","packedActions":"')
const END = Buffer.from('"}}')

const ID_BYTES = 80
const ENV_ID_BYTES = 32
const EQUALS = 0x3d

/** [256] 1 where a byte may be in the id of the fast form: letters, digits, `_` and `-`. */
const IN_ID = Uint8Array.from({ length: 256 }, (_, byte) => (/[\w-]/.test(String.fromCharCode(byte)) ? 1 : 0))

/** [256] the six bits of a base64 digit, -1 for any other byte. */
const SIX_BITS = new Int8Array(256).fill(-1)
for (const [bits, digit] of [
  ...Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'),
].entries())
  SIX_BITS[digit] = bits

/** A step request, once it was recognised; its actions are in the environment's own buffer. */
export interface StepLine {
  readonly id: string
  readonly entry: SessionEnv
}

/** Reads a line in the one form that is fast, or gives undefined. */
export function readStepLine(session: Session, line: Uint8Array): StepLine | undefined {
  const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength)
  if (!isAt(text, 0, START)) return undefined
  let at = START.length
  const longest = at + ID_BYTES
  while (at < longest && IN_ID[text[at]!] === 1) at++
  const idEnd = at
  if (idEnd === START.length || !isAt(text, at, BEFORE_ENV)) return undefined
  at += BEFORE_ENV.length + ENV_ID_BYTES
  if (!isAt(text, at, BEFORE_ACTIONS)) return undefined
  const actionsEnd = text.length - END.length
  if (!isAt(text, actionsEnd, END)) return undefined
  const entry = session.find(text.toString('latin1', at - ENV_ID_BYTES, at))
  if (entry === undefined) return undefined
  if (!decodeBase64(text, at + BEFORE_ACTIONS.length, actionsEnd, entry.actionBytes)) return undefined
  return { id: text.toString('latin1', START.length, idEnd), entry }
}

/** Plays the step, adds the reply to `out` and returns what it says; throws EnvError. */
export function answerStepLine(step: StepLine, out: LineBuffer): BatchResponse {
  const { env, actions } = step.entry
  env.step(actions)
  return writeStepLine(step, out)
}

/** Adds the reply to a step that was played. */
export function writeStepLine({ id, entry: { env } }: StepLine, out: LineBuffer): BatchResponse {
  const response = { batch: batchMessage(env.batch, env.settings.numEnvs) }
  out.ascii(`{"id":"${id}`)
  writeBatch('","step":', response, out)
  return response
}

function isAt(text: Uint8Array, at: number, expected: Uint8Array): boolean {
  if (at < 0 || at + expected.length > text.length) return false
  for (let i = 0; i < expected.length; i++) if (text[at + i] !== expected[i]) return false
  return true
}

/** Decodes canonical base64 that fills `out` exactly; says whether it was that. */
function decodeBase64(text: Uint8Array, from: number, to: number, out: Uint8Array): boolean {
  const rest = out.length % 3
  const whole = out.length - rest
  if (to - from !== 4 * Math.ceil(out.length / 3)) return false
  let seen = 0
  let at = from
  for (let i = 0; i < whole; i += 3, at += 4) {
    const a = SIX_BITS[text[at]!]!
    const b = SIX_BITS[text[at + 1]!]!
    const c = SIX_BITS[text[at + 2]!]!
    const d = SIX_BITS[text[at + 3]!]!
    seen |= a | b | c | d
    out[i] = (a << 2) | (b >> 4)
    out[i + 1] = (b << 4) | (c >> 2)
    out[i + 2] = (c << 6) | d
  }
  return seen >= 0 && decodeRest(text, at, out, whole, rest)
}

/** The last one or two bytes, whose digits end in zero bits and padding. */
function decodeRest(text: Uint8Array, at: number, out: Uint8Array, whole: number, rest: number): boolean {
  if (rest === 0) return true
  const a = SIX_BITS[text[at]!]!
  const b = SIX_BITS[text[at + 1]!]!
  if ((a | b) < 0 || text[at + 3] !== EQUALS) return false
  out[whole] = (a << 2) | (b >> 4)
  if (rest === 1) return text[at + 2] === EQUALS && (b & 15) === 0
  const c = SIX_BITS[text[at + 2]!]!
  out[whole + 1] = (b << 4) | (c >> 2)
  return c >= 0 && (c & 3) === 0
}
