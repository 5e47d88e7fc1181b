import cluster from 'node:cluster'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { isatty } from 'node:tty'

// Enabled before any other module loads. The cache is next to the code, where only its owner can
// write.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/daikon'))

const { exitAfterFailure } = await import('./cli/failure.ts')
const { onParentExit } = await import('./cli/parent-exit.ts')
const { findMisspeltSettings } = await import('./config/misspelt-settings.ts')
const { createLogger } = await import('./core/logger.ts')
const { readConfig, settings } = await import('./server/config.ts')
const { start } = await import('./server/start.ts')
const { startWorker } = await import('./server/worker.ts')
const { startWorkers } = await import('./server/workers.ts')

const signals = ['SIGTERM', 'SIGINT'] as const

/**
 * Runs the server as the environment configures it. SIGTERM or SIGINT drains it; a second signal
 * ends it immediately. SIGHUP reloads keys and certificates.
 */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const log = createLogger(config.LOG_LEVEL, config.LOG_FORMAT)
  // Node.js would print every property of the error, and PostgreSQL's errors contain rows.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'Stopping because of an unexpected error')
    process.exit(1)
  })
  if (cluster.isWorker) {
    // Ignored in workers: the primary receives the same signal and coordinates its workers.
    for (const signal of [...signals, 'SIGHUP'] as const) process.on(signal, () => {})
    const workerLog = log.child({ worker: cluster.worker?.id })
    return startWorker(config, workerLog, () => process.exit())
  }

  for (const { detail } of findMisspeltSettings(process.env, Object.keys(settings)))
    log.warn(detail)

  const stopping = Promise.withResolvers<void>()
  let isStopping = false
  let kill = () => {}
  let onHangup: () => unknown = () => {}
  for (const signal of signals) {
    process.on(signal, () => {
      log.info(`${signal} received`)
      if (isStopping) {
        kill()
        process.exit(1)
      }
      isStopping = true
      stopping.resolve()
    })
  }

  process.on('SIGHUP', () => {
    log.info('SIGHUP received')
    // A terminal also sends SIGHUP when it closes.
    if (isatty(0)) {
      isStopping = true
      stopping.resolve()
    } else onHangup()
  })

  onParentExit(() => {
    log.info('The shell that ran this process has exited')
    isStopping = true
    stopping.resolve()
  })

  const server = await (config.WORKERS === 1 ? start(config, log) : startWorkers(config, log))
  kill = server.kill
  onHangup = () => server.reload()
  log.info(
    {
      grpc_port: server.grpcPort,
      http_port: server.httpPort,
      ...nameFeaturePorts(server.featurePorts),
      metrics_port: server.metricsPort,
      workers: config.WORKERS,
    },
    'daikon is listening',
  )

  await stopping.promise
  log.info('Draining')
  try {
    await server.stop()
  } catch (error) {
    log.error({ err: error }, 'Stopping failed')
    process.exit(1)
  }
  log.info('Stopped')
  process.exit(0)
}

/** Names the ports of features for the log, as in `console_port`. */
function nameFeaturePorts(ports: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(ports).map(([name, port]) => [`${name}_port`, port]))
}

main().catch(exitAfterFailure)
