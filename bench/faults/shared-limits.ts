import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultEnvironment } from './fault-environment.ts'
import type { FaultResult } from './fault-result.ts'
import type { NodeProcess } from './node-process.ts'
import { countOutcome, type OutcomeCounts } from './traffic.ts'

/** The maximum number of requests per minute and client. */
const limit = 2

/** Disconnects two nodes from the Redis of their rate limits for `seconds`. */
export async function measureLimits(
  environment: FaultEnvironment,
  fault: string,
  urls: string[],
  seconds: number,
  injectFault: () => Promise<void>,
  endFault: () => Promise<void>,
): Promise<FaultResult> {
  const settings = {
    REDIS_URL: urls.join(','),
    RATE_LIMIT_ENABLED: 'true',
    TRUSTED_PROXIES: '1',
    RATE_LIMIT_PER_MINUTE: `${limit}`,
  }
  const nodes = await Promise.all([environment.node(settings), environment.node(settings)])
  const outcomes: OutcomeCounts = {}
  const problems: string[] = []
  try {
    await waitUntilShared(nodes, outcomes)
    await injectFault()
    const until = performance.now() + seconds * 1000
    let limitedCount = 0
    while (performance.now() < until) {
      const client = randomClientAddress()
      // Without Redis, each node counts separately. If the store changes between requests, a client
      // can use its limit twice.
      for (const node of nodes) {
        const statuses = await sendRequests(node, client, 2 * limit + 1, outcomes)
        if (statuses.at(-1) === 429) limitedCount += 1
        else problems.push(`a limit was exceeded: ${statuses}`)
      }
      await sleep(20)
    }
    await endFault()
    const recoveryMilliseconds = await waitUntilShared(nodes, outcomes)
    return {
      fault,
      outcomes,
      problems,
      recoveryMilliseconds,
      note: `${limitedCount} clients were limited during the outage`,
    }
  } finally {
    await Promise.all(nodes.map((node) => node.stop()))
  }
}

/**
 * Returns the milliseconds until 16 clients in a row, on any slots, are counted across both nodes.
 */
async function waitUntilShared(nodes: NodeProcess[], outcomes: OutcomeCounts): Promise<number> {
  const started = performance.now()
  let since = started
  const [first, second] = nodes as [NodeProcess, NodeProcess]
  for (let run = 0; run < 16; run += 1) {
    const client = randomClientAddress()
    await sendRequests(first, client, limit, outcomes)
    const [status] = await sendRequests(second, client, 1, outcomes)
    if (status === 429) continue
    if (performance.now() - started > 180_000)
      throw new Error('The nodes do not share their limits again')
    await sleep(20)
    run = -1
    since = performance.now()
  }
  return since - started
}

/**
 * Calls a method that has its own limit in addition to the global one, so that one script uses two
 * keys.
 */
async function sendRequests(
  { httpPort }: NodeProcess,
  client: string,
  times: number,
  outcomes: OutcomeCounts,
) {
  const statuses: number[] = []
  for (let time = 0; time < times; time += 1) {
    const { status } = await fetch(`http://127.0.0.1:${httpPort}/auth/workspaces?code=x`, {
      headers: { 'x-forwarded-for': client },
    })
    statuses.push(status)
    countOutcome(outcomes, String(status))
  }
  return statuses
}

function randomClientAddress(): string {
  const part = () => Math.floor(Math.random() * 256)
  return `10.${part()}.${part()}.${part()}`
}
