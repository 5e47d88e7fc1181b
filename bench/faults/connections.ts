import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findLosses } from './ledger.ts'
import type { Measure } from './measure.ts'
import type { Site } from './site.ts'
import { startTraffic, untilNormal } from './traffic.ts'

/** Somebody else takes every connection that PostgreSQL has, those of the node too, for `seconds`. */
export async function measureConnections(
  site: Site,
  databaseUrl: string,
  seconds: number,
): Promise<Measure> {
  const node = await site.node()
  try {
    const office = await site.office()
    const traffic = await startTraffic(node, office)
    await sleep(500)
    const hoard = await takeAll(databaseUrl)
    // The node's own go now, one after the other, and are taken before it gets them back.
    await hoard[0]?.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where backend_type = 'client backend' and application_name <> 'hoard'`,
    )
    hoard.push(...(await takeAll(databaseUrl)))
    const taken = hoard.length
    await sleep(seconds * 1000)
    await Promise.all(hoard.map((client) => client.end()))
    const normal = await untilNormal(node, office)
    await traffic.stop()
    const lost = await findLosses(site.pool, office, traffic.ledger)
    const note = `${taken} taken, for ${seconds} s; longest call ${Math.round(traffic.slowest)} ms`
    return { fault: 'no connection left', saw: traffic.tally, lost, normal, note }
  } finally {
    await node.stop()
  }
}

/** Connects until PostgreSQL refuses (53300). */
async function takeAll(connectionString: string): Promise<pg.Client[]> {
  const taken: pg.Client[] = []
  for (;;) {
    const client = new pg.Client({ connectionString, application_name: 'hoard' })
    client.on('error', () => {})
    try {
      await client.connect()
      taken.push(client)
    } catch {
      return taken
    }
  }
}
