import { randomUUID } from 'node:crypto'
import test from 'ava'
import type { DecisionLine } from '../../src/server/observability/decision-log.ts'
import { startDecisionExport } from '../../src/server/observability/otlp-decisions.ts'
import { startCollector } from '../support/collector.ts'
import { connectToServer } from '../support/connect-to-server.ts'
import { cloneDatabase } from '../support/database.ts'
import { expectOk } from '../support/outcome.ts'
import { createKeyFolder, startServer } from '../support/server-process.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const database = await cloneDatabase()
test.after.always(() => database.drop())

type Value = { stringValue?: string; boolValue?: boolean; doubleValue?: number; intValue?: number }
type Attribute = { key: string; value: Value }
type Record = {
  timeUnixNano: string
  severityText: string
  eventName: string
  body: Value
  attributes: Attribute[]
}
type Export = {
  resourceLogs: {
    resource: { attributes: Attribute[] }
    scopeLogs: { logRecords: Record[] }[]
  }[]
}

const readValue = ({ value }: Attribute) => Object.values(value)[0] as string | number | boolean
const factsOf = (attributes: Attribute[] = []) =>
  Object.fromEntries(attributes.map((attribute) => [attribute.key, readValue(attribute)]))
const recordsOf = (exports: Export[]) =>
  exports.flatMap(({ resourceLogs }) =>
    resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords)),
  )

test('a stopping server exports its last decisions, and writes none to standard output', async (t) => {
  const { exports, url } = await startCollector<Export>(t, '/v1/logs')
  const folder = createKeyFolder(t)
  const server = await startServer(t, folder, {
    DATABASE_URL: database.url,
    DECISION_LOG: 'denied',
    DECISION_LOG_OUTPUT: 'otlp',
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_SERVICE_NAME: 'daikon-test',
  })
  const environment = await connectToServer(folder, server, database)
  const expected: object[] = []
  for (const transport of environment.transports) {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, kind, service, workspace } = fixture
    const { resource_id } = await fixture.register(people.owner)
    const request_id = randomUUID()
    const credentials = { ...fixture.as(people.viewer), headers: { 'x-request-id': request_id } }
    const checks = [{ ...kind, resource_id, action: 'edit' }]
    expectOk(await transport.call('Check', { checks }, credentials))
    expected.push({
      event: 'decision',
      request_id,
      service,
      subject: people.viewer.id,
      workspace_id: workspace,
      action: 'edit',
      resource: `${service}/document/${resource_id}`,
      allowed: false,
      reason: 'no_grant',
    })
  }
  server.child.kill('SIGTERM')
  t.deepEqual(await server.exited, { code: 0, signal: null })

  const records = recordsOf(exports)
  const facts = records.map(({ attributes }) => {
    const { duration_ms, ...others } = factsOf(attributes)
    t.true(Number(duration_ms) > 0)
    return others
  })
  t.deepEqual(facts, expected as never)
  for (const { eventName, severityText, body, timeUnixNano } of records) {
    t.is(eventName, 'decision')
    t.is(severityText, 'INFO')
    t.regex(body.stringValue ?? '', /^edit \S+\/document\/\S+ denied: no_grant$/)
    t.true(Number(timeUnixNano) > 1e18)
  }
  const [{ resource } = { resource: undefined }] = exports[0]?.resourceLogs ?? []
  t.is(factsOf(resource?.attributes)['service.name'], 'daikon-test')
  t.false(server.lines.some(({ event }) => event === 'decision'))
})

const line: DecisionLine = {
  time: '2026-01-01T00:00:00.000Z',
  event: 'decision',
  request_id: 'r',
  service: null,
  subject: 'unknown',
  agent: null,
  delegation_id: null,
  workspace_id: null,
  action: null,
  resource: null,
  allowed: false,
  reason: 'invalid',
  duration_ms: 1,
}

test('a collector that rejects decisions is logged once, and unknown facts are absent', async (t) => {
  const { exports, state, url } = await startCollector<Export>(t, '/v1/logs')
  state.status = 400
  const logged: string[] = []
  const rejected = Promise.withResolvers<void>()
  const log = {
    warn: (_details: object, text: string) => rejected.resolve(void logged.push(text)),
    info: (text: string) => void logged.push(text),
  }
  const options = { endpoint: url, serviceName: 'daikon', log: log as never }
  const exporting = await startDecisionExport(options)
  exporting.write(line)
  await rejected.promise
  state.status = 200
  exporting.write(line)
  await exporting.stop()
  t.deepEqual(logged, ['Exporting decisions failed', 'Exporting decisions works again'])
  const [record] = recordsOf(exports)
  t.is(record?.body.stringValue, 'denied: invalid')
  t.deepEqual(factsOf(record?.attributes), {
    event: 'decision',
    request_id: 'r',
    subject: 'unknown',
    allowed: false,
    reason: 'invalid',
    duration_ms: 1,
  })
})
