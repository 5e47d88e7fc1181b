import { existsSync } from 'node:fs'
import { type Config, ConfigError } from '../config/config.ts'
import type { Logger } from '../core/logger.ts'
import { startEmbedded } from '../database/embedded/embedded-postgres.ts'
import { migrate } from '../database/migrate.ts'
import { createKeyFiles, type KeyPaths, type Keys, parseKeys } from '../identity/keys.ts'
import { createFileSource, type Source } from './reload.ts'

/** What every node of a server shares: a migrated database and signing keys. */
export type Bootstrap = { databaseUrl: string; stop(): Promise<void> }

/** Starts the embedded PostgreSQL if no other is configured, migrates, and makes sure keys exist. */
export async function bootstrap(config: Config, log: Logger): Promise<Bootstrap> {
  if (!config.RATE_LIMIT_ENABLED) log.warn('RATE_LIMIT_ENABLED=false: rate limits are off')
  const keys = await openKeys(config, log).read()
  await keys.parse()
  const { url: databaseUrl, stop } = await findDatabase(config, log)
  try {
    for (const name of await migrate(databaseUrl)) log.info(`Migration ${name} applied`)
    return { databaseUrl, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function findDatabase({ DATABASE_URL: url, DATA_DIR: dataDir }: Config, log: Logger) {
  if (url) return { url, stop: async () => {} }
  return startEmbedded({ dataDir, log: (text) => log.info(text) })
}

/**
 * The files of the signing keys. With DEBUG, missing key files are created.
 *
 * @throws {ConfigError} if a key file is missing
 */
export function openKeys(config: Config, log: Logger): Source<Keys> {
  if (config.DEBUG) createMissingKeys(config, log)
  for (const name of ['JWT_PRIVATE_KEY_PATH', 'JWT_PUBLIC_KEY_PATH'] as const) {
    if (!existsSync(config[name])) {
      throw new ConfigError(
        `${name} must name an existing file: ${config[name]}. Run \`npm run daikon -- keys\` to create the keys.`,
      )
    }
  }
  const paths = keyPathsOf(config)
  return createFileSource(
    [paths.privatePath, paths.publicPath],
    ([privatePem = Buffer.of(), publicPem = Buffer.of()]) =>
      parseKeys(privatePem, publicPem, paths),
  )
}

/** Creates the signing keys unless one of their files exists. */
export function createMissingKeys(config: Config, log: Logger): void {
  const paths = keyPathsOf(config)
  if (existsSync(paths.privatePath) || existsSync(paths.publicPath)) return
  createKeyFiles(paths)
  log.info(`Created signing keys in ${paths.privatePath} and ${paths.publicPath}`)
}

function keyPathsOf(config: Config): KeyPaths {
  return { privatePath: config.JWT_PRIVATE_KEY_PATH, publicPath: config.JWT_PUBLIC_KEY_PATH }
}
