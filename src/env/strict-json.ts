import { envError } from './env-error.ts'
import type { Json } from './game.ts'

/** The deepest nesting of objects and arrays that a message may have. */
export const MAX_NESTING = 16

/** How many parts a text may have. */
export interface JsonLimits {
  readonly containers: number
  readonly keys: number
  readonly commas: number
  /** Keys of one object; default: no limit of its own. */
  readonly keysPerObject?: number
}

/** Limits of a message: a few objects, arrays and keys, and as many values as the longest list has rows. */
const MESSAGE_LIMITS: JsonLimits = { containers: 1024, keys: 4096, commas: 1_100_000 }

/**
 * Parses JSON, refusing what JSON.parse lets pass: duplicate keys, and nesting and numbers of parts over the
 * limits. The limits are looked at first, because what JSON.parse builds can take many times the text's space.
 */
export function parseStrictJson(text: string, limits: JsonLimits = MESSAGE_LIMITS): Json {
  checkStructure(text, limits)
  try {
    return JSON.parse(text) as Json
  } catch {
    throw notJson()
  }
}

/** Walks over text that may not be JSON: what it makes of that does not matter, as long as it ends. */
function checkStructure(text: string, limits: JsonLimits): void {
  const scopes: (Set<string> | undefined)[] = []
  let containers = 0
  let keys = 0
  let commas = 0
  let at = 0
  while (at < text.length) {
    const char = text.charCodeAt(at)
    if (char === 0x7b || char === 0x5b) {
      scopes.push(char === 0x7b ? new Set() : undefined)
      if (scopes.length > MAX_NESTING) throw tooDeep()
      if (++containers > limits.containers) throw tooMuch('objects and arrays', limits.containers)
    } else if (char === 0x2c) {
      if (++commas > limits.commas) throw tooMuch('values', limits.commas)
    } else if (char === 0x7d || char === 0x5d) scopes.pop()
    else if (char === 0x22) {
      const end = endOfString(text, at)
      const scope = scopes.at(-1)
      if (scope !== undefined && isKey(text, end)) {
        if (++keys > limits.keys) throw tooMuch('keys', limits.keys)
        addKey(scope, text.slice(at, end))
        const most = limits.keysPerObject ?? limits.keys
        if (scope.size > most) throw tooMuch('keys in one object', most)
      }
      at = end
      continue
    }
    at++
  }
}

function tooDeep() {
  return envError('MALFORMED_MESSAGE', `the message nests deeper than ${MAX_NESTING} levels`)
}

function tooMuch(what: string, allowed: number) {
  return envError('MALFORMED_MESSAGE', `the message has over ${allowed} ${what}`)
}

function notJson() {
  return envError('MALFORMED_MESSAGE', 'the line is not JSON')
}

/** The index after the closing quote of the string that starts at `at`. */
function endOfString(text: string, at: number): number {
  let end = text.indexOf('"', at + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  if (end === -1) throw notJson()
  return end + 1
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++
  return backslashes % 2 === 1
}

/** Whether the string that ends before `end` is followed by a colon. */
function isKey(text: string, end: number): boolean {
  let at = end
  while (' \t\n\r'.includes(text[at] ?? 'x')) at++
  return text[at] === ':'
}

function addKey(keys: Set<string>, quoted: string): void {
  const key = parseKey(quoted)
  if (keys.has(key)) throw envError('MALFORMED_MESSAGE', 'an object of the message has the same key twice')
  keys.add(key)
}

function parseKey(quoted: string): string {
  try {
    return JSON.parse(quoted) as string
  } catch {
    throw notJson()
  }
}
