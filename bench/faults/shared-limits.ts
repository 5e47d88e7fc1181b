import { setTimeout as sleep } from 'node:timers/promises'
import type { Measure } from './measure.ts'
import type { NodeProcess } from './node.ts'
import type { Site } from './site.ts'
import { count, type Tally } from './traffic.ts'

/** Requests a minute of one client in these measures. */
const limit = 2

/** Two nodes lose what their limits are counted in, for `seconds`, and get it back. */
export async function measureLimits(
  site: Site,
  fault: string,
  urls: string[],
  seconds: number,
  breakIt: () => Promise<void>,
  mendIt: () => Promise<void>,
): Promise<Measure> {
  const settings = {
    REDIS_URL: urls.join(','),
    RATE_LIMIT_ENABLED: 'true',
    TRUSTED_PROXIES: '1',
    RATE_LIMIT_PER_MINUTE: `${limit}`,
  }
  const nodes = await Promise.all([site.node(settings), site.node(settings)])
  const saw: Tally = {}
  const lost: string[] = []
  try {
    await untilShared(nodes, saw)
    await breakIt()
    const until = performance.now() + seconds * 1000
    let held = 0
    while (performance.now() < until) {
      const client = makeClient()
      // In its own process each node goes on counting, whatever the other has let through. Where
      // the counts are changed in the middle of it, the client has its limit twice.
      for (const node of nodes) {
        const statuses = await ask(node, client, 2 * limit + 1, saw)
        if (statuses.at(-1) === 429) held += 1
        else lost.push(`a limit did not hold: ${statuses}`)
      }
      await sleep(20)
    }
    await mendIt()
    const normal = await untilShared(nodes, saw)
    return { fault, saw, lost, normal, note: `${held} clients were limited meanwhile` }
  } finally {
    await Promise.all(nodes.map((node) => node.stop()))
  }
}

/** Milliseconds until a run of clients, in whatever slots, is counted over both nodes together. */
async function untilShared(nodes: NodeProcess[], saw: Tally): Promise<number> {
  const started = performance.now()
  let since = started
  const [first, second] = nodes as [NodeProcess, NodeProcess]
  for (let run = 0; run < 16; run += 1) {
    const client = makeClient()
    await ask(first, client, limit, saw)
    const [status] = await ask(second, client, 1, saw)
    if (status === 429) continue
    if (performance.now() - started > 60_000) throw new Error('The limits are not shared again')
    await sleep(20)
    run = -1
    since = performance.now()
  }
  return since - started
}

/** Asks for something with a window of its own beside the global one: two keys in one script. */
async function ask({ httpPort }: NodeProcess, client: string, times: number, saw: Tally) {
  const statuses: number[] = []
  for (let time = 0; time < times; time += 1) {
    const { status } = await fetch(`http://127.0.0.1:${httpPort}/auth/workspaces?code=x`, {
      headers: { 'x-forwarded-for': client },
    })
    statuses.push(status)
    count(saw, String(status))
  }
  return statuses
}

function makeClient(): string {
  const part = () => Math.floor(Math.random() * 256)
  return `10.${part()}.${part()}.${part()}`
}
