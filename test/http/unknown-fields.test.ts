import type { DescMessage } from '@bufbuild/protobuf'
import test from 'ava'
import type { FieldViolation } from '../../src/core/errors.ts'
import { findUnknownFields } from '../../src/http/unknown-fields.ts'
import type { Verb } from '../../src/rpc/method.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { createRequestFixture } from '../support/request-fixture.ts'
import { toJson } from '../support/rest-client.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'

const environment = await startTestEnvironment()
const transport = environment.transports.find(({ name }) => name === 'rest') as Transport
const requests = await createRequestFixture(environment, transport)
test.after.always(() => environment.stop())
const { fixture, record, admin } = requests
const { kind, people, key } = fixture

async function send(verb: Verb, path: string, body: string, token = people.owner.token) {
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    authorization: `Bearer ${token}`,
    'x-service-key': key,
    cookie: `admin_token=${admin.token}`,
    origin: 'http://localhost:9004',
  }
  const method = verb.toUpperCase()
  const { status, json } = await sendRawHttp(environment.httpPort, { method, path, headers, body })
  return { status, errors: (json?.errors ?? []) as FieldViolation[], json }
}

function fields(errors: FieldViolation[]): string[] {
  return errors.map(({ field }) => field)
}

const unknown = '"undeclaredField":1,"__proto__":{"role":"owner"},"constructor":null'
const unknownNames = ['undeclaredField', '__proto__', 'constructor']

for (const operation of environment.app.operations) {
  const { name, policy, input, bindings } = operation
  // Forms of pages ignore unknown parameters, as OAuth 2.0 requires.
  if (policy.profile !== 'default' || policy.ignoresUnknownParameters) continue
  for (const route of operation.routes.filter(({ body }) => body)) {
    const { verb, path, pathFields, excludedFields } = route
    test.serial(`${name} rejects unknown fields at ${verb} ${path}`, async (t) => {
      const values: Record<string, unknown> =
        policy.tier === 'public'
          ? {}
          : toJson(requests.message({ ...operation, route }), operation.input, operation)
      const address = path.replace(/\{(\w+)\}/g, (_, field) =>
        String(values[field] ?? requests.values[field] ?? 'x'),
      )
      // The path, headers and cookies determine these fields.
      const elsewhere = [...pathFields, ...excludedFields]
      for (const { field } of bindings.request) elsewhere.push(field)
      const own = Object.entries(values).filter(([field]) => !elsewhere.includes(field))
      const foreign = elsewhere.map((field) => `${JSON.stringify(field)}:"x"`)
      const members = own.map((pair) => pair.map((part) => JSON.stringify(part)).join(':'))
      const body = `{${[unknown, ...foreign, ...members].join(',')}}`
      const { status, errors } = await send(
        verb,
        address,
        body,
        requests.credentials(operation).token,
      )
      t.is(status, 422)
      const expected = [...unknownNames, ...elsewhere]
      t.deepEqual(fields(errors).slice(0, expected.length), expected)
      if (policy.tier !== 'public') t.is(errors.length, expected.length)
      const known = input.fields.filter((field) => !elsewhere.includes(field.name))
      const message = errors[0]?.message ?? ''
      if (known.length === 0) t.is(message, 'is not a field of this request, which has none')
      else t.true(known.some(({ name }) => message.includes(name)))
    })
  }
}

test.serial('a misspelled expiry does not make a share permanent', async (t) => {
  const path = `/permissions/${record.id}/share`
  const grantee = { grantee_type: 'user', grantee_id: people.viewer.id, permission: 'view' }
  const expires_at = new Date(Date.now() + 86_400_000).toISOString()
  t.is((await send('post', path, JSON.stringify({ ...grantee, expires_at }))).status, 201)
  const misspelled = JSON.stringify({ ...grantee, expiresAt: expires_at })
  const { status, errors, json } = await send('post', path, misspelled)
  t.is(status, 422)
  t.deepEqual(fields(errors), ['expiresAt'])
  t.regex(errors[0]?.message ?? '', /^is not a field of this request; the nearest are expires_at, /)
  t.regex(json.detail, /expiresAt/)
  const { rows } = await environment.pool.query(
    'select expires_at from shares where user_id = $1 and resource_id = $2',
    [people.viewer.id, record.resource_id],
  )
  t.deepEqual(rows, [{ expires_at: new Date(expires_at) }])
})

