import { setTimeout as sleep } from 'node:timers/promises'
import type { DedicatedPostgres } from './dedicated-postgres.ts'
import type { FaultEnvironment } from './fault-environment.ts'
import type { FaultResult } from './fault-result.ts'
import { findLosses } from './ledger.ts'
import { startTraffic, waitUntilNormal } from './traffic.ts'

/** Stops PostgreSQL under load and restarts it after `downtime` milliseconds. */
export async function measurePostgresStopped(
  environment: FaultEnvironment,
  postgres: DedicatedPostgres,
  mode: 'fast' | 'immediate',
  downtime: number,
): Promise<FaultResult> {
  const node = await environment.node()
  try {
    const workspace = await environment.workspace()
    const traffic = await startTraffic(node, workspace)
    await sleep(1000)
    await postgres.stop(mode)
    await sleep(downtime)
    await postgres.start()
    const recoveryMilliseconds = await waitUntilNormal(node, workspace)
    await sleep(500)
    await traffic.stop()
    const problems = await findLosses(environment.pool, workspace, traffic.ledger)
    const note = `away for ${downtime / 1000} s; longest call ${Math.round(traffic.slowest)} ms`
    return {
      fault: `PostgreSQL stopped (${mode})`,
      outcomes: traffic.outcomes,
      problems,
      recoveryMilliseconds,
      note,
    }
  } finally {
    await node.stop()
  }
}
