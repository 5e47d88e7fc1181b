import pg, { type Client, type ClientBase } from 'pg'
import { lacksMigrations } from './database-errors.ts'
import { migrationTimeouts } from './pool.ts'
import { requireSessions } from './pooling.ts'
import { findPrimaryUrl } from './primary-hosts.ts'
import { migrationNames, tellSchemaVersion } from './schema-version.ts'

/**
 * Applies the pending migrations and returns their names. Concurrent calls wait for each other.
 * `warn` receives what the migrations report about existing data.
 *
 * @example
 * const applied = await migrate('postgresql://localhost/daikon', console.warn)
 */
export async function migrate(
  databaseUrl: string,
  warn: (message: string) => void = () => {},
): Promise<string[]> {
  const url = await findPrimaryUrl(databaseUrl)
  const lock = new (tellSchemaVersion(pg.Client))({ connectionString: url })
  await lock.connect()
  try {
    if (await isMigrated(lock)) return []
    await requireSessions(url)
    await lock.query("select pg_advisory_lock(hashtext('daikon migrate'))")
    const { openOrm } = await import('./orm.ts')
    const orm = await openOrm(url, {
      timeouts: migrationTimeouts,
      onPoolCreated: (pool) => pool.on('connect', (client) => forwardWarnings(client, warn)),
    })
    try {
      const applied = await orm.migrator.up()
      return applied.map(({ name }) => name)
    } finally {
      await orm.close(true)
    }
  } finally {
    await lock.end()
  }
}

function forwardWarnings(client: ClientBase, warn: (message: string) => void): void {
  client.on('notice', ({ severity, message }) => {
    if (severity === 'WARNING' && message) warn(message)
  })
}

/**
 * Whether every migration is applied. Checked first to avoid loading the ORM, since nearly every
 * start has nothing to apply.
 */
async function isMigrated(client: Client): Promise<boolean> {
  return (await pendingMigrations(client)).length === 0
}

/** Returns the names of the migrations that are not applied. */
export async function pendingMigrations(client: Client): Promise<string[]> {
  const names = migrationNames()
  try {
    const { rows } = await client.query<{ name: string }>('select name from migrations')
    const applied = new Set(rows.map(({ name }) => name))
    return names.filter((name) => !applied.has(name))
  } catch (error) {
    if (lacksMigrations(error)) return names
    throw error
  }
}
