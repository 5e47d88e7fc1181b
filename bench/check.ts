import { createCheckBatches } from './check-batches.ts'
import type { BenchProcess } from './child-process.ts'
import type { DriverJob } from './driver.ts'
import type { Harness, Measurement } from './harness.ts'
import { interleave, medianLoad, medianOf } from './rounds.ts'
import { formatLoad, formatNumber, type Row } from './table.ts'
import { factsCacheBytes } from './workers.ts'
import { fetchResponses, writeChecks } from './write-requests.ts'

type Case = {
  items: number
  inFlight: number
  ratio?: number
  /** The maximum p99, compared with the baseline. */
  tail?: number
  items_per_second?: number
  /** Whether to also measure two worker processes, compared with two processes of the baseline. */
  workers?: true
}

const cases: Case[] = [
  { items: 1, inFlight: 1 },
  { items: 1, inFlight: 8, tail: 3 },
  { items: 1, inFlight: 64, ratio: 0.75, tail: 1.5, workers: true },
  { items: 1, inFlight: 256, ratio: 0.75, tail: 1.5, workers: true },
  { items: 50, inFlight: 16, ratio: 0.2 },
  { items: 1000, inFlight: 4, items_per_second: 100_000 },
]

type Pair = Record<'baseline' | 'daikon', Measurement>

type Round = Pair &
  Record<
    'nodeBaseline' | 'nodeDaikon' | 'roundTrip' | 'workers' | 'cachingWorkers' | 'twoBaselines',
    Measurement | undefined
  >

/**
 * Compares unary Check with a grpc-js handler that receives and sends the same bytes but does
 * nothing else.
 */
export async function measureCheck(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const { database, quick, rounds, measure } = harness
  const [daikon, baseline] = [harness.daikon(), harness.startProcess('grpc-baseline-server.ts')]
  const driver = harness.startProcess('driver.ts', database.url)
  const files = new Map<number, ReturnType<typeof writeChecks>>()
  for (const { items, inFlight, ratio, tail, items_per_second, workers } of cases) {
    const count = Math.ceil((quick ? 100 : 2000) / Math.sqrt(items))
    if (!files.has(items)) {
      const batchesWithResponses = await fetchResponses(
        harness,
        daikon,
        await createCheckBatches(database, items, count),
      )
      files.set(items, writeChecks(harness, `check-${items}`, batchesWithResponses))
    }
    const file = files.get(items) as ReturnType<typeof writeChecks>
    const job = { kind: 'unary', inFlight } as const
    const { seconds } = harness
    const byWorkers = {
      workers: () => measure(harness.workers(), { ...job, files: [file.daikon] }),
      cachingWorkers: () =>
        measure(harness.workers(factsCacheBytes), { ...job, files: [file.daikon] }),
      twoBaselines: () =>
        measure(harness.startProcess('grpc-baseline-server.ts', '2'), {
          ...job,
          files: [file.baseline],
        }),
    }
    // The other processes were warmed up by previous cases.
    if (workers) for (const warmUp of Object.values(byWorkers)) await warmUp()
    // Measures the same load with the generator in Node.js, unless it is the only generator.
    const byNode = async (server: BenchProcess, file: string) =>
      items === 1 && harness.generators.includes('go')
        ? measure(server, { ...job, files: [file], generator: 'node' })
        : undefined
    const results: Round[] = await interleave(rounds, {
      baseline: () => measure(baseline, { ...job, files: [file.baseline] }),
      daikon: () => measure(daikon, { ...job, files: [file.daikon] }),
      nodeBaseline: () => byNode(baseline, file.baseline),
      nodeDaikon: () => byNode(daikon, file.daikon),
      workers: async () => workers && byWorkers.workers(),
      cachingWorkers: async () => workers && byWorkers.cachingWorkers(),
      twoBaselines: async () => workers && byWorkers.twoBaselines(),
      roundTrip: async () =>
        inFlight === 1
          ? driver.request<Measurement>({
              statement: 'round trip',
              inFlight,
              seconds,
            } satisfies DriverJob)
          : undefined,
    })
    const label = `${items === 1 ? '1 item' : `${formatNumber(items)} items`}, ${inFlight} in flight`
    const baselineText = describe(results, 'baseline')
    const rate = medianOf(results, ({ baseline, daikon }) => daikon.rate / baseline.rate)
    const row = { label, daikon: describe(results, 'daikon'), baseline: baselineText }
    const goal = ratio && { goal: { min: ratio } }
    addRow({ ...row, value: rate, ...goal })
    const withNode = pairsOf(results, 'nodeDaikon', 'nodeBaseline')
    if (withNode.length > 0) {
      addRow({
        label: `${label}, generator in Node`,
        daikon: describe(withNode, 'daikon'),
        baseline: describe(withNode, 'baseline'),
        value: medianOf(withNode, ({ baseline, daikon }) => daikon.rate / baseline.rate),
      })
    }
    if (workers) {
      addRow({ ...compareWithTwoBaselines(`${label}, WORKERS=2`, results, 'workers'), ...goal })
      const cachingLabel = `${label}, WORKERS=2, facts in memory`
      addRow({ ...compareWithTwoBaselines(cachingLabel, results, 'cachingWorkers'), ...goal })
    }
    if (items_per_second) {
      const value = medianOf(results, ({ daikon }) => daikon.rate * items)
      addRow({ ...row, baseline: '', value, unit: ' items/s', goal: { min: items_per_second } })
    }
    if (inFlight === 1) addRow(subtractRoundTrip(row, results))
    if (tail) addRow(compareTails(row, results, tail))
  }
}

