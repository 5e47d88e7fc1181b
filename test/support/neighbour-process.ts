import { setTimeout as sleep } from 'node:timers/promises'
import { connectToNode } from '../../bench/faults/node-process.ts'
import { expectOk } from './outcome.ts'
import type { Member } from './workspace-fixture.ts'

/** What the neighbour calls, and with which credentials. */
export type NeighbourJob = {
  grpcPort: number
  httpPort: number
  owner: Member
  key: string
  check: { service_name: string; resource_type: string; resource_id: string; action: string }
}

/** The calls of the neighbour since the previous sample. Latencies are in milliseconds. */
export type NeighbourSample = {
  calls: number
  /** The number of failed calls by error. */
  failed: Record<string, number>
  p50: number
  p99: number
  slowest: number
}

/** Milliseconds between calls of a client, and until a call counts as failed. */
const pause = 25
const timeLimit = 30_000

// Three clients call one after the other: a check over gRPC, a check over REST, and /health. The
// first message starts them, and each further one is answered with a sample.
process.once('message', (job: NeighbourJob) => {
  const [grpc, rest] = connectToNode(job)
  const { owner, key, check } = job
  const credentials = { token: owner.token, key }
  const steps = [grpc, rest].map((transport) => async () => {
    const outcome = await transport?.call('Check', { checks: [check] }, credentials)
    if (!outcome || !expectOk(outcome).results[0].allowed) throw new Error('Wrong decision')
  })
  steps.push(async () => {
    const response = await fetch(`http://127.0.0.1:${job.httpPort}/health`)
    if (!response.ok) throw new Error(`/health returned ${response.status}`)
    await response.text()
  })

  let latencies: number[] = []
  let failed: NeighbourSample['failed'] = {}
  const running = new Set<Promise<void>>()

  async function measure(step: () => Promise<void>): Promise<void> {
    const startedAt = performance.now()
    const timeout = new AbortController()
    const expired = sleep(timeLimit, undefined, { signal: timeout.signal }).then(() => {
      throw new Error(`No response within ${timeLimit} ms`)
    })
    try {
      await Promise.race([step(), expired])
    } catch (error) {
      const { cause } = error as Error
      const label = cause ? `${error}: ${cause}` : `${error}`
      failed[label] = (failed[label] ?? 0) + 1
    } finally {
      timeout.abort()
      expired.catch(() => {})
    }
    latencies.push(performance.now() - startedAt)
  }

  for (const step of steps) {
    const repeat = async () => {
      for (;;) {
        const call = measure(step)
        running.add(call)
        await call
        running.delete(call)
        await sleep(pause)
      }
    }
    repeat()
  }

  process.on('message', async () => {
    await Promise.all(running)
    const sorted = latencies.toSorted((one, other) => one - other)
    const quantile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
    const slowest = sorted.at(-1) ?? 0
    const sample = { failed, p50: quantile(0.5), p99: quantile(0.99), slowest }
    process.send?.({ calls: sorted.length, ...sample })
    latencies = []
    failed = {}
  })
  process.send?.({})
})
process.once('disconnect', () => process.exit())
