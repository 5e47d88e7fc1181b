import { randomUUID } from 'node:crypto'
import test from 'ava'
import { activityOf } from '../support/activity.ts'
import { answered } from '../support/ending.ts'
import { openOffice } from '../support/office.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
test.after.always(() => world.stop())

for (const door of world.doors) {
  const through = `through ${door.name}`

  test(`a change of visibility answers the record and is recorded, both ways ${through}`, async (t) => {
    const { key, kind, workspace, staff, ...office } = await openOffice(world, door)
    const record = await office.register(staff.owner)
    const { id: permission_id, resource_id } = record
    await office.share(staff.owner, record, { user: staff.editor.id }, 'view')
    const { shares } = await office.look(record)
    for (const visibility of ['workspace', 'private']) {
      const message = { permission_id, visibility }
      const ending = await door.call('UpdateVisibility', message, { key })
      t.deepEqual(answered(ending), { ...record, visibility, shares })
      if (ending.ok && door.name === 'rest') t.is(ending.status, 200)
      t.is(await office.may(staff.viewer, 'view', record), visibility === 'workspace')
    }
    const entries = await activityOf(world.pool, permission_id)
    const entry = {
      action: 'permission.visibility_changed',
      target_type: 'permission',
      actor_id: null,
      workspace_id: workspace,
    }
    t.deepEqual(entries.slice(1), [
      { ...entry, detail: { ...kind, resource_id, from: 'private', to: 'workspace' } },
      { ...entry, detail: { ...kind, resource_id, from: 'workspace', to: 'private' } },
    ])
  })

  test(`a visibility that changes nothing is answered and not recorded ${through}`, async (t) => {
    const { key, staff, ...office } = await openOffice(world, door)
    const record = await office.register(staff.owner)
    const message = { permission_id: record.id, visibility: 'private' }
    t.deepEqual(answered(await door.call('UpdateVisibility', message, { key })), record)
    t.deepEqual(await activityOf(world.pool, record.id), [])
  })

  test(`of racing changes of visibility each that happened is recorded once ${through}`, async (t) => {
    const { key, staff, ...office } = await openOffice(world, door)
    const { id: permission_id } = await office.register(staff.owner)
    const message = { permission_id, visibility: 'workspace' }
    const endings = await Promise.all(
      Array.from({ length: 20 }, () => door.call('UpdateVisibility', message, { key })),
    )
    for (const ending of endings) t.is(answered(ending).visibility, 'workspace')
    t.is((await activityOf(world.pool, permission_id)).length, 1)
  })

  test(`the visibility of an unknown permission_id is 404 ${through}`, async (t) => {
    const { key } = await openOffice(world, door)
    const message = { permission_id: randomUUID(), visibility: 'private' }
    const ending = await door.call('UpdateVisibility', message, { key })
    t.like(ending, { ok: false, kind: 'missing', detail: 'Resource not found' })
  })

  test(`a resource answers its record with every share, oldest first ${through}`, async (t) => {
    const { workspace, staff, ...office } = await openOffice(world, door)
    const record = await office.register(staff.owner)
    const group = await world.seed.group(workspace)
    const shares = [
      await office.share(staff.owner, record, { user: staff.viewer.id }, 'edit'),
      await office.share(staff.admin, record, { group }, 'view'),
    ]
    const upper = { resource_id: record.resource_id.toUpperCase() }
    t.deepEqual(await office.look(record), { ...record, shares })
    t.deepEqual(await office.look(upper), { ...record, shares })
  })

  test(`a resource that is not registered is 404 'Resource not found' ${through}`, async (t) => {
    const { key, kind, staff, ...office } = await openOffice(world, door)
    const { resource_id } = await office.register(staff.owner)
    for (const message of [
      { ...kind, resource_id: randomUUID() },
      { ...kind, resource_id, resource_type: 'Document' },
    ]) {
      const ending = await door.call('GetResource', message, { key })
      t.like(ending, { ok: false, kind: 'missing', detail: 'Resource not found' })
    }
  })

  test(`names with separators, quotes and letters of the world are found as written ${through}`, async (t) => {
    const { key, service: service_name, staff, ...office } = await openOffice(world, door)
    for (const resource_type of ['a/b', 'a%2Fb', '?x=1#y', 'ä 字 🦊', '"\\\'', 'NULL', '{,}']) {
      const record = await office.register(staff.owner, { resource_type })
      const message = { service_name, resource_type, resource_id: record.resource_id }
      t.deepEqual(answered(await door.call('GetResource', message, { key })), record)
    }
  })

  test(`unregistering answers 204, takes the shares along and ends every right ${through}`, async (t) => {
    const { key, kind, staff, ...office } = await openOffice(world, door)
    const record = await office.register(staff.viewer, { visibility: 'workspace' })
    const { id: permission_id, resource_id } = record
    await office.share(staff.viewer, record, { user: staff.editor.id }, 'edit')
    const ending = await door.call('Unregister', { permission_id }, { key })
    t.deepEqual(answered(ending), {})
    if (ending.ok && door.name === 'rest') t.is(ending.status, 204)

    for (const person of Object.values(staff)) t.false(await office.may(person, 'view', record))
    const { rows } = await world.pool.query('select from shares where resource_id = $1', [
      resource_id,
    ])
    t.is(rows.length, 0)
    const missing = { ok: false, kind: 'missing', detail: 'Resource not found' } as const
    t.like(await door.call('GetResource', { ...kind, resource_id }, { key }), missing)
    t.like(await door.call('Unregister', { permission_id }, { key }), missing)

    const again = await office.register(staff.viewer, { resource_id })
    t.not(again.id, permission_id)
    t.deepEqual(again.shares, [])
    t.false(await office.may(staff.editor, 'edit', again))
  })
}
