import { createCheckBatches } from './check-batches.ts'
import type { ServerState } from './child-process.ts'
import type { Harness } from './harness.ts'
import type { Job, Result } from './load.ts'
import { formatLoad, type Row } from './table.ts'
import { fetchResponses, writeChecks } from './write-requests.ts'

const largeInFlight = 200

/** The latency of single checks beside batches of 1,000 checks, compared with their quiet latency. */
export async function measureFairness(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const { database, quick, seconds } = harness
  const daikon = harness.daikon()
  const prepare = async (items: number, count: number) => {
    const batches = await createCheckBatches(database, items, count)
    const withResponses = await fetchResponses(harness, daikon, batches)
    return [writeChecks(harness, `fairness-${items}`, withResponses).daikon]
  }
  const single = { kind: 'unary', inFlight: 1, files: await prepare(1, 500) } as const
  const large = {
    kind: 'unary',
    inFlight: largeInFlight,
    files: await prepare(1000, quick ? 10 : 50),
  } as const
  const quiet = await harness.measure(daikon, single)
  const { port } = await daikon.request<ServerState>({})
  // A process of its own, so that the load does not delay the client of the single checks.
  const beside = harness
    .startProcess('load.ts', 'beside')
    .request<Result>({ ...large, port, seconds: seconds + 2 } satisfies Job, seconds + 2)
  const loaded = await harness.measure(daikon, single)
  await beside
  addRow({
    label: `single checks beside ${largeInFlight} × 1,000 checks, p50 compared with quiet`,
    daikon: formatLoad(loaded),
    baseline: formatLoad(quiet),
    value: loaded.p50 / quiet.p50,
    goal: { max: 3 },
  })
}
