import type { ExecuteSql } from './database.ts'

/**
 * Waits until PostgreSQL answers, for several times as long as a call waits for a connection: a machine on
 * which many processes start at once is slower than one that serves calls.
 *
 * @throws the error of the last attempt
 */
export async function waitForDatabase(execute: ExecuteSql, attempts = 5): Promise<void> {
  try {
    await execute('select 1')
  } catch (error) {
    if (attempts === 1) throw error
    await waitForDatabase(execute, attempts - 1)
  }
}
