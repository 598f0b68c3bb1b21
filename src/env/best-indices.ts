/**
 * Writes the indices of the `most` highest of the first `count` values into `out`, highest first; among equal
 * values the lower index comes first. Returns how many there are.
 */
export function bestIndices(values: Float64Array, count: number, most: number, out: Int32Array): number {
  // A heap with the worst of the best at its root, so that most values are turned away by one comparison.
  const size = Math.min(count, most)
  for (let i = 0; i < size; i++) out[i] = i
  for (let at = (size >> 1) - 1; at >= 0; at--) sink(values, out, at, size)
  for (let i = size; i < count; i++) {
    if (values[i]! <= values[out[0]!]!) continue
    out[0] = i
    sink(values, out, 0, size)
  }
  for (let end = size - 1; end > 0; end--) {
    const worst = out[0]!
    out[0] = out[end]!
    out[end] = worst
    sink(values, out, 0, end)
  }
  return size
}

function isWorse(values: Float64Array, a: number, b: number): boolean {
  return values[a]! < values[b]! || (values[a]! === values[b]! && a > b)
}

function sink(values: Float64Array, heap: Int32Array, start: number, size: number): void {
  let at = start
  const moved = heap[at]!
  for (;;) {
    let child = 2 * at + 1
    if (child >= size) break
    if (child + 1 < size && isWorse(values, heap[child + 1]!, heap[child]!)) child++
    if (!isWorse(values, heap[child]!, moved)) break
    heap[at] = heap[child]!
    at = child
  }
  heap[at] = moved
}
