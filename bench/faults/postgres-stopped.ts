import { setTimeout as sleep } from 'node:timers/promises'
import { findLosses } from './ledger.ts'
import type { Measure } from './measure.ts'
import type { OwnPostgres } from './own-postgres.ts'
import type { Site } from './site.ts'
import { startTraffic, untilNormal } from './traffic.ts'

/** PostgreSQL stops under load, stays away for `away` milliseconds, and starts again. */
export async function measurePostgresStopped(
  site: Site,
  postgres: OwnPostgres,
  mode: 'fast' | 'immediate',
  away: number,
): Promise<Measure> {
  const node = await site.node()
  try {
    const office = await site.office()
    const traffic = await startTraffic(node, office)
    await sleep(1000)
    await postgres.stop(mode)
    await sleep(away)
    await postgres.start()
    const normal = await untilNormal(node, office)
    await sleep(500)
    await traffic.stop()
    const lost = await findLosses(site.pool, office, traffic.ledger)
    const note = `away for ${away / 1000} s; longest call ${Math.round(traffic.slowest)} ms`
    return { fault: `PostgreSQL stopped (${mode})`, saw: traffic.tally, lost, normal, note }
  } finally {
    await node.stop()
  }
}
