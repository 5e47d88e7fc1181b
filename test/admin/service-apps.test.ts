import { createHash, randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk, failedCalls } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'

const environment = await startTestEnvironment()
const other = await environment.addNode()
const { pool, seed } = environment
const admin = await createAdmin(environment)
// An active service app turns development mode off.
await seed.serviceApp('somebody')
test.after.always(() => environment.stop())

/** A service app created by an administrator, with functions that use its keys. */
async function createFixture(transport: Transport) {
  const service_name = `s-${randomUUID()}`
  const call = (method: string, message: object = {}) => admin.call(transport, method, message)
  const created = expectOk(await call('CreateServiceApp', { name: 'Shop', service_name }))
  const app = { service_app_id: created.id as string }
  const otherTransport = other.transports.find(({ name }) => name === transport.name) ?? transport
  return {
    call,
    created,
    app,
    key: created.key as string,
    service_name,
    update: (more: object) => call('UpdateServiceApp', { ...app, ...more }),
    rotate: (more: object = {}) => call('RotateServiceApp', { ...app, ...more }),
    listed: async () => {
      const { service_apps } = expectOk(await call('ListServiceApps'))
      return service_apps.find(({ id }: any) => id === created.id) as
        | Record<string, any>
        | undefined
    },
    /** Calls another node with a key: 'open', or the error code if the key is rejected. */
    opens: async (key: string) => {
      const kind = { service_name, resource_type: 't', resource_id: randomUUID() }
      const { code } = expectError(await otherTransport.call('GetResource', kind, { key }))
      return code === 'not_found' ? 'open' : code
    },
  }
}

