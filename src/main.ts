import { readConfig } from './config.ts'
import { createLog } from './log.ts'
import { ConfigError } from './setting.ts'
import { start } from './start.ts'

/** The server alone, by its environment; SIGTERM or SIGINT drains it. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const log = createLog(config)
  const running = await start(config, log)
  log.info({ grpc_port: running.grpcPort, http_port: running.httpPort }, 'daikon is listening')
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      log.info(`${signal}: draining`)
      running.stop().then(() => log.info('Stopped'))
    })
  }
}

main().catch((error) => {
  process.stderr.write(
    `${error instanceof ConfigError ? error.message : (error?.stack ?? error)}\n`,
  )
  process.exitCode = error instanceof ConfigError ? 2 : 1
})