/** Returns the latency of a single check beyond the baseline and one round trip to PostgreSQL. */
function subtractRoundTrip(row: Pick<Row, 'label' | 'daikon'>, results: Round[]): Row {
  const roundTrip = medianOf(results, ({ roundTrip }) => roundTrip?.p50 ?? 0)
  const value = medianOf(results, ({ baseline, daikon }) => daikon.p50 - baseline.p50) - roundTrip
  return {
    label: `${row.label}: p50 beyond baseline and round trip`,
    daikon: `p50 ${formatNumber(medianOf(results, ({ daikon }) => daikon.p50))} ms`,
    baseline: `${formatNumber(medianOf(results, ({ baseline }) => baseline.p50))} + ${formatNumber(roundTrip)} ms`,
    value,
    unit: ' ms',
    goal: { max: 0.1 },
  }
}

/** Compares the rate of two workers with the rate of two processes of the baseline. */
function compareWithTwoBaselines(
  label: string,
  results: Round[],
  name: 'workers' | 'cachingWorkers',
): Row {
  const pairs = pairsOf(results, name, 'twoBaselines')
  return {
    label,
    daikon: formatLoad(medianLoad(pairs, ({ daikon }) => daikon)),
    baseline: `${formatLoad(medianLoad(pairs, ({ baseline }) => baseline))}, two processes`,
    value: medianOf(pairs, ({ daikon, baseline }) => daikon.rate / baseline.rate),
  }
}

/** Returns two measurements of each round that contains both. */
function pairsOf(results: Round[], daikonName: keyof Round, baselineName: keyof Round): Pair[] {
  return results.flatMap(({ [daikonName]: daikon, [baselineName]: baseline }) =>
    daikon && baseline ? [{ daikon, baseline }] : [],
  )
}

function compareTails(row: Pick<Row, 'label' | 'daikon'>, results: Round[], max: number): Row {
  return {
    label: `${row.label}: p99`,
    daikon: `${formatNumber(medianOf(results, ({ daikon }) => daikon.p99))} ms`,
    baseline: `${formatNumber(medianOf(results, ({ baseline }) => baseline.p99))} ms`,
    value: medianOf(results, ({ baseline, daikon }) => daikon.p99 / baseline.p99),
    goal: { max },
  }
}

function describe(results: Pair[], name: keyof Pair): string {
  const of = (read: (measured: Measurement) => number) =>
    medianOf(results, (round) => read(round[name]))
  const cpu = formatNumber(of(({ cpu, calls }) => cpu / calls))
  const statements = formatNumber(of(({ statements, calls }) => statements / calls))
  const generator = formatNumber(of(({ generatorCpu = 0, calls }) => generatorCpu / calls))
  const statementsText = name === 'daikon' ? `, ${statements} statements` : ''
  const load = formatLoad(medianLoad(results, (round) => round[name]))
  return `${load}, ${cpu} µs CPU${statementsText}, generator ${generator} µs`
}
