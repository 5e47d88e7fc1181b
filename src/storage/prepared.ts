import type { EntityManager } from '@mikro-orm/postgresql'
import pg from 'pg'
import { isDeadlock, statementFault } from './storage-fault.ts'

/** A statement that PostgreSQL keeps under its name; its values travel apart from the text, as $1, $2 … */
export type Statement = { name: string; text: string; values: unknown[] }

/** How often a statement that PostgreSQL chose as a deadlock's victim is tried. */
const tries = 3

/**
 * Runs a statement by itself, outside any transaction, and answers its rows. The ORM prepares nothing:
 * PostgreSQL would read and plan every one anew, at several times the work.
 */
export async function prepared<Row extends object>(
  em: EntityManager,
  statement: Statement,
): Promise<Row[]> {
  for (let left = tries; ; left -= 1) {
    try {
      return await run<Row>(em, statement)
    } catch (error) {
      if (left === 1 || !isDeadlock(error)) throw statementFault(error)
    }
  }
}

async function run<Row extends object>(em: EntityManager, statement: Statement): Promise<Row[]> {
  const pool = await em.getConnection().getNativeClient()
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    return (await client.query<Row>(statement)).rows
  } catch (error) {
    // What PostgreSQL refuses leaves the connection whole.
    if (!(error instanceof pg.DatabaseError)) broken = error as Error
    throw error
  } finally {
    client.release(broken)
  }
}
