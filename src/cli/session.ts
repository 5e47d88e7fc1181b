import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClientAppContext } from '../admin/client-apps.ts'
import type { DevelopmentModeContext } from '../admin/service-apps.ts'
import type { QuotaContext } from '../core/quotas.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import type { StatementPool } from '../database/statement-pool.ts'
import { createBackchannelHosts } from '../identity/backchannel-hosts.ts'
import { type Config, readConfig } from '../server/config.ts'
import type { Stores } from '../server/stores.ts'
import type { InvitationContext } from '../workspaces/invitation-links.ts'

/** The dependencies of a command. */
export type Session = {
  config: Config
  databaseUrl: string
  statements: StatementPool
  operator: OperatorContext
}

/**
 * The context of handlers that an operator calls. No user is signed in.
 */
export type OperatorContext = WriteContext<Stores> &
  Pick<RequestContext, 'now'> &
  QuotaContext &
  InvitationContext &
  DevelopmentModeContext &
  ClientAppContext

/**
 * Opens the database that the environment configures: DATABASE_URL, or the bundled PostgreSQL,
 * which is started unless a server already runs it.
 */
export async function withDatabase<Result>(
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(process.env)
  const { openDatabase } = await import('../database/database.ts')
  const { requireKnownFacts } = await import('../database/newer-facts.ts')
  const { commandTimeouts } = await import('../database/pool.ts')
  const { createStores } = await import('../server/stores.ts')
  const { url: databaseUrl, stop } = await openPostgres(config)
  const database = await openDatabase(databaseUrl, () => {}, commandTimeouts)
  try {
    await requireKnownFacts(database.execute)
    const operator = {
      stores: createStores(database.fork()),
      principal: { isOperator: true } as const,
      now: new Date(),
      quotas: config,
      invitations: { baseUrl: config.BASE_URL, areMailed: config.SMTP_URL !== '' },
      debug: config.DEBUG,
      backchannelHosts: createBackchannelHosts(config),
      keysRequired: config.SERVICE_KEYS_REQUIRED,
      warn: (text: string) => process.stderr.write(`${text}\n`),
    }
    return await work({ config, databaseUrl, statements: database.statements, operator })
  } finally {
    await database.close()
    await stop()
  }
}

/**
 * Returns the URL of the configured database. `stop` stops the bundled PostgreSQL if this call
 * started it.
 */
export async function openPostgres(
  config: Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>,
): Promise<{ url: string; stop(): Promise<void> }> {
  const stop = async () => {}
  if (config.DATABASE_URL) {
    const { findPrimaryUrl } = await import('../database/primary-hosts.ts')
    return { url: await findPrimaryUrl(config.DATABASE_URL), stop }
  }
  const { startEmbedded } = await import('../database/embedded/embedded-postgres.ts')
  try {
    return await startEmbedded({ dataDir: config.DATA_DIR })
  } catch (error) {
    if ((error as { code?: string }).code !== 'DATA_DIR_IN_USE') throw error
    const url = await readFile(join(config.DATA_DIR, 'database-url'), 'utf8')
    return { url: url.trim(), stop }
  }
}
