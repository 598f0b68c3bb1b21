/**
 * Work that can take long, in slices: it yields after a few rows, actions or the like, and whoever drives it may turn
 * to something else before it goes on. Whatever is done between two slices, the result is the same.
 */
export type Slices<Result> = Generator<undefined, Result, undefined>

/** What is done in one go; it is the slices' result that counts. */
export function finish<Result>(work: Slices<Result>): Result {
  for (;;) {
    const slice = work.next()
    if (slice.done === true) return slice.value
  }
}

/** Goes on until the work is done or a time of `performance.now()` has passed; says whether it is done. */
export function workUntil<Result>(work: Slices<Result>, endMs: number): IteratorResult<undefined, Result> {
  for (;;) {
    const slice = work.next()
    if (slice.done === true || performance.now() >= endMs) return slice
  }
}
