import { createCheckBatches } from './check-batches.ts'
import type { BenchProcess } from './child-process.ts'
import type { DriverJob } from './driver.ts'
import type { Harness, Measurement } from './harness.ts'
import { interleave, medianLoad, medianOf } from './rounds.ts'
import { formatLoad, formatNumber, type Row } from './table.ts'
import { fetchResponses, writeChecks } from './write-requests.ts'

type Case = {
  items: number
  inFlight: number
  ratio?: number
  items_per_second?: number
  /** Also measured with two worker processes. */
  workers?: true
}

const cases: Case[] = [
  { items: 1, inFlight: 1 },
  { items: 1, inFlight: 8 },
  { items: 1, inFlight: 64, ratio: 0.6, workers: true },
  { items: 1, inFlight: 256, ratio: 0.75, workers: true },
  { items: 50, inFlight: 16, ratio: 0.2 },
  { items: 1000, inFlight: 4, items_per_second: 100_000 },
]

type Round = Record<'floor' | 'daikon', Measurement> &
  Record<'nodeFloor' | 'nodeDaikon' | 'trip' | 'workers', Measurement | undefined>

/** Unary Check compared with a grpc-js handler that does nothing with the same bytes. */
export async function measureCheck(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const { database, quick, rounds, measure } = harness
  const [daikon, floor] = [harness.daikon(), harness.startProcess('grpc-baseline-server.ts')]
  const driver = harness.startProcess('driver.ts', database.url)
  const files = new Map<number, ReturnType<typeof writeChecks>>()
  for (const { items, inFlight, ratio, items_per_second, workers } of cases) {
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
    // The other processes were warmed up by the previous cases.
    if (workers) await measure(harness.workers(), { ...job, files: [file.daikon] })
    // The same with the generator in Node, unless it is the only one.
    const byNode = async (server: BenchProcess, file: string) =>
      items === 1 && harness.generators.includes('go')
        ? measure(server, { ...job, files: [file], generator: 'node' })
        : undefined
    const results: Round[] = await interleave(rounds, {
      floor: () => measure(floor, { ...job, files: [file.floor] }),
      daikon: () => measure(daikon, { ...job, files: [file.daikon] }),
      nodeFloor: () => byNode(floor, file.floor),
      nodeDaikon: () => byNode(daikon, file.daikon),
      workers: async () => workers && measure(harness.workers(), { ...job, files: [file.daikon] }),
      trip: async () =>
        inFlight === 1
          ? driver.request<Measurement>({
              statement: 'round trip',
              inFlight,
              seconds,
            } satisfies DriverJob)
          : undefined,
    })
    const label = `${items === 1 ? '1 item' : `${formatNumber(items)} items`}, ${inFlight} in flight`
    const baseline = say(results, 'floor')
    const rate = medianOf(results, ({ floor, daikon }) => daikon.rate / floor.rate)
    const row = { label, daikon: say(results, 'daikon'), baseline }
    const goal = ratio && { goal: { min: ratio } }
    addRow({ ...row, value: rate, ...goal })
    const withNode = results.flatMap(({ nodeFloor, nodeDaikon }) =>
      nodeFloor && nodeDaikon ? [{ floor: nodeFloor, daikon: nodeDaikon }] : [],
    )
    if (withNode.length > 0) {
      addRow({
        label: `${label}, generator in Node`,
        daikon: say(withNode, 'daikon'),
        baseline: say(withNode, 'floor'),
        value: medianOf(withNode, ({ floor, daikon }) => daikon.rate / floor.rate),
      })
    }
    if (workers) {
      const figures = results.flatMap(({ workers, floor }) => (workers ? [{ workers, floor }] : []))
      addRow({
        label: `${label}, WORKERS=2`,
        daikon: formatLoad(medianLoad(figures, ({ workers }) => workers)),
        baseline,
        value: medianOf(figures, ({ workers, floor }) => workers.rate / floor.rate),
        ...goal,
      })
    }
    if (items_per_second) {
      const value = medianOf(results, ({ daikon }) => daikon.rate * items)
      addRow({ ...row, baseline: '', value, unit: ' items/s', goal: { min: items_per_second } })
    }
    if (inFlight === 1) addRow(besideRoundTrip(row, results))
    if (inFlight === 8) addRow(besideFloor(row, results))
  }
}

/** The latency of a single check beyond the baseline and one round trip to PostgreSQL. */
function besideRoundTrip(row: Pick<Row, 'label' | 'daikon'>, results: Round[]): Row {
  const trip = medianOf(results, ({ trip }) => trip?.p50 ?? 0)
  const value = medianOf(results, ({ floor, daikon }) => daikon.p50 - floor.p50) - trip
  return {
    label: `${row.label}: p50 beyond baseline and round trip`,
    daikon: `p50 ${formatNumber(medianOf(results, ({ daikon }) => daikon.p50))} ms`,
    baseline: `${formatNumber(medianOf(results, ({ floor }) => floor.p50))} + ${formatNumber(trip)} ms`,
    value,
    unit: ' ms',
    goal: { max: 0.1 },
  }
}

function besideFloor(row: Pick<Row, 'label' | 'daikon'>, results: Round[]): Row {
  return {
    label: `${row.label}: p99`,
    daikon: `${formatNumber(medianOf(results, ({ daikon }) => daikon.p99))} ms`,
    baseline: `${formatNumber(medianOf(results, ({ floor }) => floor.p99))} ms`,
    value: medianOf(results, ({ floor, daikon }) => daikon.p99 / floor.p99),
    goal: { max: 3 },
  }
}

function say(results: Record<'floor' | 'daikon', Measurement>[], name: 'floor' | 'daikon'): string {
  const of = (read: (measured: Measurement) => number) =>
    medianOf(results, (round) => read(round[name]))
  const cpu = formatNumber(of(({ cpu, calls }) => cpu / calls))
  const statements = formatNumber(of(({ statements, calls }) => statements / calls))
  const generator = formatNumber(of(({ generatorCpu = 0, calls }) => generatorCpu / calls))
  const own = name === 'daikon' ? `, ${statements} statements` : ''
  const load = formatLoad(medianLoad(results, (round) => round[name]))
  return `${load}, ${cpu} µs CPU${own}, generator ${generator} µs`
}
