import { envError } from '../env/env-error.ts'
import type { Json } from '../env/game.ts'

/** The deepest nesting of objects and arrays that a message may have. */
export const MAX_NESTING = 16

/** Parses JSON, refusing what JSON.parse lets pass: duplicate keys and nesting over the limit. */
export function parseStrictJson(text: string): Json {
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    throw envError('MALFORMED_MESSAGE', 'the line is not JSON')
  }
  checkNestingAndKeys(text)
  return value
}

/** Walks over text that is known to be JSON. */
function checkNestingAndKeys(text: string): void {
  const scopes: (Set<string> | undefined)[] = []
  let at = 0
  while (at < text.length) {
    const char = text.charCodeAt(at)
    if (char === 0x7b || char === 0x5b) {
      scopes.push(char === 0x7b ? new Set() : undefined)
      if (scopes.length > MAX_NESTING) {
        throw envError('MALFORMED_MESSAGE', `the message nests deeper than ${MAX_NESTING} levels`)
      }
    } else if (char === 0x7d || char === 0x5d) scopes.pop()
    else if (char === 0x22) {
      const end = endOfString(text, at)
      const keys = scopes.at(-1)
      if (keys !== undefined && isKey(text, end)) addKey(keys, text.slice(at, end))
      at = end
      continue
    }
    at++
  }
}

/** The index after the closing quote of the string that starts at `at`. */
function endOfString(text: string, at: number): number {
  let end = text.indexOf('"', at + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
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
  const key = JSON.parse(quoted) as string
  if (keys.has(key)) throw envError('MALFORMED_MESSAGE', 'an object of the message has the same key twice')
  keys.add(key)
}
