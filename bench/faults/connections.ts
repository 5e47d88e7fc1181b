import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { FaultEnvironment } from './fault-environment.ts'
import type { FaultResult } from './fault-result.ts'
import { findLosses } from './ledger.ts'
import { startTraffic, waitUntilNormal } from './traffic.ts'

/** Occupies every connection of PostgreSQL, the node's included, for `seconds`. */
export async function measureConnections(
  environment: FaultEnvironment,
  databaseUrl: string,
  seconds: number,
): Promise<FaultResult> {
  const node = await environment.node()
  try {
    const workspace = await environment.workspace()
    const traffic = await startTraffic(node, workspace)
    await sleep(500)
    const clients = await occupyAll(databaseUrl)
    // Terminates the node's connections and occupies them before it reconnects.
    await clients[0]?.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where backend_type = 'client backend' and application_name <> 'hoard'`,
    )
    clients.push(...(await occupyAll(databaseUrl)))
    const count = clients.length
    await sleep(seconds * 1000)
    await Promise.all(clients.map((client) => client.end()))
    const recoveryMilliseconds = await waitUntilNormal(node, workspace)
    await traffic.stop()
    const problems = await findLosses(environment.pool, workspace, traffic.ledger)
    const note = `${count} taken, for ${seconds} s; longest call ${Math.round(traffic.slowest)} ms`
    return {
      fault: 'no connection left',
      outcomes: traffic.outcomes,
      problems,
      recoveryMilliseconds,
      note,
    }
  } finally {
    await node.stop()
  }
}

/** Opens connections until PostgreSQL has none left (53300). */
async function occupyAll(connectionString: string): Promise<pg.Client[]> {
  const clients: pg.Client[] = []
  for (;;) {
    const client = new pg.Client({ connectionString, application_name: 'hoard' })
    client.on('error', () => {})
    try {
      await client.connect()
      clients.push(client)
    } catch {
      return clients
    }
  }
}
