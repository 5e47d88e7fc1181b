import { setTimeout as sleep } from 'node:timers/promises'
import pg, { type Client } from 'pg'
import { isDeadlock, isLockTimeout, lacksMigrations } from './database-errors.ts'
import { describeBlockers, watchBlockers } from './migration-blockers.ts'
import { endOutdatedSessionsSql } from './outdated-sessions.ts'
import { migrationTimeouts } from './pool.ts'
import { requireSessions } from './pooling.ts'
import { findPrimaryUrl } from './primary-hosts.ts'
import { migrationNames, tellSchemaVersion } from './schema-version.ts'

export type MigrateOptions = {
  /** Receives what the migrations report about existing data, and why a migration waits. */
  warn?: (message: string) => void
  /** Receives the name of each migration that has been applied. */
  onApplied?: (name: string) => void
  /** Waits before the next attempt to apply a migration. */
  wait?: (milliseconds: number) => Promise<unknown>
  /** The number of attempts to apply each migration. */
  attempts?: number
}

/** With the timeout for locks and the interval, these attempts take two minutes. */
const maxAttempts = 60

/** Milliseconds between attempts, during which the statements that waited for the migration run. */
const attemptInterval = 1000

/**
 * Applies the pending migrations and returns their names. Each runs in a transaction of its own, so
 * that it holds locks only briefly. Concurrent calls wait for each other.
 * See docs/decisions/upgrades.md#locks-of-migrations.
 *
 * @example
 * const applied = await migrate('postgresql://localhost/daikon', { warn: console.warn })
 *
 * @throws an Error with `code` MIGRATION_BLOCKED if a migration could not get a lock in all attempts,
 * or TRANSACTION_POOLING if a pooler gives the connection no session of its own
 */
export async function migrate(
  databaseUrl: string,
  {
    warn = () => {},
    onApplied = () => {},
    wait = sleep,
    attempts = maxAttempts,
  }: MigrateOptions = {},
): Promise<string[]> {
  const url = await findPrimaryUrl(databaseUrl)
  // Also if nothing is pending: a configuration that cannot be migrated must not look up to date.
  await requireSessions(url)
  const lock = new (tellSchemaVersion(pg.Client))({ connectionString: url })
  // A lost connection fails its next statement.
  lock.on('error', () => {})
  await lock.connect()
  try {
    if ((await pendingMigrations(lock)).length === 0) return []
    await lock.query("select pg_advisory_lock(hashtext('daikon migrate'))")
    const { openOrm } = await import('./orm.ts')
    const processes = new Set<number>()
    const orm = await openOrm(url, {
      timeouts: migrationTimeouts,
      onPoolCreated: (pool) =>
        pool.on('connect', (client) => {
          // Set by pg when it connects, but missing from its types.
          processes.add((client as unknown as { processID: number }).processID)
          client.on('notice', ({ severity, message }) => {
            if (severity === 'WARNING' && message) warn(message)
          })
        }),
    })
    const apply = async (name: string) => {
      for (let attempt = 1; ; attempt += 1) {
        const blockers = watchBlockers(lock, processes)
        try {
          return await orm.em.fork().transactional(async (em) => {
            const transaction = em.getTransactionContext()
            const [applied] = await orm.migrator.up({ migrations: [name], transaction })
            if (!applied) throw new Error(`src/database/orm.ts does not list the migration ${name}`)
            await em.execute(endOutdatedSessionsSql)
          })
        } catch (error) {
          if (!isLockTimeout(error) && !isDeadlock(error)) throw error
          const reason = `The migration ${name} waits for ${describeBlockers(await blockers.stop())}`
          if (attempt === attempts) {
            const message = `${reason}. End it, or try again when it has ended. The migrations before this one have been applied.`
            throw Object.assign(new Error(message), { code: 'MIGRATION_BLOCKED' })
          }
          warn(`${reason} (attempt ${attempt} of ${attempts})`)
          await wait(attemptInterval)
        } finally {
          await blockers.stop()
        }
      }
    }
    try {
      const applied: string[] = []
      // Read on the connection that holds the lock: if it is lost, another process may migrate.
      for (;;) {
        const [name] = await pendingMigrations(lock)
        if (name === undefined) return applied
        await apply(name)
        applied.push(name)
        onApplied(name)
      }
    } finally {
      await orm.close(true)
    }
  } finally {
    await lock.end()
  }
}

/**
 * Returns the names of the migrations that are not applied. Does not load the ORM, since nearly every
 * start has nothing to apply.
 */
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
