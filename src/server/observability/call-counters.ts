import type { ErrorCode } from '../../core/error-codes.ts'
import type { Call } from '../../rpc/call.ts'
import type { Operation } from '../../rpc/operation.ts'
import type { CallResult } from '../../rpc/pipeline.ts'

/** Upper bounds of the latency buckets, in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type Labels = Record<string, string | number>

/** A metric in the form that a prom-client registry collects. */
export type CollectedMetric = {
  name: string
  help: string
  type: 'counter' | 'histogram'
  aggregator: 'sum'
  values: { labels: Labels; value: number; metricName?: string }[]
}

/** The calls of one method over one transport with the same result. */
type Row = { code: string; count: number; seconds: number; buckets: number[] }

type Rows = Partial<Record<ErrorCode | 'ok', Row>>

/**
 * Counts calls and their latencies. A labelled counter and histogram of prom-client cost 2 µs per
 * call, these 0.1 µs.
 */
export function createCallCounters(): {
  count(result: Pick<CallResult, 'operation' | 'call' | 'error' | 'milliseconds'>): void
  collect(): CollectedMetric[]
} {
  const transports: Record<Call['transport'], Map<Operation['name'], Rows>> = {
    grpc: new Map(),
    http: new Map(),
  }
  return {
    count({ operation, call, error, milliseconds }) {
      const row = findOrCreateRow(transports[call.transport], operation.name, error?.code ?? 'ok')
      const seconds = milliseconds / 1000
      row.count += 1
      row.seconds += seconds
      const bucket = bounds.findIndex((bound) => seconds <= bound)
      if (bucket !== -1) row.buckets[bucket] = (row.buckets[bucket] ?? 0) + 1
    },
    collect() {
      const rows = Object.entries(transports).flatMap(([transport, methods]) =>
        [...methods].flatMap(([method, rows]) =>
          Object.values(rows).map((row) => ({
            row,
            labels: { method, transport, code: row.code },
          })),
        ),
      )
      return [
        {
          name: 'daikon_calls_total',
          help: 'Finished calls, by method, transport and error code',
          type: 'counter',
          aggregator: 'sum',
          values: rows.map(({ row, labels }) => ({ labels, value: row.count })),
        },
        {
          name: 'daikon_call_duration_seconds',
          help: 'Time from receiving a call to its response',
          type: 'histogram',
          aggregator: 'sum',
          values: rows.flatMap(({ row, labels }) => histogram(row, labels)),
        },
      ]
    },
  }
}

function findOrCreateRow(
  methods: Map<Operation['name'], Rows>,
  name: string,
  code: keyof Rows,
): Row {
  const rows = methods.get(name) ?? {}
  const row = rows[code] ?? { code, count: 0, seconds: 0, buckets: bounds.map(() => 0) }
  if (row.count > 0) return row
  rows[code] = row
  methods.set(name, rows)
  return row
}

function histogram({ count, seconds, buckets }: Row, labels: Labels): CollectedMetric['values'] {
  const name = 'daikon_call_duration_seconds'
  let cumulative = 0
  const bucketValues = bounds.map((le, index) => {
    cumulative += buckets[index] ?? 0
    return { labels: { le, ...labels }, value: cumulative, metricName: `${name}_bucket` }
  })
  return [
    ...bucketValues,
    { labels: { le: '+Inf', ...labels }, value: count, metricName: `${name}_bucket` },
    { labels, value: seconds, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ]
}
