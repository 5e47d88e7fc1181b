import { setTimeout as sleep } from 'node:timers/promises'
import { createCheckBatches } from './check-batches.ts'
import { type ServerState, startBenchProcess } from './child-process.ts'
import type { Harness, Measurement } from './harness.ts'
import { formatNumber, type Row } from './table.ts'
import { fetchResponses, writeChecks } from './write-requests.ts'

const megabyte = 1024 * 1024

/** Measures the server's memory under load after warm-up, for ten minutes with `--long`. */
export async function measureMemory(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const { database, quick } = harness
  const seconds = process.argv.includes('--long') ? 600 : quick ? 4 : 60
  // A separate server, because other parts have increased the memory of the shared one.
  const { privatePath, publicPath } = database.keyPaths
  const daikon = startBenchProcess('daikon-server.ts', database.url, privatePath, publicPath)
  const batchesWithResponses = await fetchResponses(
    harness,
    daikon,
    await createCheckBatches(database, 1, quick ? 100 : 2000),
  )
  const files = [writeChecks(harness, 'memory', batchesWithResponses).daikon]
  const job = { kind: 'unary', inFlight: 64, files } as const
  await harness.measure(daikon, { ...job, seconds: quick ? 1 : 60 })

  const samples: { minutes: number; megabytes: number }[] = []
  const startedAt = performance.now()
  const ended: { result?: Measurement } = {}
  const loading = harness.measure(daikon, { ...job, seconds }).then((result) => {
    ended.result = result
  })
  while (!ended.result) {
    const { rss } = await daikon.request<ServerState>({})
    const minutes = (performance.now() - startedAt) / 60_000
    samples.push({ minutes, megabytes: rss / megabyte })
    await Promise.race([sleep(500), loading])
  }
  await loading
  const sizes = samples.map(({ megabytes }) => megabytes)
  const mean = sizes.reduce((a, b) => a + b, 0) / sizes.length
  const slope = slopeOf(samples)
  addRow({
    label: `memory over ${seconds} s at 64 in flight, extrapolated growth in ten minutes`,
    daikon: `${formatNumber(Math.min(...sizes))} to ${formatNumber(Math.max(...sizes))} MB, ${formatNumber(slope)} MB per minute`,
    baseline: `${formatNumber(mean)} MB mean`,
    value: (slope * 10 * 100) / mean,
    unit: ' %',
    goal: { max: 10 },
  })
}

/** Returns the growth in megabytes per minute, estimated by least squares. */
function slopeOf(samples: { minutes: number; megabytes: number }[]): number {
  const mean = (read: (sample: (typeof samples)[number]) => number) =>
    samples.reduce((sum, sample) => sum + read(sample), 0) / samples.length
  const [x, y] = [mean(({ minutes }) => minutes), mean(({ megabytes }) => megabytes)]
  const along = mean(({ minutes, megabytes }) => (minutes - x) * (megabytes - y))
  return along / mean(({ minutes }) => (minutes - x) ** 2)
}
