import type { Pool, PoolClient } from 'pg'
import { asking } from '../rpc/asker.ts'
import { within } from '../rpc/trace.ts'
import { type Cancel, stoppable } from './stoppable.ts'

/** What opens and closes transactions is quick and always has to be said, whoever has gone. */
const control = /^\s*(begin|start|commit|rollback|savepoint|release)\b/i

/** Ties the statements of a pool to the use case that runs: they stop when its asker goes. */
export function followAskers(pool: Pool, cancel: Cancel): void {
  pool.on('connect', (client) => followAsker(client, cancel))
}

function followAsker(client: PoolClient, cancel: Cancel): void {
  const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
  const followed = (...given: unknown[]) => {
    const asker = asking.getStore()
    if (!asker) return query(...given)
    const [text] = given
    const sql = typeof text === 'string' ? text : textOf(text)
    const run = () => query(...given)
    const work = control.test(sql) ? run : () => stoppable(client, asker, cancel, run)
    if (!asker.span) return work()
    return within(asker.span, sql.trim().split(/\s+/, 1)[0] ?? 'sql', attributesOf(sql), work)
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
