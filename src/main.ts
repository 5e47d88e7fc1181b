import cluster from 'node:cluster'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import type { start } from './start.ts'

// Before the rest is read, which this keeps compiled: beside the code, not where others may write;
// where it can't be written there is none.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/daikon'))

/** The server alone, by its environment; SIGTERM or SIGINT drains it, a second one ends it at once. */
async function main(): Promise<void> {
  const { readConfig } = await import('./config.ts')
  const { createLog } = await import('./log.ts')
  const config = readConfig(process.env)
  if (cluster.isWorker) {
    const log = createLog(config).child({ worker: cluster.worker?.id })
    for (const signal of signals) process.on(signal, () => {})
    const { startWorker } = await import('./operation/worker.ts')
    return startWorker(config, log, () => process.exit())
  }
  const log = createLog(config)
  const stopping = Promise.withResolvers<void>()
  let force = () => process.exit(1)
  // What is still starting answers already: it is stopped in order as soon as it is all there.
  let interrupt = () => {
    interrupt = () => force()
    stopping.resolve()
  }
  for (const signal of signals) {
    process.on(signal, () => {
      log.info(`${signal} received`)
      interrupt()
    })
  }
  const running = await run(config, log)
  if ('kill' in running) {
    force = () => {
      running.kill()
      process.exit(1)
    }
  }
  const { grpcPort, httpPort, metricsPort } = running
  const ports = { grpc_port: grpcPort, http_port: httpPort, metrics_port: metricsPort }
  log.info({ ...ports, workers: config.WORKERS }, 'daikon is listening')

  await stopping.promise
  log.info('Draining')
  try {
    await running.stop()
  } catch (error) {
    log.error({ err: error }, 'Stopping failed')
    process.exit(1)
  }
  log.info('Stopped')
  process.exit(0)
}

/** Loads no more than the way it is run takes. */
async function run(...given: Parameters<typeof start>) {
  const [{ WORKERS }] = given
  if (WORKERS === 1) return (await import('./start.ts')).start(...given)
  return (await import('./operation/workers.ts')).startWorkers(...given)
}

const signals = ['SIGTERM', 'SIGINT'] as const

main().catch(async (error) => {
  const { ConfigError } = await import('./setting.ts')
  const wrong = error instanceof ConfigError
  process.stderr.write(`${wrong ? error.message : (error?.stack ?? error)}\n`)
  process.exit(wrong ? 2 : 1)
})
