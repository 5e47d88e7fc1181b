import type { EntityManager } from '@mikro-orm/postgresql'
import { type BoundStatement, query } from './query.ts'

export type { BoundStatement }

/** Use `query` instead. */
export function executeBound<Row>(
  em: EntityManager,
  { sql, values }: BoundStatement,
): Promise<Row[]> {
  return query<Row>(em, sql, values)
}
