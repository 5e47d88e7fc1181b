import { createHash, randomUUID } from 'node:crypto'
import test from 'ava'
import { makeServiceKey } from '../../src/identity/service-keys.ts'
import type { Door, Shown } from '../support/doors.ts'
import { answered } from '../support/ending.ts'
import { type Office, openOffice, type ResourceRecord } from '../support/office.ts'
import { startWorld, type World } from '../support/world.ts'

const world = await startWorld()
const development = await startWorld()
test.after.always(() => Promise.all([world.stop(), development.stop()]))

/** A message that each method answers, in an order in which all of them do. */
function messages(office: Office, record: ResourceRecord): Record<string, object> {
  const { kind, workspace: workspace_id, staff } = office
  const { id: permission_id, resource_id, owner_id } = record
  const view = { ...kind, action: 'view' }
  const grantee = { grantee_type: 'user', grantee_id: staff.viewer.id, permission: 'view' }
  return {
    Check: { checks: [{ ...view, resource_id }] },
    Accessible: { ...view, workspace_id },
    Share: { permission_id, ...grantee },
    Register: { ...kind, resource_id, workspace_id, owner_id },
    UpdateVisibility: { permission_id, visibility: 'workspace' },
    GetResource: { ...kind, resource_id },
    RevokeShare: { permission_id, ...grantee },
    RegisterActions: { service_name: kind.service_name, actions: [{ name: 'publish' }] },
    ListGrantedActions: { service_name: kind.service_name },
    Unregister: { permission_id },
  }
}

/** The endings of all of them, one after the other. */
async function callAll(door: Door, all: Record<string, object>, shown: Shown) {
  const endings: Record<string, string> = {}
  for (const [method, message] of Object.entries(all)) {
    const ending = await door.call(method, message, shown)
    endings[method] = ending.ok ? 'answered' : `${ending.kind} ${ending.reason}`
  }
  return endings
}

const everywhere = (all: object, ending: string) =>
  Object.fromEntries(Object.keys(all).map((method) => [method, ending]))

const deactivateAll = ({ pool }: World) => pool.query('update service_apps set is_active = false')

