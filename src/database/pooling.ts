import pg from 'pg'
import { tellSchemaVersion } from './schema-version.ts'

/** How a pooler, such as PgBouncer, connects clients to PostgreSQL. */
export type Pooling = 'none' | 'session' | 'transaction'

/**
 * Returns what is between this process and PostgreSQL. A pooler tells clients a process ID that is
 * not the one of their session; pooling by transactions gives several clients the same session.
 */
export async function findPooling(connectionString: string): Promise<Pooling> {
  const VersionedClient = tellSchemaVersion(pg.Client)
  const clients = [1, 2].map(() => new VersionedClient({ connectionString }))
  const [first, second] = clients as [pg.Client, pg.Client]
  try {
    await first.connect()
    // Set by pg when it connects, but missing from its types.
    const { processID } = first as unknown as { processID: number }
    const own = await readProcessId(first)
    if (own === processID) return 'none'
    await second.connect()
    for (let attempt = 0; attempt < 5; attempt += 1) {
      // With server_round_robin, each transaction of a connection has the next session.
      if ((await readProcessId(first)) !== own) return 'transaction'
      if ((await readProcessId(second)) === own) return 'transaction'
    }
    return 'session'
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})))
  }
}

/**
 * Requires that each connection has a session of its own, for prepared statements and settings.
 *
 * @throws an Error with `code` TRANSACTION_POOLING if it does not
 */
export async function requireSessions(connectionString: string): Promise<void> {
  if ((await findPooling(connectionString)) !== 'transaction') return
  throw Object.assign(new Error(transactionPooling), { code: 'TRANSACTION_POOLING' })
}

export const transactionPooling =
  'The pooler at DATABASE_URL gives connections a session for each transaction, in which prepared statements and settings are lost. Configure it to pool sessions (PgBouncer: pool_mode = session), or connect to PostgreSQL directly.'

async function readProcessId(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ id: number }>('select pg_backend_pid() as id')
  return rows[0]?.id
}
