import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import type { Config } from '../config.ts'
import { createInProcessWindows } from '../limits/in-process.ts'
import type { WindowList } from '../limits/windows.ts'
import type { Logger } from '../log.ts'
import { type Channel, createExchange, type Exchange } from './exchange.ts'
import { layGround } from './ground.ts'
import { startMonitor } from './monitor.ts'
import type { Readiness } from './readiness.ts'

type Ports = { grpcPort: number; httpPort: number }

/** A worker as the primary knows it. */
type Hand = { worker: Worker; exchange: Exchange; started: Promise<Ports>; ended: Promise<unknown> }

/** Milliseconds before a worker that died is replaced. */
const pause = 500

/** Milliseconds for workers to drain: theirs, and some for storage. */
const patience = 45_000

/**
 * The primary of WORKERS processes: it lays the ground, keeps so many workers alive, counts limits
 * for them where there is no Redis, and speaks for all of them at the operator's port.
 */
export async function startWorkers(config: Config, log: Logger) {
  const ground = await layGround(config, log)
  const windows = createInProcessWindows()
  const hands = new Set<Hand>()
  let stopping = false
  cluster.setupPrimary({ exec: join(import.meta.dirname, '../main.ts') })

  function fork(): Hand {
    const worker = cluster.fork({ DATABASE_URL: ground.databaseUrl })
    const started = Promise.withResolvers<Ports>()
    started.promise.catch(() => {})
    const exchange = createExchange(worker as unknown as Channel, {
      take: ({ client, windows: list }: { client: string; windows: WindowList }) =>
        windows.take(client, list),
      started: async (ports: Ports) => started.resolve(ports),
    })
    const ended = once(worker, 'exit')
    // What is said to a worker that has just died.
    worker.on('error', () => exchange.close())
    const hand = { worker, exchange, ended, started: started.promise }
    hands.add(hand)
    ended.then(async ([code, signal]) => {
      hands.delete(hand)
      exchange.close()
      started.reject(new Error(`A worker ended before it listened (${signal ?? code})`))
      if (stopping) return
      log.error({ worker: worker.id, code, signal }, 'A worker died; another takes its place')
      await sleep(pause)
      if (!stopping) fork()
    })
    return hand
  }

  async function stop() {
    stopping = true
    const late = setTimeout(kill, patience)
    await Promise.all(
      [...hands].map(async ({ worker, exchange, ended }) => {
        // One that can't be asked is no longer there.
        await exchange.ask('drain').catch(() => worker.process.kill('SIGKILL'))
        await ended
      }),
    )
    clearTimeout(late)
    await monitor?.stop()
    await ground.stop()
  }

  function kill() {
    stopping = true
    for (const { worker } of hands) worker.process.kill('SIGKILL')
  }

  let monitor: Awaited<ReturnType<typeof startMonitor>> | undefined
  try {
    const first = Array.from({ length: config.WORKERS }, fork)
    const [ports] = await Promise.all(first.map(({ started }) => started))
    monitor = await startMonitor({
      ...{ host: config.GRPC_HOST, port: config.METRICS_PORT },
      async readMetrics() {
        const all = await Promise.all([...hands].map(({ exchange }) => exchange.ask('metrics')))
        return AggregatorRegistry.aggregate(all as object[]).metrics()
      },
      readReadiness: () => readReadiness(hands, config.WORKERS, stopping),
    })
    return { ...(ports as Ports), metricsPort: monitor.port, stop, kill }
  } catch (error) {
    kill()
    await stop()
    throw error
  }
}

/** Ready when every worker that should be there is; else as the worst of them is. */
async function readReadiness(hands: Set<Hand>, wanted: number, draining: boolean) {
  const asked = [...hands].map(({ exchange }) => exchange.ask('readiness') as Promise<Readiness>)
  const answers = (await Promise.allSettled(asked)).flatMap((answer) =>
    answer.status === 'fulfilled' ? [answer.value] : [],
  )
  const count = answers.filter(({ ready }) => ready).length
  const worst = answers.find(({ ready }) => !ready) ?? answers[0]
  const ready = !draining && count === wanted
  return { ...worst, ready, draining, workers: { ready: count, wanted } }
}
