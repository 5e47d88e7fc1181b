import { randomUUID } from 'node:crypto'
import test from 'ava'
import { pino } from 'pino'
import type { CallResult } from '../../src/rpc/pipeline.ts'
import { createCallLog } from '../../src/server/observability/call-log.ts'
import { createAdmin } from '../support/admin.ts'
import { createRequestFixture } from '../support/request-fixture.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

/** Everything that was written, at the least level there is. */
let written = ''
const log = pino({ level: 'trace' }, { write: (line: string) => (written += line) })
const endings: CallResult[] = []
const callLog = createCallLog(log)
const onEnd = (ending: CallResult) => {
  endings.push(ending)
  callLog(ending)
}
const onFailure = (fault: unknown) => log.error({ err: fault }, 'failure')
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
    `${transport.name}: a line a call, of who asked what, how it ended and how long it took`,
    async (t) => {
      const grounds = await createRequestFixture(environment, transport)
      const { fixture, record } = grounds
      const { people, kind, key } = fixture
      const ids = { known: randomUUID(), refused: randomUUID(), service: randomUUID() }
      const as = (id: string, shown: object) => ({ ...shown, headers: { 'x-request-id': id } })
      await transport.call('GetMe', {}, as(ids.known, { token: people.viewer.token }))
      await transport.call('GetMe', {}, as(ids.refused, {}))
      const question = { ...kind, resource_id: record.resource_id }
      await transport.call('GetResource', question, as(ids.service, { key }))
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
    `${transport.name}: what was decided is told at debug alone, a refusal at info`,
    async (t) => {
      const { fixture, record } = await createRequestFixture(environment, transport)
      const { people, kind } = fixture
      const checks = [{ ...kind, resource_id: record.resource_id, action: 'view' }]
      const [good, bad] = [randomUUID(), randomUUID()]
      const shown = fixture.as(people.viewer)
      await transport.call('Check', { checks }, { ...shown, headers: { 'x-request-id': good } })
      await transport.call('Check', { checks: [] }, { ...shown, headers: { 'x-request-id': bad } })
      const levels = new Map(lines().map(({ request_id, level }) => [request_id, level]))
      t.is(levels.get(good), 20)
      t.is(levels.get(bad), 30)
    },
  )
}

test.serial(
  'no credential of any kind reaches the log, whatever becomes of the call',
  async (t) => {
    const secrets: string[] = []
    for (const transport of environment.transports) {
      const grounds = await createRequestFixture(environment, transport)
      const { people, key } = grounds.fixture
      const admin = await createAdmin(environment)
      secrets.push(key, admin.token, ...Object.values(people).map(({ token }) => token))
      for (const operation of environment.app.operations) {
        const name = operation.name.split('/')[1] as string
        const isPublic = operation.policy.tier === 'public'
        const message: Record<string, unknown> = isPublic ? {} : grounds.message(operation)
        // What travels in messages is no less secret.
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
    t.true(endings.length > 2 * environment.app.operations.length)
    t.true(written.length > 10_000)
    for (const secret of secrets) {
      t.false(written.includes(secret))
      // Nor the part of a token that would be enough to know it by.
      t.false(written.includes(secret.slice(-20)))
    }
  },
)
