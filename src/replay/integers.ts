/**
 * JSON.parse loses what replays depend on: the digits of a long seed, and whether a number was written as an
 * integer. This walk over the text, which is known to be JSON, finds both.
 */

const INTEGER = /^(0|-?[1-9][0-9]*)$/

/** What the numbers of a replay look like in its text. */
export interface NumberScan {
  /** The text of the number that is the value of the top-level key `seed`; undefined when it is no number. */
  readonly seed: string | undefined
  /** By top-level key, the first list index (0 outside of lists) with a number that is no plain integer. */
  readonly notIntegers: ReadonlyMap<string, number>
}

/** Scans the text of a JSON object. */
export function scanNumbers(text: string): NumberScan {
  const notIntegers = new Map<string, number>()
  let seed: string | undefined
  let depth = 0
  let key = ''
  let index = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (char === '{' || char === '[') {
      depth++
      if (depth === 2) index = 0
    } else if (char === '}' || char === ']') depth--
    else if (char === ',') {
      if (depth === 2) index++
    } else if (char === '"') {
      const end = endOfString(text, at)
      if (depth === 1 && isKey(text, end)) {
        key = JSON.parse(text.slice(at, end)) as string
        index = 0
      }
      at = end - 1
    } else if (char === '-' || (char >= '0' && char <= '9')) {
      const token = numberAt(text, at)
      if (depth === 1 && key === 'seed') seed = token
      if (!INTEGER.test(token) && !notIntegers.has(key)) notIntegers.set(key, index)
      at += token.length - 1
    }
  }
  return { seed, notIntegers }
}

function numberAt(text: string, from: number): string {
  let end = from + 1
  while (end < text.length && '0123456789+-.eE'.includes(text[end]!)) end++
  return text.slice(from, end)
}

/** The index after the closing quote of the string that starts at `from`. */
function endOfString(text: string, from: number): number {
  let at = from + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

/** Whether the string that ends before `end` is followed by a colon. */
function isKey(text: string, end: number): boolean {
  let at = end
  while (' \t\n\r'.includes(text[at] ?? 'x')) at++
  return text[at] === ':'
}
