import test from 'ava'
import { Registry } from 'prom-client'
import { startMetricsExport } from '../../src/server/observability/otlp-metrics.ts'
import { startCollector } from '../support/collector.ts'
import { cloneDatabase } from '../support/database.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { createKeyFolder, startServer } from '../support/server-process.ts'

const database = await cloneDatabase()
test.after.always(() => database.drop())

type Attribute = { key: string; value: { stringValue?: string; doubleValue?: number } }
type Point = {
  attributes: Attribute[]
  asDouble?: number
  count?: number
  sum?: number
  bucketCounts?: number[]
  explicitBounds?: number[]
}
type Metric = {
  name: string
  unit: string
  sum?: { isMonotonic: boolean; aggregationTemporality: number; dataPoints: Point[] }
  gauge?: { dataPoints: Point[] }
  histogram?: { dataPoints: Point[] }
}
type Export = {
  resourceMetrics: {
    resource: { attributes: Attribute[] }
    scopeMetrics: { metrics: Metric[] }[]
  }[]
}

const attributesOf = (point: Pick<Point, 'attributes'>) =>
  Object.fromEntries(
    point.attributes.map(({ key, value }) => [key, value.stringValue ?? value.doubleValue]),
  )

test('a stopping server exports the metrics of its last calls, with the same values as /metrics', async (t) => {
  const { exports, url } = await startCollector<Export>(t, '/v1/metrics')
  const server = await startServer(t, createKeyFolder(t), {
    DATABASE_URL: database.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_METRIC_EXPORT_INTERVAL: '3600000',
    OTEL_SERVICE_NAME: 'daikon-test',
  })
  for (let count = 0; count < 3; count += 1)
    await fetch(`http://127.0.0.1:${server.httpPort}/users/me`)
  const { text } = await sendRawHttp(server.metricsPort, { path: '/metrics' })
  t.is(exports.length, 0)
  server.child.kill('SIGTERM')
  t.deepEqual(await server.exited, { code: 0, signal: null })

  const [last] = exports.at(-1)?.resourceMetrics ?? []
  t.is(attributesOf(last?.resource as never)['service.name'], 'daikon-test')
  const metrics = new Map(
    last?.scopeMetrics.flatMap((scope) => scope.metrics).map((metric) => [metric.name, metric]),
  )
  const served = [...text.matchAll(/^# TYPE (\S+) (counter|gauge|histogram)$/gm)]
  t.true(served.length > 40)
  for (const [, name = '', type] of served) {
    const metric = metrics.get(name)
    t.truthy(type === 'counter' ? metric?.sum : metric?.[type as 'gauge' | 'histogram'], name)
  }
  const labels = {
    method: 'daikon.v1.UserService/GetMe',
    transport: 'http',
    code: 'unauthenticated',
  }
  const find = (points: Point[] = []) =>
    points.find((point) => attributesOf(point).method === labels.method)
  const calls = metrics.get('daikon_calls_total')
  t.like(calls?.sum, { isMonotonic: true, aggregationTemporality: 2 })
  const call = find(calls?.sum?.dataPoints)
  t.deepEqual(attributesOf(call as Point), labels)
  t.is(call?.asDouble, 3)
  const duration = metrics.get('daikon_call_duration_seconds')
  t.is(duration?.unit, 's')
  const histogram = find(duration?.histogram?.dataPoints)
  t.is(Number(histogram?.count), 3)
  const counts = histogram?.bucketCounts?.map(Number) ?? []
  t.is(counts.length, (histogram?.explicitBounds?.length ?? 0) + 1)
  t.is(
    counts.reduce((one, other) => one + other),
    3,
    'buckets are not cumulative',
  )
  t.is(metrics.get('daikon_draining')?.gauge?.dataPoints[0]?.asDouble, 1)
})

test('a collector that rejects metrics is logged once', async (t) => {
  const { exports, state, url } = await startCollector<Export>(t, '/v1/metrics')
  state.status = 400
  const logged: string[] = []
  const rejected = Promise.withResolvers<void>()
  const accepted = Promise.withResolvers<void>()
  const log = {
    warn: (_details: object, text: string) => rejected.resolve(void logged.push(text)),
    info: (text: string) => accepted.resolve(void logged.push(text)),
  }
  const registry = new Registry()
  const exporting = await startMetricsExport({
    endpoint: url,
    serviceName: 'daikon',
    interval: 1000,
    registry,
    log: log as never,
  })
  await rejected.promise
  state.status = 200
  await accepted.promise
  await exporting.stop()
  t.deepEqual(logged, ['Exporting metrics failed', 'Exporting metrics works again'])
  t.true(exports.length >= 2)
})
