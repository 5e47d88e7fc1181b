import { type CheckBatch, createCheckBatches } from './check-batches.ts'
import type { Harness } from './harness.ts'
import { interleave, medianLoad, medianOf } from './rounds.ts'
import { formatLoad, type Row } from './table.ts'
import { fetchResponses, writeChecks, writeStreamChecks } from './write-requests.ts'

const streams = 4

/** The fraction of the maximum rate at which the open loop sends. */
const share = 0.7

/**
 * Compares CheckStream with unary Check of one item, and measures its latency below the maximum
 * rate.
 */
export async function measureStream(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const { database, quick, rounds, measure } = harness
  const daikon = harness.daikon()
  const perStream = quick ? 500 : 5000
  const single = await fetchResponses(
    harness,
    daikon,
    await createCheckBatches(database, 1, perStream),
  )
  const unary = [writeChecks(harness, 'stream-unary', single).daikon]
  const batches = await createCheckBatches(database, perStream, streams)
  const files: string[] = []
  for (const [index, batch] of batches.entries()) {
    const batchesWithResponses = await fetchResponses(harness, daikon, splitBatch(batch))
    files.push(writeStreamChecks(harness, `stream-${index}`, batchesWithResponses))
  }

  let max = 0
  for (const inFlight of [64, 256]) {
    const results = await interleave(rounds, {
      unary: () => measure(daikon, { kind: 'unary', inFlight, files: unary }),
      stream: () => measure(daikon, { kind: 'stream', inFlight, files }),
    })
    max = Math.max(
      max,
      medianOf(results, ({ stream }) => stream.rate),
    )
    addRow({
      label: `CheckStream, ${inFlight} in flight, compared with unary`,
      daikon: formatLoad(medianLoad(results, ({ stream }) => stream)),
      baseline: formatLoad(medianLoad(results, ({ unary }) => unary)),
      value: medianOf(results, ({ stream, unary }) => stream.rate / unary.rate),
      goal: { min: 2 },
    })
  }
  const pace = max * share
  const paced = await interleave(rounds, {
    stream: () => measure(daikon, { kind: 'stream', inFlight: 0, pace, files }),
  })
  const p99 = medianOf(paced, ({ stream }) => stream.p99)
  addRow({
    label: `CheckStream, open loop at ${share * 100} % of its maximum: p99`,
    daikon: formatLoad(medianLoad(paced, ({ stream }) => stream)),
    baseline: '',
    value: p99,
    unit: ' ms',
    goal: { max: 5 },
  })
}

/** Splits a batch into batches that are small enough for Check. */
function splitBatch({ checks, mustAllow, ...batch }: CheckBatch): CheckBatch[] {
  const max = 1000
  return Array.from({ length: Math.ceil(checks.length / max) }, (_, index) => {
    const range = [index * max, (index + 1) * max]
    return { ...batch, checks: checks.slice(...range), mustAllow: mustAllow.slice(...range) }
  })
}
