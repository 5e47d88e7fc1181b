import type { EntityManager } from '@mikro-orm/postgresql'
import pg, { type PoolClient } from 'pg'
import { statementError } from './database-errors.ts'
import { retryDeadlocks } from './deadlock.ts'
import { withClient } from './lend.ts'

/** A statement that PostgreSQL keeps under its name; its values travel apart from the text, as $1, $2 … */
export type Statement = { name: string; text: string; values: unknown[] }

/**
 * Reads by a statement, outside any transaction, and answers its rows. The ORM prepares nothing:
 * PostgreSQL would read and plan every one anew, at several times the work.
 */
export async function prepared<Row extends object>(
  em: EntityManager,
  statement: Statement,
): Promise<Row[]> {
  return lendOfOrm(em, async (client) => (await client.query<Row>(statement)).rows)
}

/**
 * Writes by one statement in a transaction of its own: by itself it would go on to its end, and stay,
 * when the connection is cut and its caller has been told that it failed.
 */
export async function preparedChange<Row extends object>(
  em: EntityManager,
  statement: Statement,
): Promise<Row[]> {
  return lendOfOrm(em, async (client) => {
    await client.query('begin')
    try {
      const { rows } = await client.query<Row>(statement)
      await client.query('commit')
      return rows
    } catch (error) {
      if (error instanceof pg.DatabaseError) await client.query('rollback')
      throw error
    }
  })
}

/** Lends a client of the ORM's, again where a deadlock has ended the work. */
async function lendOfOrm<Result>(
  em: EntityManager,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const pool = await em.getConnection().getNativeClient()
  try {
    return await retryDeadlocks(() => withClient(pool, work))
  } catch (error) {
    throw statementError(error)
  }
}
