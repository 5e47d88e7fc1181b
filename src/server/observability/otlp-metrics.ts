import { randomUUID } from 'node:crypto'
import type { ValueType } from '@opentelemetry/api'
import type { DataPoint, MetricData, ScopeMetrics } from '@opentelemetry/sdk-metrics'
import type { MetricObjectWithValues, MetricValueWithName, Registry } from 'prom-client'
import type { Logger } from '../../core/logger.ts'
import { createExportLog } from './export-log.ts'

/** Exports metrics until it is stopped. */
export type MetricsExport = {
  /** Exports the metrics one last time. */
  stop(): Promise<void>
}

type MetricsExportOptions = {
  /** The base URL of the collector. */
  endpoint: string
  serviceName: string
  /** Milliseconds between exports. */
  interval: number
  registry: Registry
  log: Pick<Logger, 'warn' | 'info'>
}

type PrometheusMetric = MetricObjectWithValues<MetricValueWithName<string>>

/** Milliseconds that the last export may take. An unreachable collector must not delay the exit. */
const stopTimeout = 5000

/** Exports the metrics of a Prometheus registry by OTLP/HTTP. Loads OpenTelemetry on demand. */
export async function startMetricsExport({
  endpoint,
  serviceName,
  interval,
  registry,
  log,
}: MetricsExportOptions): Promise<MetricsExport> {
  const [
    { PeriodicExportingMetricReader },
    { OTLPExporterBase },
    { convertLegacyHttpOptions, createOtlpHttpExportDelegate },
    { JsonMetricsSerializer, MetricsExporterMetricsHelper },
    { resourceFromAttributes },
  ] = await Promise.all([
    import('@opentelemetry/sdk-metrics'),
    import('@opentelemetry/otlp-exporter-base'),
    import('@opentelemetry/otlp-exporter-base/node-http'),
    import('@opentelemetry/otlp-transformer'),
    import('@opentelemetry/resources'),
  ])
  const delegate = createOtlpHttpExportDelegate(
    convertLegacyHttpOptions({ url: `${endpoint}/v1/metrics` }, 'METRICS', 'v1/metrics', {
      'Content-Type': 'application/json',
    }),
    JsonMetricsSerializer,
    'otlp_http_metric_exporter',
    MetricsExporterMetricsHelper,
    undefined,
  )
  const exporter = new OTLPExporterBase(delegate)
  const logResult = createExportLog('metrics', log)
  const reader = new PeriodicExportingMetricReader({
    exportIntervalMillis: interval,
    exporter: {
      export: (metrics, onResult) =>
        exporter.export(metrics, (result) => {
          logResult(result)
          onResult(result)
        }),
      forceFlush: () => exporter.forceFlush(),
      shutdown: () => exporter.shutdown(),
    },
  })
  const resource = resourceFromAttributes({
    'service.name': serviceName,
    // Distinguishes nodes, and the workers of a node, which count separately.
    'service.instance.id': randomUUID(),
  })
  const startedAt = new Date(Date.now() - performance.now())
  reader.setMetricProducer({
    async collect() {
      const metrics = (await registry.getMetricsAsJSON()) as PrometheusMetric[]
      const scopeMetrics = [toScopeMetrics(metrics, startedAt, new Date())]
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] }
    },
  })
  return { stop: () => reader.shutdown({ timeoutMillis: stopTimeout }) }
}

/** Converts Prometheus metrics to OpenTelemetry metrics. Names and labels stay the same. */
export function toScopeMetrics(
  metrics: PrometheusMetric[],
  startedAt: Date,
  now: Date,
): ScopeMetrics {
  const times = { startTime: toHrTime(startedAt), endTime: toHrTime(now) }
  return { scope: { name: 'daikon' }, metrics: metrics.flatMap((metric) => convert(metric, times)) }
}

type Times = Pick<DataPoint<number>, 'startTime' | 'endTime'>

/**
 * Values of OpenTelemetry enums. Importing these would load OpenTelemetry even if it is disabled.
 */
const dataPointTypes = { histogram: 0, gauge: 2, sum: 3 }
const cumulative = 1
const double: ValueType = 1

function convert(metric: PrometheusMetric, times: Times): MetricData[] {
  const { name, help, values } = metric
  // prom-client declares metric types as numbers, but uses their names.
  const type = String(metric.type)
  const base = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: double },
    aggregationTemporality: cumulative,
  }
  const toPoint = <Value>(attributes: DataPoint<Value>['attributes'], value: Value) => ({
    ...times,
    attributes,
    value,
  })
  if (type === 'histogram') {
    const dataPoints = toHistograms(name, values).map(([attributes, value]) =>
      toPoint(attributes, value),
    )
    return [{ ...base, dataPointType: dataPointTypes.histogram, dataPoints }] as MetricData[]
  }
  if (type !== 'counter' && type !== 'gauge') return []
  const dataPoints = values.map(({ labels, value }) => toPoint({ ...labels }, value))
  return type === 'gauge'
    ? ([{ ...base, dataPointType: dataPointTypes.gauge, dataPoints }] as MetricData[])
    : ([
        { ...base, dataPointType: dataPointTypes.sum, isMonotonic: true, dataPoints },
      ] as MetricData[])
}

type HistogramValue = {
  sum: number
  count: number
  buckets: { boundaries: number[]; counts: number[] }
}

/**
 * Collects the buckets, sum and count of each combination of labels. The buckets of Prometheus are
 * cumulative.
 */
function toHistograms(
  name: string,
  values: MetricValueWithName<string>[],
): [labels: Record<string, string | number>, HistogramValue][] {
  const histograms = new Map<string, [Record<string, string | number>, HistogramValue]>()
  for (const { labels, value, metricName } of values) {
    const { le, ...rest } = labels as Record<string, string | number>
    const key = JSON.stringify(rest)
    const empty: HistogramValue = { sum: 0, count: 0, buckets: { boundaries: [], counts: [] } }
    const entry = histograms.get(key) ?? [rest, empty]
    histograms.set(key, entry)
    const [, histogram] = entry
    if (metricName === `${name}_sum`) histogram.sum = value
    else if (metricName === `${name}_count`) histogram.count = value
    else {
      if (le !== '+Inf') histogram.buckets.boundaries.push(Number(le))
      histogram.buckets.counts.push(value)
    }
  }
  for (const [, { buckets }] of histograms.values()) {
    buckets.counts = buckets.counts.map((count, index) => count - (buckets.counts[index - 1] ?? 0))
  }
  return [...histograms.values()]
}

/** Returns the unit in UCUM. In Prometheus, it is part of the name. */
function unitOf(name: string): string {
  if (/_seconds(_total)?$/.test(name)) return 's'
  return /_bytes(_total)?$/.test(name) ? 'By' : '1'
}

function toHrTime(date: Date): [seconds: number, nanoseconds: number] {
  const milliseconds = date.getTime()
  return [Math.floor(milliseconds / 1000), Math.round((milliseconds % 1000) * 1e6)]
}
