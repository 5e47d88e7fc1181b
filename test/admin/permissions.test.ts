import { randomUUID } from 'node:crypto'
import test from 'ava'
import { activityOf } from '../support/activity.ts'
import { hireAdmin } from '../support/admin.ts'
import { answered, refused } from '../support/ending.ts'
import { openOffice } from '../support/office.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
const boss = await hireAdmin(world)
test.after.always(() => world.stop())

for (const door of world.doors) {
  const through = `through ${door.name}`
  const call = (method: string, message: object = {}) => boss.call(door, method, message)
  const list = async (message: object) => answered(await call('ListPermissions', message))
  const idsOf = (page: Record<string, any>) => page.items.map(({ id }: { id: string }) => id)

  test(`resources are listed newest first, by workspace and service ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { workspace: workspace_id, service: service_name, staff } = office
    const older = [await office.register(staff.owner), await office.register(staff.owner)]
    const last = await office.register(staff.owner)
    await office.share(staff.owner, last, { user: staff.viewer.id }, 'view')
    const newest = [...older, last].map(({ id }) => id).toReversed()

    const first = await list({ workspace_id, page_size: 2 })
    t.like(first, { total: 3, page: 1, page_size: 2 })
    const { shares, ...facts } = last
    t.deepEqual(first.items[0], { ...facts, share_count: 1 })
    const second = await list({ workspace_id, page_size: 2, page: 2 })
    t.deepEqual([...idsOf(first), ...idsOf(second)], newest)
    t.deepEqual(idsOf(await list({ service_name })), newest)
    t.deepEqual(idsOf(await list({ service_name, workspace_id })), newest)
    const nothing = [{ workspace_id: randomUUID() }, { service_name: randomUUID() }]
    for (const filter of [...nothing, { service_name: '%' }, { workspace_id, page: 999_999_999 }])
      t.deepEqual((await list(filter)).items, [])
    for (const [field, value] of Object.entries({ workspace_id: 'x', page: 0, page_size: 101 }))
      t.like(refused(await call('ListPermissions', { [field]: value })), {
        kind: 'invalid',
        problems: [{ field }],
      })
  })

  test(`an administrator sees, opens, shares and closes any resource ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { staff } = office
    const record = await office.register(staff.owner)
    const permission_id = record.id
    t.deepEqual(answered(await call('GetPermission', { permission_id })), await office.look(record))
    const nowhere = refused(await call('GetPermission', { permission_id: randomUUID() }))
    t.like(nowhere, { kind: 'missing', detail: 'Resource not found' })

    const open = await call('UpdateVisibility', { permission_id, visibility: 'workspace' })
    t.is(answered(open).visibility, 'workspace')
    t.true(await office.may(staff.viewer, 'view', record))
    const grant = {
      ...{ permission_id, grantee_type: 'user', grantee_id: staff.viewer.id },
      permission: 'edit',
    }
    const shared = await call('Share', grant)
    if (shared.ok && door.name === 'rest') t.is(shared.status, 201)
    t.like(answered(shared), { grantee_id: staff.viewer.id, granted_by: boss.id })
    t.true(await office.may(staff.viewer, 'edit', record))
    t.deepEqual(answered(await call('RevokeShare', grant)), { status: 'ok' })
    t.false(await office.may(staff.viewer, 'edit', record))
    t.is(refused(await call('RevokeShare', grant)).reason, 'SHARE_NOT_FOUND')
    const stranger = { ...grant, grantee_id: boss.id }
    t.is(refused(await call('Share', stranger)).reason, 'GRANTEE_NOT_FOUND')
    for (const wrong of [{ grantee_type: 'dog' }, { permission: 'own' }, { grantee_id: 'x' }])
      t.is(refused(await call('Share', { ...grant, ...wrong })).kind, 'invalid')
    t.deepEqual(
      (await activityOf(world.pool, record.id)).map(({ action, actor_id }) => [action, actor_id]),
      [
        ['permission.visibility_changed', boss.id],
        ['permission.shared', boss.id],
        ['permission.share_revoked', boss.id],
      ],
    )
  })
}

test.after('nothing of it was a fault of ours', (t) => t.deepEqual(world.failures, []))
