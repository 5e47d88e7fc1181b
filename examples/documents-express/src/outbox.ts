import { type Daikon, DaikonError } from '@daikon-auth/client'
import type { Pool, PoolClient } from 'pg'

/** A call to daikon that must happen because a transaction was committed. */
export type OutboxCall =
  | { kind: 'register'; id: string; workspaceId: string; ownerId: string }
  | { kind: 'unregister'; id: string }

type Entry = { id: string; call: OutboxCall }

/** Writes a call in the transaction of the change that needs it: both are committed, or neither. */
export async function enqueue(transaction: PoolClient, call: OutboxCall): Promise<void> {
  await transaction.query('insert into outbox (call) values ($1)', [JSON.stringify(call)])
}

/**
 * Makes the calls that are due, in order, and deletes those that succeeded. Stops at the first one for
 * which daikon is not available. Several processes may run this: only one at a time delivers.
 */
export async function deliver(pool: Pool, daikon: Daikon): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query<{ locked: boolean }>(
      `select pg_try_advisory_xact_lock(hashtext('outbox')) as locked`,
    )
    if (rows[0]?.locked) while (await deliverNext(client, daikon));
    await client.query('commit')
  } finally {
    client.release()
  }
}

async function deliverNext(client: PoolClient, daikon: Daikon): Promise<boolean> {
  const { rows } = await client.query<Entry>(
    'select id, call from outbox where error is null order by id limit 1',
  )
  const [entry] = rows
  if (!entry) return false
  try {
    await send(daikon, entry.call)
    await client.query('delete from outbox where id = $1', [entry.id])
    return true
  } catch (error) {
    if (isTemporary(error)) return false
    // A mistake that a retry does not correct: keep it for a person to look at.
    const text = error instanceof Error ? error.message : String(error)
    await client.query('update outbox set error = $2 where id = $1', [entry.id, text])
    return true
  }
}

/** Both calls may run twice: registering again changes nothing, and so does a resource that is gone. */
async function send(daikon: Daikon, call: OutboxCall): Promise<void> {
  const resource = { type: 'document', id: call.id }
  if (call.kind === 'register') {
    const { workspaceId, ownerId } = call
    await daikon.register({ ...resource, workspaceId, ownerId })
    return
  }
  try {
    await daikon.unregister(resource)
  } catch (error) {
    if (!(error instanceof DaikonError && error.code === 'not_found')) throw error
  }
}

function isTemporary(error: unknown): boolean {
  const temporary = ['unavailable', 'deadline_exceeded', 'resource_exhausted', 'cancelled']
  return error instanceof DaikonError && temporary.includes(error.code)
}

/** Delivers every second what could not be delivered immediately; returns a function that stops it. */
export function startDelivery(pool: Pool, daikon: Daikon): () => void {
  let timeout: NodeJS.Timeout
  let isStopped = false
  async function run() {
    await deliver(pool, daikon).catch((error) => console.error('outbox:', error.message))
    if (!isStopped) timeout = setTimeout(run, 1000)
  }
  timeout = setTimeout(run, 0)
  return () => {
    isStopped = true
    clearTimeout(timeout)
  }
}
