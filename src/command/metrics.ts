import { createServer, type Server } from 'node:http'
import type { Registry } from 'prom-client'
import type { Host, Observer } from '../session/session.ts'
import {
  cannotListen,
  grpcTarget,
  isLoopback,
  parseListenAddress,
  StartError,
} from '../transport/listen-address.ts'

/** Upper bounds of the latency histogram, in seconds. */
const LATENCY_BUCKETS = [1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1]

/** What the server counts, and how it is read. */
export interface Metrics {
  readonly observer: Observer
  /** Serves the figures, those of a host's open sessions among them; resolves to the port. */
  listen(host: Host): Promise<number>
  close(): void
}

/** Prepares metrics for `HOST:PORT`; throws StartError for an address that other machines can reach. */
export async function createMetrics(listen: string): Promise<Metrics> {
  const address = parseListenAddress(listen, '--metrics')
  if (address.kind !== 'tcp' || !isLoopback(address)) {
    throw new StartError(`--metrics is ${JSON.stringify(listen)}; allowed: HOST:PORT of this machine only`)
  }
  // Loaded here, because most servers have no use for it.
  const prometheus = await import('prom-client')
  const register = new prometheus.Registry()
  prometheus.collectDefaultMetrics({ register })
  const observer = createObserver(prometheus, register)
  const server = createHttpServer(register)
  return {
    observer,
    listen: (host) => {
      addGauges(prometheus, register, host)
      return listenOn(server, address.host, address.port)
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function createObserver(prometheus: typeof import('prom-client'), register: Registry): Observer {
  const registers = [register]
  const seconds = new prometheus.Histogram({
    name: 'blockloom_request_seconds',
    help: 'Time from a request to its answer within the server, by call; refused requests have the call "refused".',
    labelNames: ['call'],
    buckets: LATENCY_BUCKETS,
    registers,
  })
  const steps = new prometheus.Counter({
    name: 'blockloom_steps_total',
    help: 'Rows stepped, also by Play.',
    registers,
  })
  const refusals = new prometheus.Counter({
    name: 'blockloom_refusals_total',
    help: 'Requests refused, and actions that steps and Play refused, by reason.',
    labelNames: ['reason'],
    registers,
  })
  const opened = new prometheus.Counter({
    name: 'blockloom_sessions_opened_total',
    help: 'Sessions opened.',
    registers,
  })
  return {
    answered: (call, rows, duration) => {
      seconds.observe({ call }, duration)
      if (rows > 0) steps.inc(rows)
    },
    refused: (reason, duration) => {
      seconds.observe({ call: 'refused' }, duration)
      refusals.inc({ reason })
    },
    actionRefused: (reason) => refusals.inc({ reason }),
    sessionOpened: () => opened.inc(),
    sessionClosed: () => undefined,
  }
}

function addGauges(prometheus: typeof import('prom-client'), register: Registry, host: Host): void {
  for (const [what, help] of [
    ['sessions', 'Sessions open now.'],
    ['envs', 'Environments open now.'],
    ['rows', 'Rows of the environments open now.'],
  ] as const) {
    new prometheus.Gauge({
      name: `blockloom_${what}`,
      help,
      registers: [register],
      collect() {
        this.set(host.open[what])
      },
    })
  }
}

function createHttpServer(register: Registry): Server {
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    const text = await register.metrics()
    response.writeHead(200, { 'content-type': register.contentType }).end(text)
  })
  server.maxConnections = 16
  server.requestTimeout = 10_000
  return server
}

function listenOn(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(cannotListen(grpcTarget({ kind: 'tcp', host, port }), error, 'serve metrics'))
    })
    server.listen(port, host, () => {
      const bound = server.address()
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port)
    })
  })
}
