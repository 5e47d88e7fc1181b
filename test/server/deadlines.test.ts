import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import test from 'ava'
import { PermissionServiceService } from '../../gen/daikon/v1/permissions.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

const shortDeadline = { 'grpc-timeout': '200m' }

/** Holds a lock while `work` runs, then waits until no statement waits for it. */
async function whileLocked(lock: string, work: () => Promise<void>) {
  const client = await environment.pool.connect()
  try {
    await client.query(`begin; ${lock}`)
    await work()
    await waitUntil(async () => (await countLockWaits(environment.pool)) === 0)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

async function createCalls(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { people, kind } = fixture
  const record = await fixture.register(people.viewer)
  const credentials = fixture.as(people.viewer)
  const checks = [{ ...kind, resource_id: record.resource_id, action: 'view' }]
  const grant = { grantee_type: 'user', grantee_id: people.editor.id, permission: 'view' }
  return {
    fixture,
    record,
    callCredentials: credentials,
    checks,
    check: (headers = {}) => transport.call('Check', { checks }, { ...credentials, headers }),
    share: (headers = {}) =>
      transport.call('Share', { permission_id: record.id, ...grant }, { ...credentials, headers }),
    accessible: (headers = {}) => {
      const message = { ...kind, workspace_id: fixture.workspace, action: 'view' }
      return transport.call('Accessible', message, { ...credentials, headers })
    },
  }
}

for (const transport of environment.transports) {
  test.serial(`a deadline cancels the query of a check over ${transport.label}`, async (t) => {
    const { check } = await createCalls(transport)
    await whileLocked('lock table members in access exclusive mode', async () => {
      // In sequence, because a statement is cancelled only when its last caller has left.
      for (let round = 0; round < 5; round += 1)
        t.like(await check(shortDeadline), { ok: false, code: 'unavailable' })
    })
    t.true((await check()).ok)
  })

  test.serial(
    `a caller gets its result although other callers of the same batched query exceed their deadlines over ${transport.label}`,
    async (t) => {
      const { check } = await createCalls(transport)
      const unlimitedCalls: Promise<{ ok: boolean }>[] = []
      const client = await environment.pool.connect()
      await client.query('begin; lock table members in access exclusive mode')
      const limitedCalls = [1, 2, 3, 4].flatMap(() => {
        unlimitedCalls.push(check())
        return check(shortDeadline)
      })
      for (const outcome of await Promise.all(limitedCalls)) t.false(outcome.ok)
      await client.query('rollback')
      client.release()
      for (const outcome of await Promise.all(unlimitedCalls)) t.true(outcome.ok)
    },
  )

  test.serial(
    `a deadline cancels a write without partial changes over ${transport.label}`,
    async (t) => {
      const { fixture, record, share } = await createCalls(transport)
      await whileLocked('lock table shares in exclusive mode', async () => {
        // More calls than the pool has connections: no connection may leak.
        const outcomes = await Promise.all(Array.from({ length: 15 }, () => share(shortDeadline)))
        for (const outcome of outcomes) t.like(outcome, { ok: false, code: 'unavailable' })
      })
      t.deepEqual((await fixture.readResource(record)).shares, [])
      const outcomes = await Promise.all(Array.from({ length: 15 }, () => share()))
      for (const outcome of outcomes) t.true(outcome.ok)
    },
  )

  test.serial(`a deadline cancels the query of a list over ${transport.label}`, async (t) => {
    const { accessible } = await createCalls(transport)
    await whileLocked('lock table resources in access exclusive mode', async () => {
      t.like(await accessible(shortDeadline), { ok: false, code: 'unavailable' })
    })
    t.true((await accessible()).ok)
  })
}

test.serial('gRPC: a cancelled call cancels its query', async (t) => {
  const { check, callCredentials, checks } = await createCalls(
    environment.transports[0] as Transport,
  )
  const client = new Client(`127.0.0.1:${environment.grpcPort}`, credentials.createInsecure())
  const { path, requestSerialize, responseDeserialize } = PermissionServiceService.check
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${callCredentials.token}`)
  metadata.set('x-service-key', String(callCredentials.key))
  await whileLocked('lock table members in access exclusive mode', async () => {
    const call = client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      { checks },
      metadata,
      () => {},
    )
    await waitUntil(async () => (await countLockWaits(environment.pool)) === 1)
    call.cancel()
  })
  client.close()
  t.true((await check()).ok)
})

test.serial('REST: a closed connection cancels its query', async (t) => {
  const {
    check,
    callCredentials: credentials,
    checks,
  } = await createCalls(environment.transports[1] as Transport)
  await whileLocked('lock table members in access exclusive mode', async () => {
    const headers = {
      'content-type': 'application/json',
      'x-service-key': String(credentials.key),
      authorization: `Bearer ${credentials.token}`,
    }
    const options = {
      port: environment.httpPort,
      method: 'POST',
      path: '/permissions/check',
      headers,
    }
    const sent = request({ host: '127.0.0.1', ...options })
    sent.on('error', () => {})
    sent.end(JSON.stringify({ checks }))
    await waitUntil(async () => (await countLockWaits(environment.pool)) === 1)
    sent.destroy()
  })
  t.true((await check()).ok)
})

test.serial(
  'REST: an invalid Grpc-Timeout, or one beyond the timer range, is ignored',
  async (t) => {
    const { check } = await createCalls(environment.transports[1] as Transport)
    for (const value of ['', '5', 'm', '-1S', randomUUID(), '600H', '99999999H'])
      t.true((await check({ 'grpc-timeout': value })).ok)
  },
)

test.serial('no cancelled call is reported as a failure', (t) => {
  t.deepEqual(environment.failures, [])
})
