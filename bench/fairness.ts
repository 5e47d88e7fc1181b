import { measureAdmissionCost } from './admission-cost.ts'
import { type CheckBatch, createCheckBatches, createGroupedCheck } from './check-batches.ts'
import type { ServerState } from './child-process.ts'
import { groupedMemberOf } from './data-set-size.ts'
import type { Harness, Measurement } from './harness.ts'
import type { Job, Result } from './load.ts'
import { interleave, medianLoad, medianOf } from './rounds.ts'
import { formatLoad, formatNumber, type Row } from './table.ts'
import { fetchResponses, writeChecks } from './write-requests.ts'

/** Large checks of other tenants. */
type Load = { name: string; label: string; inFlight: number; batches: CheckBatch[] }

/** Seconds to wait for the first burst of a load to arrive. */
const burst = 1

/**
 * Compares the latency of single checks during large checks of other tenants with their latency on
 * an idle server.
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
      name: 'large',
      label: '200 × 1,000 checks',
      inFlight: 200,
      batches: await createCheckBatches(database, 1000, quick ? 10 : 50),
    },
    {
      name: 'grouped',
      label: `2 × 999 checks by a member of ${formatNumber(groups)} groups`,
      inFlight: 2,
      batches: [createGroupedCheck(database.size, 999)],
    },
  ]
  const { port } = await daikon.request<ServerState>({})
  let idle: Measurement | undefined
  for (const { name, label, inFlight, batches } of loads) {
    const load = { kind: 'unary', port, inFlight, files: await prepare(name, batches) } as const
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
      label: `single checks beside ${label}, p50 compared with quiet`,
      daikon: formatLoad(medianLoad(results, ({ loaded }) => loaded)),
      baseline: formatLoad(medianLoad(results, ({ idle }) => idle)),
      value: medianOf(results, ({ idle, loaded }) => loaded.p50 / idle.p50),
      goal: { max: 3 },
    })
  }
  if (idle) addRow(await measureAdmissionCost(idle.cpu / idle.calls))
}