test.serial('unknown fields of nested messages are reported with their paths', async (t) => {
  const registration = {
    ...kind,
    external_id: 'n1',
    workspace_id: fixture.workspace,
    owner_id: people.owner.id,
  }
  const resources = [
    registration,
    {
      ...registration,
      external_id: 'n2',
      parent: { resource_type: 'x', resource_id: 'x', folder: 1 },
    },
    { ...registration, external_id: 'n3', visability: 'workspace' },
  ]
  const body = JSON.stringify({ resources, dryRun: true })
  const { status, errors } = await send('post', '/permissions/register/batch', body)
  t.is(status, 422)
  t.deepEqual(fields(errors).slice(0, 3), [
    'resources[1].parent.folder',
    'resources[2].visability',
    'dryRun',
  ])
  t.regex(errors[1]?.message ?? '', /the nearest are visibility, /)
  const { rows } = await environment.pool.query(
    `select from resources where external_id in ('n1', 'n2', 'n3')`,
  )
  t.is(rows.length, 0)
})

test.serial('unknown fields are reported together with other problems', async (t) => {
  const body = '{"checks":[{"action":"view","x":1}]}'
  const { status, errors } = await send('post', '/permissions/check', body)
  t.is(status, 422)
  t.deepEqual(fields(errors), [
    'checks[0].x',
    'checks[0].service_name',
    'checks[0].resource_type',
    'checks[0].resource_id',
  ])
})

test.serial('a response lists at most 20 unknown fields and shortens their names', async (t) => {
  const names = Array.from({ length: 500 }, (_, index) => `x${index}${'y'.repeat(200)}`)
  const body = JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])))
  const { status, errors } = await send('patch', '/users/me', body)
  t.is(status, 422)
  t.is(errors.length, 20)
  t.true(errors.every(({ field }) => field.length === 100))
})

test.serial('the work to find unknown fields is proportional to the size of the body', (t) => {
  const { input } = environment.app.operations.find(({ key }) => key === 'registerBatch') as {
    input: DescMessage
  }
  // The clock of the processor may have ticks of several milliseconds, so each measurement takes many.
  const measure = (count: number, repetitions: number) => {
    const resource = { service_name: 's', parent: { resource_type: 't', resource_id: 'r' } }
    const body = { resources: Array.from({ length: count }, () => ({ ...resource })) }
    const start = process.threadCpuUsage()
    for (let run = 0; run < repetitions; run += 1)
      findUnknownFields(body, input.fields, () => undefined)
    const { user, system } = process.threadCpuUsage(start)
    return user + system
  }
  measure(10_000, 16)
  // The same number of items in bodies sixteen times as large: quadratic work would take 16 times as long.
  const ratio = measure(160_000, 5) / measure(10_000, 80)
  t.true(ratio < 5, `${ratio}`)
})

test.serial('unknown fields without credentials return 401', async (t) => {
  const { status } = await sendRawHttp(environment.httpPort, {
    method: 'PATCH',
    path: '/users/me',
    headers: { 'content-type': 'application/json' },
    body: '{"undeclared":1}',
  })
  t.is(status, 401)
})

test.serial('the Access API and the OAuth endpoints ignore unknown members', async (t) => {
  const evaluation = {
    subject: { type: 'user', id: people.owner.id, extra: 1 },
    action: { name: 'view', extra: 1 },
    resource: { type: kind.resource_type, id: record.resource_id, extra: 1 },
    extra: 1,
  }
  const evaluated = await send('post', '/access/v1/evaluation', JSON.stringify(evaluation))
  t.like(evaluated, { status: 200, json: { decision: true } })
  const { status, json } = await sendRawHttp(environment.httpPort, {
    method: 'POST',
    path: '/oauth/introspect',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-service-key': key },
    body: `token=${people.owner.token}&extra=1`,
  })
  t.is(status, 200)
  t.true(json.active)
})
