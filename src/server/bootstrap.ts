import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import type { Logger } from '../core/logger.ts'
import { startEmbedded } from '../database/embedded/embedded-postgres.ts'
import { migrate } from '../database/migrate.ts'
import { keyPathsOf, loadKeys } from '../identity/key-source.ts'
import { createKeyFiles } from '../identity/keys.ts'

/** The migrated database that all nodes of a server share. */
export type Bootstrap = { databaseUrl: string; stop(): Promise<void> }

/**
 * Starts the embedded PostgreSQL if no other is configured, applies migrations, and creates signing
 * keys in debug mode if they are missing. Throws if there are no valid keys.
 */
export async function bootstrap(config: Config, log: Logger): Promise<Bootstrap> {
  if (!config.RATE_LIMIT_ENABLED) log.warn('RATE_LIMIT_ENABLED=false: rate limits are off')
  if (config.DEBUG) createMissingKeys(config, log)
  await loadKeys(config)
  const { url: databaseUrl, stop } = await findDatabase(config, log)
  try {
    logMigrations(log, await migrate(databaseUrl))
    return { databaseUrl, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function logMigrations(log: Logger, names: string[]): void {
  const [first] = names
  if (first === undefined) return
  log.info(
    names.length === 1
      ? `Applied the migration ${first}`
      : `Applied ${names.length} migrations, ${first} to ${names.at(-1)}`,
  )
}

async function findDatabase({ DATABASE_URL: url, DATA_DIR: dataDir }: Config, log: Logger) {
  if (url) return { url, stop: async () => {} }
  return startEmbedded({ dataDir, log: (text) => log.info(text) })
}

/** Creates the signing keys unless one of their files exists or they are in Vault. */
export function createMissingKeys(config: Config, log: Logger): void {
  const paths = keyPathsOf(config)
  if (config.VAULT_ADDR !== '') return
  if (existsSync(paths.privatePath) || existsSync(paths.publicPath)) return
  createKeyFiles(paths)
  log.info(`Created signing keys in ${paths.privatePath} and ${paths.publicPath}`)
}
