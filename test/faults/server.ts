import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { exitCode, type JsonObject, SERVER } from '../transport/connect.ts'

/** A `serve` process with its metrics, for tests of faults. */
export interface WatchedServer {
  readonly child: ChildProcess
  /** As a client takes it. */
  readonly address: string
  /** Every line of standard error so far, parsed. */
  readonly log: readonly JsonObject[]
  /** A figure of the metrics page by its name, with labels as they are written there; 0 when it is not there. */
  metric(name: string): Promise<number>
  /** The whole metrics page. */
  metricsPage(): Promise<string>
  stop(): Promise<number | null>
}

/** Starts `serve` with metrics on a free port; `address` is where to listen, a free TCP port by default. */
export async function startWatched(
  args: readonly string[] = [],
  address = '127.0.0.1:0',
): Promise<WatchedServer> {
  const command = [SERVER, 'serve', '--listen', address, '--metrics', '127.0.0.1:0', ...args]
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'ignore', 'pipe'] })
  const log: JsonObject[] = []
  const ready = await new Promise<JsonObject>((resolve, reject) => {
    createInterface({ input: child.stderr! }).on('line', (line) => {
      const entry = JSON.parse(line) as JsonObject
      log.push(entry)
      if (entry.msg === 'serving') resolve(entry)
    })
    child.once('exit', (code) => reject(new Error(`the server exited with ${code}`)))
  })
  const metricsPage = async () => (await fetch(`http://127.0.0.1:${ready.metricsPort}/metrics`)).text()
  return {
    child,
    address: ready.listen as string,
    log,
    metricsPage,
    metric: async (name) => readMetric(await metricsPage(), name),
    stop: async () => {
      child.kill('SIGTERM')
      return exitCode(child)
    },
  }
}

function readMetric(page: string, name: string): number {
  const line = page.split('\n').find((candidate) => candidate.startsWith(`${name} `))
  return line === undefined ? 0 : Number(line.slice(name.length + 1))
}

/** A fresh path for a unix socket. */
export function socketPath(): string {
  return join(mkdtempSync(join(tmpdir(), 'blockloom-')), 'server.sock')
}

/** Resident memory of a process, in MiB. */
export function residentMib(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
}

/** Resolves once a condition holds; fails when it does not within a limit. */
export async function until(holds: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<void> {
  const end = performance.now() + limitMs
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${limitMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** What a promise gives; fails when it does not within a limit. */
export async function within<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${limitMs} ms`)), limitMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
