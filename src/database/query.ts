import type { EntityManager } from '@mikro-orm/postgresql'
import { retryDeadlocks } from './transaction.ts'

/**
 * Runs SQL in the transaction of `em`, or outside a transaction on a connection of its pool, and
 * returns the rows. The values of `$1`, `$2`, … are sent separately from the text, whereas
 * `em.execute` writes them into it. Arrays are sent as PostgreSQL arrays, dates as timestamps, and
 * undefined as null. Outside a transaction, runs again if PostgreSQL aborts it because of a deadlock.
 *
 * @example
 * const [user] = await query<{ id: string }>(em, 'select id from users where email = $1', [email])
 *
 * @throws the exceptions of the entity manager, such as UniqueConstraintViolationException
 */
export async function query<Row = object>(
  em: EntityManager,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const node = { kind: 'RawNode', sqlFragments: [sql], parameters: [] } as const
  const run = () =>
    em
      .getKysely()
      .executeQuery<Row>({ query: node, sql, parameters: values, queryId: { queryId: '' } })
  try {
    const { rows } = await (em.isInTransaction() ? run() : retryDeadlocks(run))
    return rows
  } catch (error) {
    throw em.getDriver().convertException(error as Error)
  }
}