for (const transport of environment.transports) {
  const through = `over ${transport.label}`

  test(`creating an app returns its key once, and the key is valid only for its service ${through}`, async (t) => {
    const service_name = `s-${randomUUID()}`
    const request = { name: '  Documents ', service_name }
    const outcome = await admin.call(transport, 'CreateServiceApp', request)
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 201)
    const { id, key, created_at, last_used_at, ...rest } = expectOk(outcome)
    t.regex(key, /^dk_[\w-]{43}$/)
    t.is(last_used_at ?? null, null)
    t.true(Math.abs(Date.parse(created_at) - Date.now()) < 600_000)
    const key_prefix = key.slice(0, 10)
    const expectedApp = { name: 'Documents', service_name, key_prefix, is_active: true }
    t.deepEqual(rest, { ...expectedApp, created_by: admin.id, api_resources: [] })
    const actions = [{ name: 'publish' }]
    t.true((await transport.call('RegisterActions', { service_name, actions }, { key })).ok)
    const foreignService = { service_name: 'somebody', actions }
    t.is(
      expectError(await transport.call('RegisterActions', foreignService, { key })).reason,
      'OTHER_SERVICE',
    )

    const list = await admin.call(transport, 'ListServiceApps')
    const app = expectOk(list).service_apps.find((app: any) => app.id === id)
    t.like(app, { id, ...expectedApp, created_by: admin.id })
    t.false('key' in app)
    const entries = await listActivity(pool, id)
    t.deepEqual(entries, [
      {
        action: 'service_app.created',
        target_type: 'service_app',
        actor_id: admin.id,
        workspace_id: null,
        detail: { name: 'Documents', service_name, key_prefix },
      },
    ])
    // Neither the key nor its hash appears in lists, the log or warnings. The key is in no table.
    const hash = createHash('sha256').update(key).digest('hex')
    const rotated = await admin.call(transport, 'UpdateServiceApp', {
      service_app_id: id,
      name: 'New',
    })
    const visibleText = JSON.stringify([
      list,
      entries,
      rotated,
      environment.failures,
      environment.warnings,
    ])
    t.false(visibleText.includes(key) || visibleText.includes(hash))
    const { rows } = await pool.query(
      `select to_jsonb(a)::text || to_jsonb(k)::text as row
       from service_apps a join service_keys k on k.app_id = a.id where a.id = $1`,
      [id],
    )
    t.true(rows.length === 1 && rows[0].row.includes(hash) && !rows[0].row.includes(key))
  })

  test(`apps are listed oldest first ${through}`, async (t) => {
    const created = [
      await createFixture(transport),
      await createFixture(transport),
      await createFixture(transport),
    ]
    const ids = created.map(({ app }) => app.service_app_id)
    const { service_apps } = expectOk(await admin.call(transport, 'ListServiceApps'))
    const listed = service_apps.map(({ id }: any) => id).filter((id: string) => ids.includes(id))
    t.deepEqual(listed, ids)
  })

  test(`keys of a deactivated app return 401 at once on every node until it is activated ${through}`, async (t) => {
    const { update, opens, key, listed, app } = await createFixture(transport)
    for (let round = 0; round < 10; round += 1) {
      t.is(await opens(key), 'open')
      t.is(expectOk(await update({ is_active: false })).is_active, false)
      t.is(await opens(key), 'unauthenticated')
      t.like(await listed(), { is_active: false })
      t.is(expectOk(await update({ is_active: true })).is_active, true)
    }
    const actions = (await listActivity(pool, app.service_app_id)).map(({ action }) => action)
    t.deepEqual(actions.slice(0, 3), [
      'service_app.created',
      'service_app.deactivated',
      'service_app.activated',
    ])
    t.is(actions.length, 21)
  })

  test(`only the name and is_active can be changed; updates without changes are not recorded ${through}`, async (t) => {
    const { update, listed, app, service_name } = await createFixture(transport)
    const before = await listed()
    t.like(expectOk(await update({})), { name: 'Shop' })
    t.like(expectOk(await update({ name: ' Shop', is_active: true })), { name: 'Shop' })
    const others = { service_name: 'somebody', key_prefix: 'dk_', created_by: randomUUID() }
    const outcome = await update({ name: 'Market', ...others })
    if (transport.name === 'rest') {
      t.is(expectError(outcome).code, 'invalid_argument')
      expectOk(await update({ name: 'Market' }))
    }
    t.deepEqual(await listed(), { ...before, name: 'Market' })
    const [, ...entries] = await listActivity(pool, app.service_app_id)
    t.deepEqual(
      entries.map(({ action, detail }) => [action, detail]),
      [['service_app.updated', { name: 'Market', service_name }]],
    )
  })

  test(`after a rotation, both keys are valid until the overlap ends; then the old key returns 401 ${through}`, async (t) => {
    const { rotate, opens, key, listed, app, created } = await createFixture(transport)
    const outcome = await rotate({ overlap_seconds: 600 })
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 200)
    const { key: newer, key_prefix } = expectOk(outcome)
    t.not(newer, key)
    t.is(key_prefix, newer.slice(0, 10))
    t.like(await listed(), { key_prefix, created_at: created.created_at })
    t.deepEqual([await opens(key), await opens(newer)], ['open', 'open'])
    const { rows } = await pool.query(
      `select extract(epoch from expires_at - now())::float as left from service_keys
       where app_id = $1 and expires_at is not null`,
      [app.service_app_id],
    )
    t.is(rows.length, 1)
    t.true(rows[0].left > 0 && rows[0].left <= 600)
    // The overlap ends.
    await pool.query(
      `update service_keys set expires_at = expires_at - interval '600 seconds'
       where app_id = $1 and expires_at is not null`,
      [app.service_app_id],
    )
    t.deepEqual([await opens(key), await opens(newer)], ['unauthenticated', 'open'])
    t.deepEqual((await listActivity(pool, app.service_app_id))[1]?.detail, {
      name: 'Shop',
      service_name: created.service_name,
      key_prefix,
      overlap_seconds: '600',
    })
  })

  test(`a rotation without overlap invalidates all previous keys ${through}`, async (t) => {
    const { rotate, opens, key } = await createFixture(transport)
    const second = expectOk(await rotate()).key
    t.deepEqual([await opens(key), await opens(second)], ['open', 'open'])
    const third = expectOk(await rotate({ overlap_seconds: 0 })).key
    t.deepEqual(await Promise.all([key, second, third].map(opens)), [
      'unauthenticated',
      'unauthenticated',
      'open',
    ])
    // A later rotation with an overlap does not restore them.
    expectOk(await rotate({ overlap_seconds: 2_592_000 }))
    t.is(await opens(key), 'unauthenticated')
  })

  test(`ten concurrent rotations leave one key without an expiry ${through}`, async (t) => {
    const { rotate, app, listed } = await createFixture(transport)
    const keys = await Promise.all(Array.from({ length: 10 }, () => rotate()))
    t.deepEqual(failedCalls(keys), [])
    const { rows } = await pool.query(
      'select key_prefix from service_keys where app_id = $1 and expires_at is null',
      [app.service_app_id],
    )
    t.is(rows.length, 1)
    t.like(await listed(), rows[0])
  })

  test(`deleting an app returns 204, deletes its keys and is recorded ${through}`, async (t) => {
    const { call, app, opens, key, listed, service_name } = await createFixture(transport)
    const outcome = await call('DeleteServiceApp', app)
    t.true(outcome.ok)
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 204)
    t.is(await opens(key), 'unauthenticated')
    t.is(await listed(), undefined)
    t.like((await listActivity(pool, app.service_app_id)).at(-1), {
      action: 'service_app.deleted',
      actor_id: admin.id,
      detail: { name: 'Shop', service_name },
    })
    for (const method of ['UpdateServiceApp', 'RotateServiceApp', 'DeleteServiceApp']) {
      for (const message of [app, { service_app_id: randomUUID() }]) {
        const missing = { code: 'not_found', reason: 'SERVICE_APP_NOT_FOUND' } as const
        t.like(expectError(await call(method, message)), missing)
      }
    }
  })

  test(`invalid fields return 422 ${through}`, async (t) => {
    const { call, update, rotate } = await createFixture(transport)
    const violatedFields = async (outcome: ReturnType<typeof call>) =>
      expectError(await outcome).violations.map(({ field }) => field)
    t.deepEqual(await violatedFields(call('CreateServiceApp', { name: '', service_name: '' })), [
      'name',
      'service_name',
    ])
    const invalidFields = { name: ' ', service_name: 'a\u0000' }
    t.deepEqual(await violatedFields(call('CreateServiceApp', invalidFields)), [
      'name',
      'service_name',
    ])
    t.deepEqual(await violatedFields(update({ name: 'x'.repeat(201) })), ['name'])
    for (const overlap_seconds of [-1, 2_592_001])
      t.deepEqual(await violatedFields(rotate({ overlap_seconds })), ['overlap_seconds'])
    t.deepEqual(await violatedFields(call('RotateServiceApp', { service_app_id: 'x' })), [
      'service_app_id',
    ])
  })
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
