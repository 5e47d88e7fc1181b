import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { credentials, type ServiceError } from '@grpc/grpc-js'
import test from 'ava'
import {
  type CheckStreamResponse,
  PermissionServiceClient,
} from '../../gen/daikon/v1/permissions.ts'
import { type DelegationRow, insertDelegation } from '../support/delegation-rows.ts'
import { readStatusDetails } from '../support/status-details.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createMetadata, type PresentedCredentials, type Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const address = `127.0.0.1:${environment.grpcPort}`
const client = new PermissionServiceClient(address, credentials.createInsecure())
const [transport] = environment.transports as [Transport]
test.after.always(() => {
  client.close()
  return environment.stop()
})

/**
 * Opens a stream of checks for the viewer of a new fixture. Every second resource is shared with the
 * viewer.
 */
async function openStream(records = 1) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { owner, viewer } = fixture.people
  const resources = await Promise.all(
    Array.from({ length: records }, async (_, index) => {
      const record = await fixture.register(owner)
      if (index % 2 === 0) await fixture.share(owner, record, { user: viewer.id }, 'view')
      return record
    }),
  )
  const stream = client.checkStream(createMetadata(fixture.as(viewer)))
  const results: CheckStreamResponse[] = []
  const ended = new Promise<ServiceError | undefined>((resolve) => {
    stream.on('error', resolve).on('end', () => resolve(undefined))
  })
  stream.on('data', (result) => results.push(result))
  const sendCheck = (correlation_id: string, resource_id = resources[0]?.resource_id ?? '') =>
    stream.write({ correlation_id, check: { ...fixture.kind, resource_id, action: 'view' } })
  return { fixture, stream, results, ended, sendCheck, resources, viewer }
}

test('every check of a stream gets its own result, matched by correlation ID', async (t) => {
  const { stream, results, ended, sendCheck, resources } = await openStream(10)
  for (let n = 0; n < 3000; n += 1) sendCheck(String(n), resources[n % 10]?.resource_id)
  stream.end()
  t.is(await ended, undefined)
  t.is(results.length, 3000)
  t.is(new Set(results.map(({ correlation_id }) => correlation_id)).size, 3000)
  t.true(
    results.every(({ correlation_id, allowed }) => allowed === (Number(correlation_id) % 2 === 0)),
  )
})

test('a revocation takes effect within an open stream', async (t) => {
  const { fixture, stream, sendCheck, resources, viewer } = await openStream()
  sendCheck('before')
  const [before] = await once(stream, 'data')
  t.true(before.allowed)
  const share = { grantee_type: 'user', grantee_id: viewer.id, permission: 'view' }
  await transport.call(
    'RevokeShare',
    { permission_id: resources[0]?.id, ...share },
    { key: fixture.key },
  )
  sendCheck('after')
  const [after] = await once(stream, 'data')
  t.deepEqual(after, { correlation_id: 'after', allowed: false })
  stream.cancel()
})

test('a stream ends when the user or the service app is deactivated', async (t) => {
  const ends = [
    ['USER_INACTIVE', 'update users set is_active = false where id = $1', 'viewer'],
    ['SERVICE_KEY_INVALID', 'update service_apps set is_active = false where id = $1', 'app'],
  ] as const
  for (const [, sql, target] of ends) {
    const { fixture, stream, sendCheck, ended, viewer } = await openStream()
    sendCheck('before')
    await once(stream, 'data')
    await environment.pool.query(sql, [target === 'app' ? fixture.appId : viewer.id])
    sendCheck('after')
    t.is((await ended)?.code, 16)
  }
})

test.serial('a stream ends when its token expires', async (t) => {
  const { stream, sendCheck, ended } = await openStream()
  sendCheck('before')
  await once(stream, 'data')
  environment.clock.now = new Date(Date.now() + 3_600_000)
  t.teardown(() => {
    environment.clock.now = undefined
  })
  sendCheck('after')
  t.is((await ended)?.code, 16)
})

test('an invalid check or one of another service ends the stream', async (t) => {
  const bad = await openStream()
  bad.sendCheck('x', 'no uuid')
  const problem = await bad.ended
  t.is(problem?.code, 3)
  t.regex(problem?.details ?? '', /check\.resource_id must be a UUID/)
  const none = await openStream()
  none.stream.write({ correlation_id: 'x', check: undefined })
  t.regex((await none.ended)?.details ?? '', /check/)
  const foreign = await openStream()
  const resource_id = randomUUID()
  const check = { service_name: 'other', resource_type: 't', resource_id, action: 'view' }
  foreign.stream.write({ correlation_id: 'x', check })
  t.is((await foreign.ended)?.code, 7)
})

