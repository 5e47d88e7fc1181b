import { createCheckBatches } from './check-batches.ts'
import type { Harness } from './harness.ts'
import { interleave, medianLoad, medianOf } from './rounds.ts'
import { formatLoad, type Row } from './table.ts'
import { fetchResponses, writeRestChecks } from './write-requests.ts'

/** Compares `POST /permissions/check` of one item with an Express app that sends the JSON back. */
export async function measureRest(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const { database, quick, rounds, measure } = harness
  const [daikon, echo] = [harness.daikon(), harness.startProcess('express-baseline-server.ts')]
  const batches = await createCheckBatches(database, 1, quick ? 100 : 2000)
  const files = writeRestChecks(harness, 'rest', await fetchResponses(harness, daikon, batches))
  for (const inFlight of [8, 64]) {
    const job = { kind: 'http1', inFlight } as const
    const results = await interleave(rounds, {
      daikon: () => measure(daikon, { ...job, files: [files.daikon] }),
      echo: () => measure(echo, { ...job, files: [files.echo] }),
    })
    addRow({
      label: `POST /permissions/check, ${inFlight} in flight, compared with an Express echo`,
      daikon: formatLoad(medianLoad(results, ({ daikon }) => daikon)),
      baseline: formatLoad(medianLoad(results, ({ echo }) => echo)),
      value: medianOf(results, ({ daikon, echo }) => daikon.rate / echo.rate),
      goal: { min: 0.6 },
    })
  }
}
