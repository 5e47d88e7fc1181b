import cluster from 'node:cluster'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { readConfig } from './config.ts'
import { createLog } from './log.ts'
import { ConfigError } from './setting.ts'
import type { start } from './start.ts'

// Beside the code, not where others may write; where it can't be written there is none.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/daikon'))

/** The server alone, by its environment; SIGTERM or SIGINT drains it, a second one ends it at once. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  if (cluster.isWorker) {
    const log = createLog(config).child({ worker: cluster.worker?.id })
    for (const signal of signals) process.on(signal, () => {})
    const { startWorker } = await import('./operation/worker.ts')
    return startWorker(config, log, () => process.exit())
  }
  const log = createLog(config)
  let interrupt: () => void = () => process.exit(1)
  for (const signal of signals) {
    process.on(signal, () => {
      log.info(`${signal} received`)
      interrupt()
    })
  }
  const running = await run(config, log)
  const { grpcPort, httpPort, metricsPort } = running
  const ports = { grpc_port: grpcPort, http_port: httpPort, metrics_port: metricsPort }
  interrupt = () => {
    interrupt = () => {
      if ('kill' in running) running.kill()
      process.exit(1)
    }
    log.info('Draining')
    running.stop().then(
      () => {
        log.info('Stopped')
        process.exit(0)
      },
      (error) => {
        log.error({ err: error }, 'Stopping failed')
        process.exit(1)
      },
    )
  }
  log.info({ ...ports, workers: config.WORKERS }, 'daikon is listening')
}

/** Loads no more than the way it is run takes. */
async function run(...given: Parameters<typeof start>) {
  const [{ WORKERS }] = given
  if (WORKERS === 1) return (await import('./start.ts')).start(...given)
  return (await import('./operation/workers.ts')).startWorkers(...given)
}

const signals = ['SIGTERM', 'SIGINT'] as const

main().catch((error) => {
  process.stderr.write(
    `${error instanceof ConfigError ? error.message : (error?.stack ?? error)}\n`,
  )
  process.exit(error instanceof ConfigError ? 2 : 1)
})
