import { existsSync } from 'node:fs'
import type { Config } from '../config.ts'
import { type Keys, makeKeys, readKeys } from '../identity/keys.ts'
import type { Logger } from '../log.ts'
import { startEmbedded } from '../storage/embedded.ts'

/** What nodes stand on: a migrated database, of our own if need be, and signing keys. */
export type Ground = { databaseUrl: string; stop(): Promise<void> }

/** Lays the ground, once for all workers; `onBegun` hears when PostgreSQL is on its way, if not there. */
export async function layGround(
  config: Config,
  log: Logger,
  onBegun?: () => void,
): Promise<Ground> {
  if (!config.RATE_LIMIT_ENABLED) log.warn('RATE_LIMIT_ENABLED=false: nothing is limited')
  await readOrMakeKeys(config, log)
  const { url: databaseUrl, stop } = await findPostgres(config, log, onBegun)
  try {
    const { migrate } = await import('../storage/migrate.ts')
    for (const name of await migrate(databaseUrl)) log.info(`Migration ${name} applied`)
    return { databaseUrl, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The PostgreSQL of the settings, or our own. */
async function findPostgres(
  { DATABASE_URL: url, DATA_DIR: dataDir }: Config,
  log: Logger,
  onBegun = () => {},
) {
  if (!url) return startEmbedded({ dataDir, log: (text) => log.info(text), onLaunched: onBegun })
  onBegun()
  return { url, stop: async () => {} }
}

/** The signing keys; with DEBUG they are made where there are none. */
export async function readOrMakeKeys(config: Config, log: Logger): Promise<Keys> {
  const paths = {
    privatePath: config.JWT_PRIVATE_KEY_PATH,
    publicPath: config.JWT_PUBLIC_KEY_PATH,
  }
  if (config.DEBUG && !existsSync(paths.privatePath) && !existsSync(paths.publicPath)) {
    makeKeys(paths)
    log.info(`New signing keys in ${paths.privatePath} and ${paths.publicPath}`)
  }
  return readKeys(paths)
}
