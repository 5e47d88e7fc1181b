import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultEnvironment } from './fault-environment.ts'
import type { FaultResult } from './fault-result.ts'
import { createLedger, findLosses } from './ledger.ts'
import { countOutcome, type OutcomeCounts, startTraffic } from './traffic.ts'

/** Repeatedly kills the node with SIGKILL at a random moment during writes over both APIs. */
export async function measureKills(
  environment: FaultEnvironment,
  kills: number,
): Promise<FaultResult> {
  const outcomes: OutcomeCounts = {}
  const problems: string[] = []
  const starts: number[] = []
  let acknowledged = 0
  let next = environment.node()
  for (let round = 0; round < kills; round += 1) {
    const node = await next
    starts.push(node.startupMilliseconds)
    const workspace = await environment.workspace()
    const traffic = await startTraffic(node, workspace)
    await sleep(50 + Math.random() * 700)
    const killed = node.kill()
    // Calls in flight at the moment of the kill fail, and clients must not retry them.
    await Promise.all([killed, traffic.stop()])
    next = environment.node()
    next.catch(() => {})
    for (const [label, calls] of Object.entries(traffic.outcomes))
      countOutcome(outcomes, label, calls)
    for (const ids of Object.values(traffic.ledger)) acknowledged += ids.size
    problems.push(...(await findLosses(environment.pool, workspace, traffic.ledger)))
  }
  const node = await next
  problems.push(
    ...(await findLosses(environment.pool, await environment.workspace(), createLedger())),
  )
  await node.stop()
  const note = `${acknowledged} acknowledged writes; recovery is the longest time from start to first response`
  return {
    fault: `kill -9, ${kills} times`,
    outcomes,
    problems,
    recoveryMilliseconds: Math.max(...starts),
    note,
  }
}
