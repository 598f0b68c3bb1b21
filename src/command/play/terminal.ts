import { writeSync } from 'node:fs'
import { emitKeypressEvents, type Key } from 'node:readline'
import { type Line, render } from './style.ts'

/** xterm's alternate screen and cursor, as every terminal in use knows them. */
const ENTER = '\x1b[?1049h\x1b[?25l'
const LEAVE = '\x1b[?25h\x1b[?1049l'

/** A terminal in raw mode; `close` gives it back as it was, and closing twice does no harm. */
export class Terminal {
  readonly #input: typeof process.stdin
  readonly #output: typeof process.stdout
  readonly #colour: boolean
  #open = false

  constructor(input: typeof process.stdin, output: typeof process.stdout, colour: boolean) {
    this.#input = input
    this.#output = output
    this.#colour = colour
  }

  get columns(): number {
    return this.#output.columns || 80
  }

  get rows(): number {
    return this.#output.rows || 24
  }

  /** Takes the terminal over. Whatever ends the process later, it is given back. */
  open(): void {
    if (this.#open) return
    this.#open = true
    process.once('exit', this.close)
    this.#input.setRawMode(true)
    this.#write(ENTER)
  }

  readonly close = (): void => {
    if (!this.#open) return
    this.#open = false
    process.off('exit', this.close)
    this.#write(LEAVE)
    this.#input.setRawMode(false)
  }

  /** Calls back with the name of each key, and once when the input ends. */
  listen(onKey: (key: string) => void, onEnd: () => void): void {
    emitKeypressEvents(this.#input)
    this.#input.on('keypress', (text: string | undefined, key: Key) => onKey(keyName(text, key)))
    this.#input.on('end', onEnd)
    this.#input.on('error', onEnd)
    this.#input.resume()
  }

  /** Draws a screen over the old one. */
  draw(lines: readonly Line[]): void {
    if (!this.#open) return
    const text = lines.slice(0, this.rows).map((spans) => `${render(spans, this.#colour)}\x1b[K`)
    this.#write(`\x1b[H${text.join('\r\n')}\x1b[J`)
  }

  /** Written at once, so that nothing is lost when the process ends; a terminal that is gone is done without. */
  #write(text: string): void {
    const bytes = Buffer.from(text)
    let at = 0
    try {
      while (at < bytes.length) at += writeSync(this.#output.fd, bytes, at)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EAGAIN') this.#output.write(bytes.subarray(at))
      else if (code !== 'EIO' && code !== 'EPIPE') throw error
    }
  }
}

/** `up`, `tab`, `shift-tab`, `enter`, `ctrl-c`, ... or the character. */
function keyName(text: string | undefined, { name, ctrl, shift }: Key): string {
  if (ctrl && name !== undefined) return `ctrl-${name}`
  if (name === 'return' || name === 'enter') return 'enter'
  if (name === 'tab') return shift ? 'shift-tab' : 'tab'
  if (text === undefined || text.length !== 1 || text < ' ') return name ?? ''
  return text === ' ' ? 'space' : text
}
