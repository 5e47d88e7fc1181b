import { setTimeout as sleep } from 'node:timers/promises'
import { connectToNode } from '../faults/node-process.ts'
import { type OutcomeCounts, sum } from '../faults/traffic.ts'
import { attacks } from './attacks.ts'
import type { Target } from './target.ts'

/**
 * Attacks to run concurrently for `seconds`. The response contains the number of calls by outcome.
 */
export type AttackJob = { names: string[]; target: Target; seconds: number }

/**
 * Milliseconds that the last calls may take. When the process exits, the remaining calls are
 * cancelled.
 */
const gracePeriod = 1000

/** The minimum number of outcomes of an attack. On a slow machine, it runs longer to reach it. */
const minOutcomes = 10

/** The maximum time by which an attack may exceed its duration, in milliseconds. */
const maxExcess = 10_000

// Runs in its own process, so that the attack does not delay the clients of other tenants.
process.once('message', async () => {
  process.send?.({})
  process.once('message', async (job: AttackJob) => {
    const outcomes = await run(job)
    process.send?.(outcomes, () => process.exit())
  })
})
process.once('disconnect', () => process.exit())

async function run({ names, target, seconds }: AttackJob): Promise<OutcomeCounts> {
  const [grpc] = connectToNode(target)
  if (!grpc) throw new Error('A node has a gRPC transport')
  const outcomes: OutcomeCounts = {}
  const endsAt = performance.now() + seconds * 1000
  const isOver = () => {
    const now = performance.now()
    if (now < endsAt) return false
    return sum(outcomes) - (outcomes.unfinished ?? 0) >= minOutcomes || now > endsAt + maxExcess
  }
  const running = names.map((name) => {
    const attack = attacks[name]
    if (!attack) throw new Error(`Unknown attack: ${name}`)
    return attack.run({ target, grpc, isOver, outcomes })
  })
  let isDone = false
  const all = Promise.all(running).then(() => {
    isDone = true
  })
  while (!isDone && !isOver()) await sleep(50)
  await Promise.race([all, sleep(gracePeriod)])
  return outcomes
}
