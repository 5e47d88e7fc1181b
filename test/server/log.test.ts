import { randomUUID } from 'node:crypto'
import test from 'ava'
import { pino } from 'pino'
import type { CallResult } from '../../src/rpc/pipeline.ts'
import { createCallLog } from '../../src/server/observability/call-log.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError } from '../support/outcome.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { createRequestFixture } from '../support/request-fixture.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

/** All log output at level trace. */
let written = ''
const log = pino({ level: 'trace' }, { write: (line: string) => (written += line) })
const outcomes: CallResult[] = []
const callLog = createCallLog(log)
const onEnd = (outcome: CallResult) => {
  outcomes.push(outcome)
  callLog(outcome)
}
const onFailure = (error: unknown) => log.error({ err: error }, 'failure')
const environment = await startTestEnvironment({}, undefined, {
  observers: { onCallEnd: onEnd },
  onFailure,
})
test.after.always(() => environment.stop())

const lines = () =>
  written
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

for (const transport of environment.transports) {
  test.serial(
    `each call logs one line with caller, method, outcome and duration over ${transport.label}`,
    async (t) => {
      const requests = await createRequestFixture(environment, transport)
      const { fixture, record } = requests
      const { people, kind, key } = fixture
      const ids = { known: randomUUID(), refused: randomUUID(), service: randomUUID() }
      const withRequestId = (id: string, credentials: object) => ({
        ...credentials,
        headers: { 'x-request-id': id },
      })
      await transport.call('GetMe', {}, withRequestId(ids.known, { token: people.viewer.token }))
      await transport.call('GetMe', {}, withRequestId(ids.refused, {}))
      const checkRequest = { ...kind, resource_id: record.resource_id }
      await transport.call('GetResource', checkRequest, withRequestId(ids.service, { key }))
      const of = (id: string) => lines().filter(({ request_id }) => request_id === id)

      const call = {
        transport: transport.name === 'grpc' ? 'grpc' : 'http',
        ip: '127.0.0.1',
        msg: 'call',
      }
      const [known, ...more] = of(ids.known)
      t.deepEqual(more, [])
      const method = 'daikon.v1.UserService/GetMe'
      t.like(known, { ...call, method, user: people.viewer.id, status: 'ok', level: 30 })
      t.true(known.ms > 0 && known.ms < 60_000)
      const [refused] = of(ids.refused)
      t.like(refused, { ...call, method, status: 'unauthenticated', reason: 'TOKEN_MISSING' })
      t.false('user' in refused)
      const [service] = of(ids.service)
      t.like(service, { ...call, service: fixture.service, status: 'ok' })
    },
  )

  test.serial(
    `decisions are logged at debug and errors at info over ${transport.label}`,
    async (t) => {
      const { fixture, record } = await createRequestFixture(environment, transport)
      const { people, kind } = fixture
      const checks = [{ ...kind, resource_id: record.resource_id, action: 'view' }]
      const [good, bad, denied] = [randomUUID(), randomUUID(), randomUUID()]
      const credentials = fixture.as(people.viewer)
      await transport.call(
        'Check',
        { checks },
        { ...credentials, headers: { 'x-request-id': good } },
      )
      await transport.call(
        'Check',
        { checks: [] },
        { ...credentials, headers: { 'x-request-id': bad } },
      )
      const question = { action: 'view', resource_type: 'document', resource_id: randomUUID() }
      const answer = await transport.call('AuthorizeAction', question, {
        ...credentials,
        headers: { 'x-request-id': denied },
      })
      t.is(expectError(answer).reason, 'ACCESS_DENIED')
      const levels = new Map(lines().map(({ request_id, level }) => [request_id, level]))
      t.is(levels.get(good), 20)
      t.is(levels.get(denied), 20)
      t.is(levels.get(bad), 30)
    },
  )
}

test.serial('the log escapes a request ID of the Access API', async (t) => {
  const id = `${randomUUID()} "\xe9\t\x9b`
  await sendRawHttp(environment.httpPort, {
    method: 'POST',
    path: '/access/v1/evaluation',
    headers: { 'x-request-id': id, 'content-type': 'application/json' },
    body: Buffer.from('{}'),
  })
  const escaped = `${id.slice(0, 38)}\\xe9\\x09\\x9b`
  t.is(lines().filter(({ request_id }) => request_id === escaped).length, 1)
})

test.serial('no credential reaches the log, whatever the outcome of the call', async (t) => {
  const secrets: string[] = []
  for (const transport of environment.transports) {
    const requests = await createRequestFixture(environment, transport)
    const { people, key } = requests.fixture
    const admin = await createAdmin(environment)
    secrets.push(key, admin.token, ...Object.values(people).map(({ token }) => token))
    for (const operation of environment.app.operations) {
      const name = operation.name.split('/')[1] as string
      const isPublic = operation.policy.tier === 'public'
      const message: Record<string, unknown> = isPublic ? {} : requests.message(operation)
      // Messages of public methods also contain secrets.
      for (const field of operation.input.fields) {
        if (!isPublic || field.name === 'provider') continue
        const secret = `secret-${randomUUID()}-${'x'.repeat(7)}`
        secrets.push(secret)
        message[field.name] = secret
      }
      const unknown = `dk_${randomUUID()}`
      secrets.push(unknown)
      await transport.call(
        name,
        { ...message },
        { token: people.owner.token, key, admin: admin.token },
      )
      await transport.call(name, { ...message }, { token: unknown, key: unknown, admin: unknown })
    }
  }
  t.true(outcomes.length > 2 * environment.app.operations.length)
  t.true(written.length > 10_000)
  for (const secret of secrets) {
    t.false(written.includes(secret))
    // The log must also not contain the end of a token.
    t.false(written.includes(secret.slice(-20)))
  }
})
