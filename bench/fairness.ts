import { randomUUID } from 'node:crypto'
import { PermissionServiceService, RegisterBatchRequest } from '../gen/daikon/v1/permissions.ts'
import { measureAdmissionCost } from './admission-cost.ts'
import { type CheckBatch, createCheckBatches, createGroupedCheck } from './check-batches.ts'
import type { ServerState } from './child-process.ts'
import { grpcHead } from './credentials.ts'
import { idOf, kind } from './data-set.ts'
import { groupedMemberOf } from './data-set-size.ts'
import type { Harness, Measurement } from './harness.ts'
import { grpcMessage } from './http2-frames.ts'
import type { Job, Result } from './load.ts'
import { interleave, medianLoad, medianOf } from './rounds.ts'
import { formatLoad, formatNumber, type Row } from './table.ts'
import { fetchResponses, writeChecks, writeRequests } from './write-requests.ts'

/** Large calls of other tenants. */
type Load = { label: string; inFlight: number; files: string[]; percentile: 'p50' | 'p99' }

const { registerBatch } = PermissionServiceService

/** Seconds to wait for the first burst of a load to arrive. */
const burst = 1

/**
 * Compares the latency of single checks during large calls of other tenants with their latency on an
 * idle server.
 */
export async function measureFairness(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const { database, quick, rounds, seconds } = harness
  const daikon = harness.daikon()
  const prepare = async (name: string, batches: CheckBatch[]) => {
    const withResponses = await fetchResponses(harness, daikon, batches)
    return [writeChecks(harness, `fairness-${name}`, withResponses).daikon]
  }
  const files = await prepare('single', await createCheckBatches(database, 1, 500))
  const single = { kind: 'unary', inFlight: 1, files } as const
  const { groups } = groupedMemberOf(database.size)
  const loads: Load[] = [
    {
      label: '200 × 1,000 checks',
      inFlight: 200,
      files: await prepare('large', await createCheckBatches(database, 1000, quick ? 10 : 50)),
      percentile: 'p50',
    },
    {
      label: `2 × 999 checks by a member of ${formatNumber(groups)} groups`,
      inFlight: 2,
      files: await prepare('grouped', [createGroupedCheck(database.size, 999)]),
      percentile: 'p50',
    },
    {
      label: '4 × 1,000 registrations',
      inFlight: 4,
      files: [writeRegistrations(harness, quick ? 10 : 100)],
      percentile: 'p99',
    },
  ]
  const { port } = await daikon.request<ServerState>({})
  let idle: Measurement | undefined
  for (const { label, inFlight, files, percentile } of loads) {
    const load = { kind: 'unary', port, inFlight, files } as const
    const results = await interleave(rounds, {
      idle: () => harness.measure(daikon, single),
      loaded: async () => {
        // Runs in its own process, so that the load does not delay the client of the single checks.
        const job: Job = { ...load, seconds: seconds + burst + 1 }
        const loadResult = harness
          .startProcess('load.ts', 'beside')
          .request<Result>(job, job.seconds)
        await new Promise((resolve) => setTimeout(resolve, burst * 1000))
        const measured = await harness.measure(daikon, single)
        await loadResult
        return measured
      },
    })
    idle = results[0]?.idle
    addRow({
      label: `single checks beside ${label}, ${percentile} compared with quiet`,
      daikon: formatLoad(medianLoad(results, ({ loaded }) => loaded)),
      baseline: formatLoad(medianLoad(results, ({ idle }) => idle)),
      value: medianOf(results, ({ idle, loaded }) => loaded[percentile] / idle[percentile]),
      goal: { max: 3 },
    })
  }
  if (idle) addRow(await measureAdmissionCost(idle.cpu / idle.calls))
}

/** Writes batches of 1,000 resources. Those that the load sends again return the same resources. */
function writeRegistrations(harness: Harness, count: number): string {
  const { users, workspaces } = harness.database.size
  const head = grpcHead(registerBatch.path)
  const batches = Array.from({ length: count }, (_, batch) => {
    const user = batch % users
    const owned = { workspace_id: idOf('w', user % workspaces), owner_id: idOf('u', user) }
    const create = () => ({ ...kind, ...owned, resource_id: randomUUID(), attributes: undefined })
    const resources = Array.from({ length: 1000 }, create)
    const body = grpcMessage(RegisterBatchRequest.encode({ resources }).finish())
    return { head, body, expected: Buffer.alloc(0) }
  })
  return writeRequests(harness, 'fairness-registrations', batches)
}
