import pg, { type Pool, type PoolClient } from 'pg'

/**
 * Gives clients that were lost back to their pool. Kysely keeps one whose BEGIN, COMMIT or ROLLBACK
 * fails (kysely#1990): every outage would shrink the pool, until no write finds a client any more.
 */
export function releaseBrokenClients(pool: Pool): void {
  pool.on('acquire', (client) => {
    // The pool sets `release` after this event; by the next microtask it is there.
    queueMicrotask(() => releaseOnce(client))
  })
  pool.on('connect', (client) => {
    endOnSilence(client)
    client.once('end', () => setImmediate(() => client.release?.(true)))
  })
}

/** Lets both Kysely and us release it, whoever is first. */
function releaseOnce(client: PoolClient): void {
  const { release } = client
  let released = false
  client.release = (destroy) => {
    if (!released) release(destroy)
    released = true
  }
}

/** Ends a client whose query failed without a word of PostgreSQL's: a ROLLBACK would only wait, too. */
function endOnSilence(client: PoolClient): void {
  const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
  const watched = async (...given: unknown[]) => {
    try {
      return await query(...given)
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) client.end()
      throw error
    }
  }
  client.query = watched as never
}
