import { setTimeout as sleep } from 'node:timers/promises'
import { startDatabaseProxy } from '../../test/support/proxy.ts'
import type { FaultEnvironment } from './fault-environment.ts'
import type { FaultResult } from './fault-result.ts'
import { findLosses } from './ledger.ts'
import { startTraffic, waitUntilNormal } from './traffic.ts'

/** Delays every byte to and from PostgreSQL by `lag` milliseconds, for `seconds`. */
export async function measurePostgresSlow(
  environment: FaultEnvironment,
  databaseUrl: string,
  lag: number,
  seconds: number,
): Promise<FaultResult> {
  const proxy = await startDatabaseProxy(databaseUrl)
  const node = await environment.node({ DATABASE_URL: proxy.url })
  try {
    const workspace = await environment.workspace()
    const traffic = await startTraffic(node, workspace)
    await sleep(300)
    proxy.delay(lag)
    await sleep(seconds * 1000)
    await proxy.open()
    const recoveryMilliseconds = await waitUntilNormal(node, workspace)
    await traffic.stop()
    const problems = await findLosses(environment.pool, workspace, traffic.ledger)
    const note = `for ${seconds} s; longest call ${Math.round(traffic.slowest)} ms`
    const fault = `PostgreSQL ${lag} ms slower each way`
    return { fault, outcomes: traffic.outcomes, problems, recoveryMilliseconds, note }
  } finally {
    await node.stop()
    await proxy.close()
  }
}