/** Creates a fixture whose viewer owns the resources; `walk` streams them in pages. */
async function openPages(resources: number, limit = 1) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { viewer, owner } = fixture.people
  const first = await fixture.register(viewer)
  await environment.pool.query(
    `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
     select gen_random_uuid(), kind_id, gen_random_uuid(), workspace_id, owner_id, visibility
     from resources, generate_series(2, $2) where id = $1`,
    [first.id, resources],
  )
  const request = { ...fixture.kind, action: 'view', workspace_id: fixture.workspace, limit }
  const walk = (presented: PresentedCredentials, more: object = {}) => {
    const stream = client.accessibleStream({ ...request, ...more }, createMetadata(presented))
    const pages: string[][] = []
    stream.on('data', ({ resource_ids }) => pages.push(resource_ids))
    const ended = new Promise<ServiceError | undefined>((resolve) => {
      stream.on('error', resolve).on('end', () => resolve(undefined))
    })
    return { stream, pages, ended }
  }
  return { fixture, viewer, owner, walk }
}

test('AccessibleStream returns every page', async (t) => {
  const { fixture, viewer, walk } = await openPages(25)
  const { pages, ended } = walk(fixture.as(viewer), { limit: 10 })
  t.is(await ended, undefined)
  t.deepEqual(
    pages.map(({ length }) => length),
    [10, 10, 5],
  )
  t.deepEqual(pages.flat(), pages.flat().toSorted())
  t.is(new Set(pages.flat()).size, 25)
})

test('AccessibleStream returns what a delegation covers of the list', async (t) => {
  const { fixture, viewer, walk } = await openPages(12)
  const { workspace, service, key, kind } = fixture
  const { rows } = await environment.pool.query(
    `select r.id, r.resource_id from resources r join resource_kinds k on k.id = r.kind_id
     where k.service_name = $1 order by r.resource_id limit 5`,
    [service],
  )
  const row = { user_id: viewer.id, workspace_id: workspace, service_name: service }
  const listed = { ...row, resources: rows.map(({ id }) => id) }
  const cases: [delegation: DelegationRow, expected: number][] = [
    [row, 12],
    [{ ...row, resource_types: [kind.resource_type], actions: ['edit'] }, 0],
    [listed, 5],
  ]
  for (const [delegation, expected] of cases) {
    const delegation_id = await insertDelegation(environment.pool, delegation)
    const act = { sub: randomUUID(), typ: 'service_account' as const }
    const claims = { sub: viewer.id, jti: randomUUID(), wid: workspace, act, delegation_id }
    const { tokens } = environment.app
    const token = await tokens.signDelegated(claims, undefined, 900, new Date())
    const { pages, ended } = walk({ token, key }, { limit: 2 })
    t.is(await ended, undefined)
    t.is(pages.flat().length, expected)
    if (delegation === listed)
      t.deepEqual(
        pages.flat(),
        rows.map(({ resource_id }) => resource_id),
      )
  }
})

test('AccessibleStream fails with the errors of Accessible', async (t) => {
  const { fixture, viewer, walk } = await openPages(1)
  const { key } = fixture
  const { token } = viewer
  const formerMember = await fixture.addMember('viewer')
  await environment.pool.query('delete from members where user_id = $1', [formerMember.id])
  const cases: [PresentedCredentials, object, number, string][] = [
    [{ token, key }, { service_name: 'other' }, 7, 'OTHER_SERVICE'],
    [{ token, key }, { workspace_id: randomUUID() }, 7, 'OTHER_WORKSPACE'],
    [fixture.as(formerMember), {}, 16, 'TOKEN_REVOKED'],
    [{ token }, {}, 16, 'SERVICE_KEY_MISSING'],
    [{ key }, {}, 16, 'TOKEN_MISSING'],
    [{ token, key }, { action: '' }, 3, 'INVALID_REQUEST'],
  ]
  for (const [presented, more, code, reason] of cases) {
    const { pages, ended } = walk(presented, more)
    const error = await ended
    t.deepEqual([error?.code, error && readStatusDetails(error.metadata).reason], [code, reason])
    t.deepEqual(pages, [])
  }
})

test('a revocation between pages takes effect on the following pages', async (t) => {
  const { fixture, viewer, owner, walk } = await openPages(400)
  // Sorts after every other id.
  const resource_id = `ffffffff-ffff-4fff-bfff-${randomUUID().slice(-12)}`
  const last = await fixture.register(owner, { resource_id })
  await fixture.share(owner, last, { user: viewer.id }, 'view')
  const whole = walk(fixture.as(viewer), { limit: 401 })
  await whole.ended
  t.is(whole.pages.flat().at(-1), resource_id)

  const { stream, pages, ended } = walk(fixture.as(viewer))
  await once(stream, 'data')
  const share = { grantee_type: 'user', grantee_id: viewer.id, permission: 'view' }
  const outcome = await transport.call(
    'RevokeShare',
    { permission_id: last.id, ...share },
    { key: fixture.key },
  )
  t.true(outcome.ok)
  t.is(await ended, undefined)
  t.deepEqual(pages.flat(), whole.pages.flat().slice(0, -1))
})

test('a member who is removed between pages gets no further page', async (t) => {
  const { fixture, viewer, walk } = await openPages(400)
  const { stream, pages, ended } = walk(fixture.as(viewer))
  await once(stream, 'data')
  await environment.pool.query('delete from members where user_id = $1', [viewer.id])
  t.is((await ended)?.code, 16)
  t.true(pages.length < 400)
})
