import { existsSync } from 'node:fs'
import type { Config } from '../config.ts'
import { type Keys, makeKeys, readKeys } from '../identity/keys.ts'
import type { Logger } from '../log.ts'
import { startEmbedded } from '../storage/embedded.ts'

/** What nodes stand on: a migrated database, of our own if need be, and signing keys. */
export type Ground = { databaseUrl: string; stop(): Promise<void> }

/** Lays the ground, once for all workers. */
export async function layGround(config: Config, log: Logger): Promise<Ground> {
  await readOrMakeKeys(config, log)
  const embedded = config.DATABASE_URL
    ? undefined
    : await startEmbedded({ dataDir: config.DATA_DIR, log: (text) => log.info(text) })
  const databaseUrl = embedded?.url ?? config.DATABASE_URL
  const stop = async () => embedded?.stop()
  try {
    const { migrate } = await import('../storage/database.ts')
    for (const name of await migrate(databaseUrl)) log.info(`Migration ${name} applied`)
    return { databaseUrl, stop }
  } catch (error) {
    await stop()
    throw error
  }
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
