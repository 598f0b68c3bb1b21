/** What a stretch of text means; colours follow from it. */
export type Meaning = 'plain' | 'title' | 'faded' | 'ghost' | 'clearing' | 'blocked' | 'warning' | 'filled'

/** A stretch of text with one meaning. */
export interface Span {
  readonly text: string
  readonly meaning: Meaning
}

/** A line of the screen. */
export type Line = readonly Span[]

/** ANSI colours and weights (ECMA-48 SGR). */
const CODES: { readonly [meaning in Meaning]: string } = {
  plain: '',
  title: '1',
  faded: '2',
  ghost: '1;32',
  clearing: '1;33',
  blocked: '1;31',
  warning: '31',
  filled: '36',
}

export function span(text: string, meaning: Meaning = 'plain'): Span {
  return { text, meaning }
}

export function line(text: string, meaning: Meaning = 'plain'): Line {
  return [span(text, meaning)]
}

/** The length of a line in columns. */
export function widthOf(spans: Line): number {
  return spans.reduce((sum, { text }) => sum + text.length, 0)
}

/** A line cut or filled up to a width. */
export function padTo(spans: Line, width: number): Line {
  const padded: Span[] = []
  let left = width
  for (const { text, meaning } of spans) {
    if (left <= 0) break
    padded.push({ text: text.slice(0, left), meaning })
    left -= text.length
  }
  return left > 0 ? [...padded, span(' '.repeat(left))] : padded
}

/** The lines of a text at most `width` wide, broken at spaces where that can be. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let rest = text
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width)
    const end = space > 0 ? space : width
    lines.push(rest.slice(0, end))
    rest = rest.slice(end).trimStart()
  }
  return [...lines, rest]
}

/** A line as bytes for a terminal; without colour it is the text alone. */
export function render(spans: Line, colour: boolean): string {
  return spans
    .map(({ text, meaning }) => (colour && CODES[meaning] ? `\x1b[${CODES[meaning]}m${text}\x1b[0m` : text))
    .join('')
    .trimEnd()
}
