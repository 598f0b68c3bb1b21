/** How much of each row is done: everything, or enough to see that nothing is broken. */
export interface Scale {
  readonly short: boolean
  /** The number for the full form, or a part of it for the short one. */
  count(full: number, short: number): number
}

/** What a row of the table came to; `by list` is less than was wanted, and says so in its figure. */
export interface Outcome {
  readonly ok: boolean | 'by list'
  readonly figure: string
}

/** A row of the table: what is tried, what it must come to, and how it is tried. */
export interface Row {
  readonly what: string
  readonly wanted: string
  run(scale: Scale): Promise<Outcome>
}

/** The value below which a share of sorted values lies. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