test('the cases below hold every method of the tiers Service and Dual', async (t) => {
  const [door] = world.doors as [Door]
  const office = await openOffice(world, door)
  const asking = world.app.operations.filter(({ policy }) => /service|dual/.test(policy.tier))
  t.deepEqual(
    Object.keys(messages(office, await office.register(office.staff.owner))).toSorted(),
    asking.map(({ name }) => name.replace(/.*\//, '')).toSorted(),
  )
})

for (const door of world.doors) {
  const through = `through ${door.name}`

  test(`with an active service app no key and a wrong key are 401, a valid one is let in ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { staff, key } = office
    const { token } = staff.owner
    const all = messages(office, await office.register(staff.owner))
    const missing = everywhere(all, 'unauthenticated SERVICE_KEY_MISSING')
    t.deepEqual(await callAll(door, all, { token }), missing)
    const hash = createHash('sha256').update(key).digest('hex')
    const wrong = [
      makeServiceKey(),
      key.slice(0, -1),
      `${key}a`,
      key.toUpperCase(),
      hash,
      `${key}, ${key}`,
    ]
    for (const wrongKey of wrong) {
      const invalid = everywhere(all, 'unauthenticated SERVICE_KEY_INVALID')
      t.deepEqual(await callAll(door, all, { token, key: wrongKey }), invalid)
    }
    t.deepEqual(await callAll(door, all, { token, key }), everywhere(all, 'answered'))
  })

  test(`the dual methods need a token beside the key ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { Check, Accessible, Share, ListGrantedActions } = messages(
      office,
      await office.register(office.staff.owner),
    ) as Record<string, object>
    const all = { Check, Accessible, Share, ListGrantedActions } as Record<string, object>
    const missing = everywhere(all, 'unauthenticated TOKEN_MISSING')
    t.deepEqual(await callAll(door, all, { key: office.key }), missing)
  })

  test(`the key of a deactivated app is refused at once ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { key, appId } = office
    const record = await office.register(office.staff.owner)
    await world.pool.query('update service_apps set is_active = false where id = $1', [appId])
    // Another app keeps development mode away.
    await world.seed.serviceApp('another')
    const all = messages(office, record)
    t.deepEqual(
      await callAll(door, all, { ...office.as(office.staff.owner), key }),
      everywhere(all, 'unauthenticated SERVICE_KEY_INVALID'),
    )
  })

  test(`the older key of a rotation holds until it expires, the newer one on ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { key, appId, kind } = office
    const { resource_id } = await office.register(office.staff.owner)
    const newer = makeServiceKey()
    await world.pool.query(
      `insert into service_keys (key_hash, key_prefix, app_id) values ($1, 'dk_', $2)`,
      [createHash('sha256').update(newer).digest('hex'), appId],
    )
    const expire = (seconds: number) =>
      world.pool.query(
        `update service_keys set expires_at = now() + $2 * interval '1 second'
         where app_id = $1 and key_prefix <> 'dk_'`,
        [appId, seconds],
      )
    const look = (shown: Shown) => door.call('GetResource', { ...kind, resource_id }, shown)
    await expire(60)
    t.true((await look({ key })).ok)
    t.true((await look({ key: newer })).ok)
    await expire(-1)
    t.like(await look({ key }), { ok: false, reason: 'SERVICE_KEY_INVALID' })
    t.true((await look({ key: newer })).ok)
  })

  test(`another service's name in the request is 403 ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { staff, key, service } = office
    const other = await openOffice(world, door)
    const record = await other.register(other.staff.owner)
    const { Accessible, Register, GetResource, RegisterActions, ListGrantedActions } = messages(
      office,
      record,
    ) as Record<string, object>
    const naming = { Accessible, Register, GetResource, RegisterActions, ListGrantedActions }
    for (const service_name of [other.service, service.toUpperCase(), `${service} `, 'nobody']) {
      const all = Object.entries(naming).map(
        ([method, message]) => [method, { ...message, service_name }] as const,
      )
      t.deepEqual(
        await callAll(door, Object.fromEntries(all), { ...office.as(staff.owner), key }),
        everywhere(naming, 'forbidden OTHER_SERVICE'),
      )
    }
  })

  test(`a batch in which one check names another service is 403 as a whole ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { resource_id } = await office.register(office.staff.owner)
    const own = { ...office.kind, resource_id, action: 'view' }
    const checks = [...Array(20).fill(own), { ...own, service_name: 'another' }]
    for (const batch of [checks, checks.toReversed()]) {
      const ending = await door.call('Check', { checks: batch }, office.as(office.staff.owner))
      t.like(ending, { ok: false, kind: 'forbidden', reason: 'OTHER_SERVICE' })
    }
  })

  test(`another service's permission_id is answered as a random one ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { staff, workspace } = office
    const { key } = await world.seed.serviceApp('a stranger')
    const record = await office.register(staff.owner, { workspace_id: workspace })
    await office.share(staff.owner, record, { user: staff.viewer.id }, 'view')
    const before = await office.look(record)
    const { Share, UpdateVisibility, RevokeShare, Unregister } = messages(office, record)
    const all = { Share, UpdateVisibility, RevokeShare, Unregister }
    for (const [method, message] of Object.entries(all)) {
      const shown = { key, token: staff.owner.token, headers: { 'x-request-id': 'same' } }
      const theirs = await door.call(method, message as object, shown)
      const random = { ...message, permission_id: randomUUID() }
      t.like(theirs, { ok: false, kind: 'missing', detail: 'Resource not found' })
      const nobodys = await door.call(method, random, shown)
      t.deepEqual({ ...theirs, headers: {} }, { ...nobodys, headers: {} })
    }
    t.deepEqual(await office.look(record), before)
  })
}

for (const door of development.doors) {
  const through = `through ${door.name}`

  test.serial(
    `without an active service app every key is as good as none ${through}`,
    async (t) => {
      const office = await openOffice(development, door)
      const { token } = office.staff.owner
      for (const shown of [{}, { key: makeServiceKey() }, { key: '' }, { key: office.key }]) {
        const all = messages(office, await office.register(office.staff.owner))
        await deactivateAll(development)
        const endings = await callAll(door, all, { token, ...shown })
        t.deepEqual(endings, everywhere(all, 'answered'))
        await development.pool.query('update service_apps set is_active = true where id = $1', [
          office.appId,
        ])
      }
    },
  )

  test.serial(
    `development mode has no scope, and a dual method needs its token still ${through}`,
    async (t) => {
      const office = await openOffice(development, door)
      const other = await openOffice(development, door)
      const record = await other.register(other.staff.owner)
      await deactivateAll(development)
      const { token } = other.staff.owner
      const all = messages(other, record)
      const endings = await callAll(door, all, { token, key: office.key })
      t.deepEqual(endings, everywhere(all, 'answered'))
      const checks = ['one', 'two'].map((service_name) => {
        return { service_name, resource_type: 'x', resource_id: randomUUID(), action: 'view' }
      })
      t.is(answered(await door.call('Check', { checks }, { token })).results.length, 2)
      t.like(await door.call('Check', { checks }), { ok: false, reason: 'TOKEN_MISSING' })
    },
  )

  test.serial(
    `deactivating the last app returns to development mode, a new one ends it ${through}`,
    async (t) => {
      const { kind, key } = await openOffice(development, door)
      const look = () => door.call('GetResource', { ...kind, resource_id: randomUUID() })
      t.like(await look(), { ok: false, kind: 'unauthenticated' })
      t.like(await door.call('GetResource', { ...kind, resource_id: randomUUID() }, { key }), {
        ok: false,
        kind: 'missing',
      })
      await deactivateAll(development)
      t.like(await look(), { ok: false, kind: 'missing' })
      await development.seed.serviceApp('new')
      t.like(await look(), { ok: false, kind: 'unauthenticated' })
    },
  )

  test.serial(`SERVICE_KEYS_REQUIRED leaves no development mode ${through}`, async (t) => {
    const office = await openOffice(development, door)
    const { key, staff } = office
    const record = await office.register(staff.owner)
    await deactivateAll(development)
    const strict = await development.another({ keysRequired: true })
    const strictDoor = strict.doors.find(({ name }) => name === door.name) as Door
    const all = messages(office, record)
    const { token } = staff.owner
    t.deepEqual(
      await callAll(strictDoor, all, { token }),
      everywhere(all, 'unauthenticated SERVICE_KEY_MISSING'),
    )
    t.deepEqual(
      await callAll(strictDoor, all, { token, key }),
      everywhere(all, 'unauthenticated SERVICE_KEY_INVALID'),
    )
  })
}
