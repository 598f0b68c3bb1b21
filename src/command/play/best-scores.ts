import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ReplayGame } from '../../replay/format.ts'

/** Where best scores are kept: the user's data folder, as the XDG base directory specification says. */
export function bestScoresFile(env: NodeJS.ProcessEnv): string {
  const data = env.XDG_DATA_HOME
  const folder = data?.startsWith('/') ? data : join(homedir(), '.local', 'share')
  return join(folder, 'blockloom', 'best-scores.json')
}

/** The name of a game's best score: the id, and the configuration where it is not the default. */
export function bestScoreKey({ game, config }: ReplayGame): string {
  const changed = Object.entries(config).filter(([key, value]) => game.configSchema[key]?.default !== value)
  return [game.id, ...changed.map(([key, value]) => `${key}=${value}`)].join(' ')
}

/** Best scores by name, in one small file; one that cannot be read or written is done without. */
export class BestScores {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  get(key: string): number | undefined {
    const scores = this.#read()
    return Object.hasOwn(scores, key) ? scores[key] : undefined
  }

  /** Keeps a score if it is the best. */
  offer(key: string, score: number): void {
    const best = this.get(key)
    if (best !== undefined && best >= score) return
    try {
      mkdirSync(dirname(this.#file), { recursive: true })
      const next = `${this.#file}.${process.pid}`
      writeFileSync(next, `${JSON.stringify({ ...this.#read(), [key]: score }, null, 2)}\n`)
      renameSync(next, this.#file)
    } catch {
      // A game is not to end for a folder that cannot be written.
    }
  }

  #read(): { readonly [key: string]: number } {
    try {
      const json: unknown = JSON.parse(readFileSync(this.#file, 'utf8'))
      if (typeof json !== 'object' || json === null) return {}
      return Object.fromEntries(Object.entries(json).filter(([, score]) => Number.isSafeInteger(score)))
    } catch {
      return {}
    }
  }
}
