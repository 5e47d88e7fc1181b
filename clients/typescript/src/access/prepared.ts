import { createHash } from 'node:crypto'
import type { DatabaseClient, DatabasePool } from './copy/database.ts'

/** A statement that a connection plans once. */
export type Prepared = { name: string; text: string }

/** Names a statement after its text, so that versions of a service never run the statements of others. */
export function prepare(text: string): Prepared {
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  return { name: `daikon_access_${digest}`, text }
}

/** SQLSTATEs of a prepared statement that a pooler has left on another connection, or on this one. */
const misplaced = ['26000', '42P05']

/** Runs a prepared statement, without its name where a pooler cannot keep it. */
export async function queryPrepared(
  pool: DatabasePool,
  statement: Prepared,
  values: unknown[],
): ReturnType<DatabaseClient['query']> {
  try {
    return await pool.query(statement, values)
  } catch (error) {
    if (!misplaced.includes((error as { code?: string }).code ?? '')) throw error
    return pool.query(statement.text, values)
  }
}
