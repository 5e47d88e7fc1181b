import type { Pool, PoolClient } from 'pg'
import { requestScope } from '../core/request-scope.ts'
import { withSpan } from '../core/trace.ts'
import { type CancelBackend, cancellable } from './cancellable.ts'

/** What opens and closes transactions is quick and always has to be said, whoever has gone. */
const control = /^\s*(begin|start|commit|rollback|savepoint|release)\b/i

/** Ties the statements of a pool to the use case that runs: they stop when its scope goes. */
export function makeStatementsCancellable(pool: Pool, cancel: CancelBackend): void {
  pool.on('connect', (client) => followAsker(client, cancel))
}

function followAsker(client: PoolClient, cancel: CancelBackend): void {
  const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
  const followed = (...given: unknown[]) => {
    const scope = requestScope.getStore()
    if (!scope) return query(...given)
    const [text] = given
    const sql = typeof text === 'string' ? text : textOf(text)
    const run = () => query(...given)
    const work = control.test(sql) ? run : () => cancellable(client, scope, cancel, run)
    if (!scope.span) return work()
    return withSpan(scope.span, sql.trim().split(/\s+/, 1)[0] ?? 'sql', attributesOf(sql), work)
  }
  client.query = followed as never
}

/** A prepared statement comes as an object. */
function textOf(query: unknown): string {
  return (query as { text?: string } | undefined)?.text ?? ''
}

/** Where the ORM has written values into the text, they stay at home. */
function attributesOf(sql: string) {
  const summary = sql
    .replace(/'(?:[^']|'')*'/g, '?')
    .replace(/\s+/g, ' ')
    .trim()
  return { 'db.system.name': 'postgresql', 'db.query.text': summary.slice(0, 300) }
}
