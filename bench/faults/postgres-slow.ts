import { setTimeout as sleep } from 'node:timers/promises'
import { startDatabaseProxy } from '../../test/support/proxy.ts'
import { findLosses } from './ledger.ts'
import type { Measure } from './measure.ts'
import type { Site } from './site.ts'
import { startTraffic, untilNormal } from './traffic.ts'

/** Every byte to and from PostgreSQL takes `lag` milliseconds longer, for `seconds`. */
export async function measurePostgresSlow(
  site: Site,
  databaseUrl: string,
  lag: number,
  seconds: number,
): Promise<Measure> {
  const proxy = await startDatabaseProxy(databaseUrl)
  const node = await site.node({ DATABASE_URL: proxy.url })
  try {
    const office = await site.office()
    const traffic = await startTraffic(node, office)
    await sleep(300)
    proxy.delay(lag)
    await sleep(seconds * 1000)
    await proxy.open()
    const normal = await untilNormal(node, office)
    await traffic.stop()
    const lost = await findLosses(site.pool, office, traffic.ledger)
    const note = `for ${seconds} s; longest call ${Math.round(traffic.slowest)} ms`
    const fault = `PostgreSQL ${lag} ms slower each way`
    return { fault, saw: traffic.tally, lost, normal, note }
  } finally {
    await node.stop()
    await proxy.close()
  }
}
