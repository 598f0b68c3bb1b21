/**
 * Measures engines for `npm run bench`: reads a line of JSON a question from standard input, answers with one.
 * `{"game":"Stackcraft-v1","rows":1024,"form":"packed","seconds":1}` gives `{"steps":..,"seconds":..}`,
 * `{"game":"Stackcraft-v1","rows":16,"check":500}` gives `{"digest":"afdec8ed"}`,
 * `{"bags":1024,"seconds":1}` gives Stackcraft's bags, of as many streams in turn, as `{"steps":..,"seconds":..}`.
 */
import { createInterface } from 'node:readline'
import { createStream, draw, startStream } from '../src/games/stackcraft/deal.ts'
import { EngineLoop, type Form, processorSeconds } from './engine-loop.ts'

interface Question {
  readonly game?: string
  readonly rows?: number
  readonly form?: Form
  readonly seconds?: number
  readonly check?: number
  readonly bags?: number
}

const loops = new Map<string, EngineLoop>()

function answer({ game, rows = 1024, form = 'packed', seconds = 1, check, bags }: Question): object {
  if (bags !== undefined) return measureBags(bags, seconds)
  if (check !== undefined) return { digest: new EngineLoop(game!, rows).check(check) }
  const key = `${game} ${rows} ${form}`
  const loop = loops.get(key) ?? new EngineLoop(game!, rows)
  loops.set(key, loop)
  return loop.measure(seconds, form)
}

function measureBags(count: number, seconds: number): object {
  const streams = Array.from({ length: count }, (_, i) => {
    const stream = createStream()
    startStream(stream, `3${String(i).padStart(18, '0')}`)
    draw(stream)
    return stream
  })
  const start = processorSeconds()
  let bags = 0
  for (; processorSeconds() - start < seconds; bags += count) {
    for (let piece = 0; piece < 7; piece++) for (const stream of streams) draw(stream)
  }
  return { steps: bags, seconds: processorSeconds() - start }
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(answer(JSON.parse(line) as Question)))
}
