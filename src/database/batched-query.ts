import type { EntityManager } from '@mikro-orm/postgresql'
import pg from 'pg'
import { requestScope } from '../core/request-scope.ts'
import { withSpan } from '../core/trace.ts'
import { createBatcher } from './batching.ts'
import type { prepared } from './prepared.ts'

/**
 * A statement about many things by `$1`, a JSON array of items, each with its `place`; the rows that
 * it answers name theirs. One that writes is run by `preparedChange`, and takes the items in an order,
 * so that two don't wait for each other.
 */
export type BatchedQuery = { name: string; text: string; run: typeof prepared }

/** What became of an item. */
type Outcome = { row?: object | undefined; error?: unknown }

type Shared = ReturnType<typeof createBatcher<object, Outcome>>

/** By the pool, which is one for all forks, and the name of the statement. */
const statements = new WeakMap<object, Map<string, Shared>>()

/** Answers an item's row, if it has one, of a statement that callers who come together share. */
export async function batched<Row extends object>(
  em: EntityManager,
  statement: BatchedQuery,
  item: object,
): Promise<Row | undefined> {
  const pool = await em.getConnection().getNativeClient()
  const known = statements.get(pool) ?? new Map<string, Shared>()
  statements.set(pool, known)
  const shared = known.get(statement.name) ?? createShared(em, statement)
  known.set(statement.name, shared)
  const scope = requestScope.getStore()
  const attributes = { 'db.system.name': 'postgresql' }
  const ask = () => shared(item, scope)
  const { row, error } = await withSpan(scope?.span, statement.name, attributes, ask)
  if (error) throw error
  return row as Row | undefined
}

/** Where PostgreSQL refuses the statement, each item is tried alone: nobody fails for another's sake. */
function createShared(em: EntityManager, { name, text, run }: BatchedQuery): Shared {
  async function runAll(items: object[]): Promise<Outcome[]> {
    const placed = items.map((item, place) => ({ ...item, place }))
    try {
      const values = [JSON.stringify(placed)]
      const found = await run<{ place: number }>(em, { name, text, values })
      const rows = new Map(found.map(({ place, ...row }) => [place, row]))
      return items.map((_, place) => ({ row: rows.get(place) }))
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error
      if (items.length === 1) return [{ error }]
      return (await Promise.all(items.map((item) => runAll([item])))).flat()
    }
  }
  return createBatcher((items, scope) => requestScope.run(scope, () => runAll(items)))
}
