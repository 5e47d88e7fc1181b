import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Registering } from '../admin/client-apps.ts'
import type { DevelopmentModeContext } from '../admin/development-mode.ts'
import { type Config, readConfig } from '../config/config.ts'
import type { WriteContext } from '../core/request-context.ts'
import { openDatabase } from '../database/database.ts'
import { startEmbedded } from '../database/embedded/embedded-postgres.ts'

/** What a command of the operator's tool works with. */
export type Session = { config: Config; databaseUrl: string; em: EntityManager; operator: Operator }

/** The operator as the use cases see one: nobody the activity log could name; told on stderr. */
export type Operator = WriteContext & DevelopmentModeContext & Registering

/**
 * Runs a command on the database of the environment: DATABASE_URL, else the embedded one, be it
 * running under a server or not.
 */
export async function withDatabase<Result>(
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(process.env)
  const { url: databaseUrl, stop } = await findDatabase(config)
  const database = await openDatabase(databaseUrl, () => {})
  try {
    const em = database.fork()
    const warn = (text: string) => process.stderr.write(`${text}\n`)
    const operator = {
      em,
      principal: {},
      debug: config.DEBUG,
      keysRequired: config.SERVICE_KEYS_REQUIRED,
      warn,
    }
    return await work({ config, databaseUrl, em, operator })
  } finally {
    await database.close()
    await stop()
  }
}

async function findDatabase(config: Config): Promise<{ url: string; stop(): Promise<void> }> {
  const stop = async () => {}
  if (config.DATABASE_URL) return { url: config.DATABASE_URL, stop }
  try {
    return await startEmbedded({ dataDir: config.DATA_DIR })
  } catch (error) {
    if ((error as { code?: string }).code !== 'DATA_DIR_IN_USE') throw error
    const url = await readFile(join(config.DATA_DIR, 'database-url'), 'utf8')
    return { url: url.trim(), stop }
  }
}
