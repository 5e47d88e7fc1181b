import cluster, { type Worker } from 'node:cluster'
import { extname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../core/logger.ts'
import { createInProcessRateLimiter } from '../rate-limit/in-process.ts'
import type { RateLimitWindows } from '../rate-limit/rate-limiter.ts'
import { writeAddresses } from './address-file.ts'
import { bootstrap } from './bootstrap.ts'
import type { Config } from './config.ts'
import { createConnectionQueue } from './connection-queue.ts'
import {
  createMetricsOfWorkers,
  onlyCounters,
  type WorkerMetrics,
} from './observability/worker-metrics.ts'
import { startOpsServer } from './ops-server.ts'
import { requirePorts } from './ports.ts'
import type { Readiness } from './readiness.ts'
import { createWorkerChannel, type ProcessChannel, type WorkerChannel } from './worker-channel.ts'

type Ports = { grpcPort: number; httpPort: number; featurePorts: Record<string, number> }

/** A worker, as the primary sees it. */
type WorkerHandle = {
  worker: Worker
  channel: WorkerChannel
  started: Promise<Ports>
  hasStarted: boolean
  /** The number of pings, one a second, since the last response. */
  silentSeconds: number
  /** The metrics of the last scrape. */
  lastMetrics: WorkerMetrics | undefined
  exited: Promise<unknown>
}

/** Milliseconds before a worker that has died is replaced. */
const restartDelay = 500

/** Milliseconds between pings. */
const pingInterval = 1000

/**
 * Seconds without a response after which a worker is killed. A worker that starts loads its code,
 * which blocks it for longer on a busy machine.
 * See docs/decisions/operation.md#workers-that-hang.
 */
const maxSilence = { started: 15, starting: 300 }

/** Pings without a response after which a worker gets no connections: one, for a second. */
const maxAcceptingSilence = 2

/** Seconds without a response after which probes no longer wait for a worker. */
const maxProbedSilence = 3

/**
 * Milliseconds for which probes wait for a worker: longer than for PostgreSQL, and shorter than the
 * timeout of probes in the Helm chart.
 */
const probeTimeout = 2500

/** Milliseconds that workers have to drain: 30 seconds for calls and the rest for the database. */
const drainTimeout = 45_000

/**
 * Starts the primary of WORKERS processes. It bootstraps the database, replaces workers that die or
 * hang, counts their rate limits if there is no Redis, and serves the operators' port for all of them.
 */
export async function startWorkers(config: Config, log: Logger) {
  await requirePorts(config)
  const { databaseUrl, stop: stopDatabase } = await bootstrap(config, log)
  const rateLimiter = createInProcessRateLimiter()
  const workers = new Set<WorkerHandle>()
  const metrics = createMetricsOfWorkers()
  const connections = createConnectionQueue()
  let isStopping = false
  // In the package, it is JavaScript.
  const main = `../main${extname(import.meta.filename)}`
  cluster.setupPrimary({ exec: join(import.meta.dirname, main) })

  function fork(): WorkerHandle {
    const worker = cluster.fork({ DATABASE_URL: databaseUrl })
    connections.follow(worker, () => isSilent(handle))
    const started = Promise.withResolvers<Ports>()
    started.promise.catch(() => {})
    const channel = createWorkerChannel(worker as unknown as ProcessChannel, {
      take: ({ client, windows }: { client: string; windows: RateLimitWindows }) =>
        rateLimiter.take(client, windows),
      stopAccepting: () => connections.stopAccepting(),
      async started(ports: Ports) {
        handle.hasStarted = true
        handle.silentSeconds = 0
        started.resolve(ports)
      },
    })
    // `once` of node:events would reject if sending to a worker that has just died fails.
    const exited = new Promise<[number, string]>((resolve) => {
      worker.once('exit', (code, signal) => resolve([code, signal]))
    })
    // Sending to a worker that has just died emits an error event.
    worker.on('error', () => channel.close())
    const handle: WorkerHandle = {
      worker,
      channel,
      exited,
      started: started.promise,
      hasStarted: false,
      silentSeconds: 0,
      lastMetrics: undefined,
    }
    workers.add(handle)
    let isUnresponsive = false
    const stopWatching = watchSilence(handle, {
      onSilence() {
        log.warn({ worker: worker.id }, 'A worker does not respond, and gets no new connections')
      },
      onHang() {
        isUnresponsive = true
        log.error({ worker: worker.id }, 'A worker does not respond and is killed')
        worker.process.kill('SIGKILL')
      },
    })
    exited.then(async ([code, signal]) => {
      workers.delete(handle)
      stopWatching()
      metrics.keepCounters(handle.lastMetrics)
      channel.close()
      started.reject(new Error(`A worker exited before it was listening (${signal ?? code})`))
      if (isStopping) return
      metrics.countReplacement(isUnresponsive ? 'unresponsive' : 'exited')
      log.error({ worker: worker.id, code, signal }, 'A worker died and will be replaced')
      await sleep(restartDelay)
      if (!isStopping) fork()
    })
    return handle
  }

  async function stop() {
    isStopping = true
    removeAddresses()
    const timeout = setTimeout(kill, config.DRAIN_DELAY_SECONDS * 1000 + drainTimeout)
    const running = [...workers]
    // Clients whose connections end open new ones, which another worker must not accept.
    await Promise.allSettled(running.map(({ channel }) => channel.request('stopListening')))
    await Promise.all(
      running.map(async ({ worker, channel, exited }) => {
        // Kill a worker that cannot be reached or fails to drain.
        await channel.request('drain').catch(() => worker.process.kill('SIGKILL'))
        await exited
      }),
    )
    clearTimeout(timeout)
    await opsServer?.stop()
    await stopDatabase()
  }

  async function reload() {
    await Promise.allSettled([...workers].map(({ channel }) => channel.request('reload')))
  }

  function kill() {
    isStopping = true
    for (const { worker } of workers) worker.process.kill('SIGKILL')
  }

  let removeAddresses = () => {}
  let opsServer: Awaited<ReturnType<typeof startOpsServer>> | undefined
  try {
    const first = Array.from({ length: config.WORKERS }, fork)
    const [ports] = (await Promise.all(first.map(({ started }) => started))) as [Ports]
    opsServer = await startOpsServer({
      host: config.GRPC_HOST,
      port: config.METRICS_PORT,
      readMetrics() {
        const readiness = readReadiness(workers, config.WORKERS, isStopping)
        const isReady = readiness.then(({ ready }) => ready)
        return metrics.sum(Array.from(workers, readMetrics), isReady)
      },
      readReadiness: () => readReadiness(workers, config.WORKERS, isStopping),
    })
    removeAddresses = writeAddresses(config, ports.grpcPort)
    return { ...ports, metricsPort: opsServer.port, reload, stop, kill }
  } catch (error) {
    kill()
    await stop()
    throw error
  }
}

/**
 * Pings a worker, and calls back when it falls silent, and once it has been silent for too long. Counts pings instead of
 * measuring time, so that a worker is not blamed for a pause of the primary or of the machine.
 */
function watchSilence(
  handle: WorkerHandle,
  { onSilence, onHang }: { onSilence: () => void; onHang: () => void },
): () => void {
  const timer = setInterval(() => {
    const limit = handle.hasStarted ? maxSilence.started : maxSilence.starting
    if (handle.silentSeconds >= limit) {
      clearInterval(timer)
      return onHang()
    }
    handle.silentSeconds += 1
    if (handle.hasStarted && handle.silentSeconds === maxAcceptingSilence) onSilence()
    // A worker that does not listen to its channel yet never responds to this ping.
    handle.channel.request('ping').then(
      () => {
        handle.silentSeconds = 0
      },
      () => {},
    )
  }, pingInterval)
  return () => clearInterval(timer)
}

/** Whether a worker that has started does not respond now. */
function isSilent({ hasStarted, silentSeconds }: WorkerHandle): boolean {
  return hasStarted && silentSeconds >= maxAcceptingSilence
}

/** Sends a request to a worker unless it is starting or silent. Rejects if there is no response. */
async function ask(worker: WorkerHandle, kind: string): Promise<unknown> {
  if (!worker.hasStarted) throw new Error('the worker is starting')
  if (worker.silentSeconds >= maxProbedSilence) throw new Error('the worker does not respond')
  return worker.channel.request(kind, undefined, probeTimeout)
}

/** Returns the metrics of a worker, or its last counters if it does not respond. */
async function readMetrics(worker: WorkerHandle): Promise<WorkerMetrics> {
  try {
    worker.lastMetrics = (await ask(worker, 'metrics')) as WorkerMetrics
    return worker.lastMetrics
  } catch {
    return onlyCounters(worker.lastMetrics ?? [])
  }
}

/**
 * Returns the readiness of the server: it is ready if all wanted workers are. The details describe
 * a worker that is not ready, if there is one.
 */
async function readReadiness(workers: Set<WorkerHandle>, wanted: number, draining: boolean) {
  const requests = Array.from(workers, (worker) => ask(worker, 'readiness') as Promise<Readiness>)
  const states = (await Promise.allSettled(requests)).flatMap((result) =>
    result.status === 'fulfilled' ? [result.value] : [],
  )
  const readyCount = states.filter(({ ready }) => ready).length
  const worst = states.find(({ ready }) => !ready) ?? states[0]
  const ready = !draining && readyCount === wanted
  return { ...worst, ready, draining, workers: { ready: readyCount, wanted } }
}
