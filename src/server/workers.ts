import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import type { Config } from '../config/config.ts'
import type { Logger } from '../core/logger.ts'
import { createInProcessRateLimiter } from '../rate-limit/in-process.ts'
import type { RateLimitWindows } from '../rate-limit/rate-limiter.ts'
import { writeAddresses } from './address-file.ts'
import { bootstrap } from './bootstrap.ts'
import { startOpsServer } from './ops-server.ts'
import { requirePorts } from './ports.ts'
import type { Readiness } from './readiness.ts'
import { createWorkerChannel, type ProcessChannel, type WorkerChannel } from './worker-channel.ts'

type Ports = { grpcPort: number; httpPort: number; consolePort: number | undefined }

/** A worker, as the primary sees it. */
type WorkerHandle = {
  worker: Worker
  channel: WorkerChannel
  started: Promise<Ports>
  exited: Promise<unknown>
}

/** Milliseconds before a worker that has died is replaced. */
const restartDelay = 500

/** Milliseconds that workers have to drain: 30 seconds for calls and the rest for the database. */
const drainTimeout = 45_000

/**
 * Starts the primary of WORKERS processes. It bootstraps the database, replaces workers that die,
 * counts their rate limits if there is no Redis, and serves the operators' port for all of them.
 */
export async function startWorkers(config: Config, log: Logger) {
  await requirePorts(config)
  const { databaseUrl, stop: stopDatabase } = await bootstrap(config, log)
  const rateLimiter = createInProcessRateLimiter()
  const workers = new Set<WorkerHandle>()
  let isStopping = false
  cluster.setupPrimary({ exec: join(import.meta.dirname, '../main.ts') })

  function fork(): WorkerHandle {
    const worker = cluster.fork({ DATABASE_URL: databaseUrl })
    const started = Promise.withResolvers<Ports>()
    started.promise.catch(() => {})
    const channel = createWorkerChannel(worker as unknown as ProcessChannel, {
      take: ({ client, windows }: { client: string; windows: RateLimitWindows }) =>
        rateLimiter.take(client, windows),
      started: async (ports: Ports) => started.resolve(ports),
    })
    const exited = once(worker, 'exit')
    // Sending to a worker that has just died emits an error event.
    worker.on('error', () => channel.close())
    const handle = { worker, channel, exited, started: started.promise }
    workers.add(handle)
    exited.then(async ([code, signal]) => {
      workers.delete(handle)
      channel.close()
      started.reject(new Error(`A worker exited before it was listening (${signal ?? code})`))
      if (isStopping) return
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
    await Promise.all(
      [...workers].map(async ({ worker, channel, exited }) => {
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
      async readMetrics() {
        const channels = [...workers].map(({ channel }) => channel)
        const metrics = await Promise.all(channels.map((channel) => channel.request('metrics')))
        return AggregatorRegistry.aggregate(metrics as object[]).metrics()
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
 * Returns the readiness of the server: it is ready if all wanted workers are. The details describe
 * a worker that is not ready, if there is one.
 */
async function readReadiness(workers: Set<WorkerHandle>, wanted: number, draining: boolean) {
  const requests = [...workers].map(
    ({ channel }) => channel.request('readiness') as Promise<Readiness>,
  )
  const states = (await Promise.allSettled(requests)).flatMap((result) =>
    result.status === 'fulfilled' ? [result.value] : [],
  )
  const readyCount = states.filter(({ ready }) => ready).length
  const worst = states.find(({ ready }) => !ready) ?? states[0]
  const ready = !draining && readyCount === wanted
  return { ...worst, ready, draining, workers: { ready: readyCount, wanted } }
}
