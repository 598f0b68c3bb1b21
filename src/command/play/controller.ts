import type { Refusal } from '../../env/game.ts'
import { Cursor } from './cursor.ts'
import type { PlayedGame } from './played-game.ts'
import { pointsText, screenLines } from './screen.ts'
import type { Line } from './style.ts'

/** What a game in a terminal needs from outside. */
export interface PlayHost {
  /** The best score so far; undefined when there is none. */
  readonly best: number | undefined
  /** Keeps the score of a game that is over. */
  keepBest(score: number): void
  /** Saves the game and returns what went wrong, if anything did; undefined when no file was named. */
  readonly save: ((replay: string) => string | undefined) | undefined
}

const ARROWS: { readonly [key: string]: readonly [number, number] } = {
  up: [-1, 0],
  down: [1, 0],
  left: [0, -1],
  right: [0, 1],
}

/** The keys that every game has; a game's own keys are others. */
export const COMMON_KEYS: readonly string[] = ['q', 'u', 's', 'tab', 'shift-tab', 'enter', 'space', 'ctrl-c']

/** Turns keys into actions and the game into lines; knows no terminal. */
export class Controller {
  readonly #game: PlayedGame
  readonly #host: PlayHost
  readonly #cursor: Cursor
  #message: string | undefined

  constructor(game: PlayedGame, host: PlayHost) {
    this.#game = game
    this.#host = host
    this.#cursor = new Cursor(game)
    if (game.isOver) this.#atTheEnd()
  }

  /** The screen for a size in characters. */
  lines(columns: number, rows: number): Line[] {
    const around = {
      best: this.#host.best,
      message: this.#message,
      canSave: this.#host.save !== undefined,
    }
    return screenLines(this.#game, this.#cursor, around, columns, rows)
  }

  /** Takes a key; returns whether the player wants to leave. */
  press(key: string): boolean {
    this.#message = undefined
    const binding = this.#game.made.instance.keys?.find((candidate) => candidate.key === key)
    if (binding !== undefined) this.#play(binding.action)
    else if (key === 'q' || key === 'ctrl-c') return true
    else if (key === 'u') this.#undo()
    else if (key === 's') this.#save()
    else this.#point(key)
    return false
  }

  #point(key: string): void {
    const cursor = this.#cursor
    const arrow = Object.hasOwn(ARROWS, key) ? ARROWS[key] : undefined
    if (arrow !== undefined) cursor.move(...arrow)
    else if (key === 'tab') cursor.turn(1)
    else if (key === 'shift-tab') cursor.turn(-1)
    else if (/^[1-9]$/.test(key)) cursor.choose(Number(key) - 1)
    else if ((key === 'enter' || key === 'space') && cursor.action !== undefined) this.#play(cursor.action)
  }

  #play(action: number): void {
    const before = this.#game.summary.score as number
    const refusal = this.#game.play(action)
    if (refusal !== undefined) {
      this.#refuse(action, refusal)
      return
    }
    this.#cursor.settle()
    const gained = (this.#game.summary.score as number) - before
    if (gained > 0) this.#message = `${this.#game.made.instance.native.name(action)}: ${pointsText(gained)}.`
    if (this.#game.isOver) this.#atTheEnd()
  }

  #refuse(action: number, { reason, message }: Refusal): void {
    const name = this.#game.made.instance.native.name(action)
    this.#message = `Refused, ${name} (${reason}): ${message}`
  }

  #atTheEnd(): void {
    this.#message = undefined
    this.#host.keepBest(this.#game.summary.score as number)
  }

  #undo(): void {
    if (this.#game.undo()) this.#cursor.settle()
    else this.#message = 'There is nothing to take back.'
  }

  #save(): void {
    if (this.#host.save === undefined) {
      this.#message = 'Start with --save FILE to save the game.'
      return
    }
    this.#message = this.#host.save(this.#game.toReplay()) ?? 'Saved.'
  }
}
