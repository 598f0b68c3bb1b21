import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { exitCode, type JsonObject, SERVER } from '../../test/transport/connect.ts'

/** Loaded into the server before its own code: collects garbage and tells the heap's size on SIGUSR2. */
const REPORTER = `
  process.on('SIGUSR2', () => {
    gc()
    gc()
    process.stderr.write(JSON.stringify({ msg: 'heap', bytes: process.memoryUsage().heapUsed }) + '\\n')
  })
`

/** A `serve` process whose heap can be measured right after a collection. */
export class HeapServer {
  readonly child: ChildProcess
  readonly address: string
  readonly metricsUrl: string
  readonly #waiting: ((bytes: number) => void)[]

  private constructor(child: ChildProcess, ready: JsonObject, waiting: ((bytes: number) => void)[]) {
    this.child = child
    this.address = ready.listen as string
    this.metricsUrl = `http://127.0.0.1:${ready.metricsPort}/metrics`
    this.#waiting = waiting
  }

  static async start(args: readonly string[] = []): Promise<HeapServer> {
    const reporter = join(mkdtempSync(join(tmpdir(), 'blockloom-')), 'reporter.cjs')
    writeFileSync(reporter, REPORTER)
    const command = ['--expose-gc', '--require', reporter, SERVER, 'serve', '--listen', '127.0.0.1:0']
    const child = spawn(process.execPath, [...command, '--metrics', '127.0.0.1:0', ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const waiting: ((bytes: number) => void)[] = []
    const ready = await new Promise<JsonObject>((resolve, reject) => {
      createInterface({ input: child.stderr! }).on('line', (line) => {
        const entry = JSON.parse(line) as JsonObject
        if (entry.msg === 'serving') resolve(entry)
        if (entry.msg === 'heap') waiting.shift()?.(entry.bytes as number)
      })
      child.once('exit', () => reject(new Error('the server ended')))
    })
    return new HeapServer(child, ready, waiting)
  }

  /** Bytes of the heap that are in use after a collection. */
  heap(): Promise<number> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.child.kill('SIGUSR2')
    })
  }

  async metric(name: string): Promise<number> {
    const page = await (await fetch(this.metricsUrl)).text()
    const line = page.split('\n').find((candidate) => candidate.startsWith(`${name} `))
    return line === undefined ? 0 : Number(line.slice(name.length + 1))
  }

  stop(): Promise<number | null> {
    this.child.kill('SIGTERM')
    return exitCode(this.child)
  }
}
