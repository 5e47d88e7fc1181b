import { randomUUID } from 'node:crypto'
import test from 'ava'
import { answered } from '../support/ending.ts'
import { openOffice } from '../support/office.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
test.after.always(() => world.stop())

for (const door of world.doors) {
  const through = `through ${door.name}`

  test(`a registration answers 201 with the record, private and without shares ${through}`, async (t) => {
    const { kind, workspace, staff, key } = await openOffice(world, door)
    const resource_id = randomUUID()
    const facts = { ...kind, resource_id, workspace_id: workspace, owner_id: staff.viewer.id }
    const ending = await door.call('Register', facts, { key })
    const { id, created_at, ...rest } = answered(ending)
    t.deepEqual(rest, { ...facts, visibility: 'private', shares: [] })
    t.regex(id, /^[0-9a-f-]{36}$/)
    t.not(id, resource_id)
    t.regex(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
    if (ending.ok && door.name === 'rest') t.is(ending.status, 201)
  })

  test(`the visibility at registration is the one given ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const record = await office.register(office.staff.viewer, { visibility: 'workspace' })
    t.is(record.visibility, 'workspace')
  })

  test(`a repeated registration answers 201 with the record as it is now ${through}`, async (t) => {
    const { staff, ...office } = await openOffice(world, door)
    const first = await office.register(staff.viewer)
    const { resource_id, id: permission_id } = first
    await office.share(staff.viewer, first, { user: staff.editor.id }, 'view')
    const opened = { permission_id, visibility: 'workspace' }
    answered(await door.call('UpdateVisibility', opened, { key: office.key }))

    const again = { resource_id, visibility: 'private', workspace_id: office.workspace }
    t.deepEqual(await office.register(staff.viewer, again), await office.look(first))
    const upper = {
      resource_id: resource_id.toUpperCase(),
      workspace_id: office.workspace.toUpperCase(),
      owner_id: staff.viewer.id.toUpperCase(),
    }
    const record = await office.register(staff.viewer, upper)
    t.is(record.visibility, 'workspace')
    t.is(record.shares.length, 1)
    t.is(record.id, permission_id)
    t.is(record.resource_id, resource_id)
  })

  test(`a registration with another owner or workspace is 409 and changes nothing ${through}`, async (t) => {
    const { staff, kind, key, workspace, ...office } = await openOffice(world, door)
    const record = await office.register(staff.viewer)
    const { resource_id } = record
    const elsewhere = await world.seed.workspace()
    await world.seed.member(elsewhere, staff.viewer.id)
    for (const facts of [
      { workspace_id: workspace, owner_id: staff.editor.id },
      { workspace_id: elsewhere, owner_id: staff.viewer.id },
    ]) {
      const ending = await door.call('Register', { ...kind, resource_id, ...facts }, { key })
      t.like(ending, { ok: false, kind: 'conflict', reason: 'RESOURCE_REGISTERED' })
    }
    t.deepEqual(await office.look(record), record)
  })

  test(`the same id under another type is another resource ${through}`, async (t) => {
    const { staff, ...office } = await openOffice(world, door)
    const { id, resource_id } = await office.register(staff.viewer)
    const folder = await office.register(staff.editor, { resource_id, resource_type: 'folder' })
    t.not(folder.id, id)
    t.is(folder.owner_id, staff.editor.id)
  })

  test(`a registration in an unknown workspace is 404 ${through}`, async (t) => {
    const { kind, staff, key } = await openOffice(world, door)
    const facts = { resource_id: randomUUID(), workspace_id: randomUUID() }
    const message = { ...kind, ...facts, owner_id: staff.owner.id }
    const ending = await door.call('Register', message, { key })
    t.like(ending, { ok: false, kind: 'missing', detail: 'Workspace not found' })
  })

  test(`an owner who is no member of the workspace is 422 and named ${through}`, async (t) => {
    const { kind, workspace, key } = await openOffice(world, door)
    for (const owner_id of [randomUUID(), await world.seed.user()]) {
      const facts = { resource_id: randomUUID(), workspace_id: workspace, owner_id }
      const ending = await door.call('Register', { ...kind, ...facts }, { key })
      t.like(ending, { ok: false, kind: 'invalid', problems: [{ field: 'owner_id' }] })
    }
  })

  test(`a repetition answers 201 after the owner has left the workspace, too ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const leaver = await office.hire('editor')
    const record = await office.register(leaver)
    await world.pool.query('delete from members where user_id = $1', [leaver.id])
    const { resource_id } = record
    t.deepEqual(await office.register(leaver, { resource_id }), record)
  })

  test(`of 50 registrations at once one record comes and no error ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const resource_id = randomUUID()
    // A kind nobody has named before, so that its row is raced for, too.
    const facts = { resource_id, resource_type: `kind-${door.name}` }
    const records = await Promise.all(
      Array.from({ length: 50 }, () => office.register(office.staff.viewer, facts)),
    )
    t.is(new Set(records.map(({ id }) => id)).size, 1)
    const { rows } = await world.pool.query('select from resources where resource_id = $1', [
      resource_id,
    ])
    t.is(rows.length, 1)
  })

  test(`of 20 racing owners one wins and the others are told 409 ${through}`, async (t) => {
    const { kind, key, workspace, ...office } = await openOffice(world, door)
    const owners = await Promise.all(Array.from({ length: 20 }, () => office.hire('viewer')))
    const facts = { ...kind, resource_id: randomUUID(), workspace_id: workspace }
    const endings = await Promise.all(
      owners.map(({ id }) => door.call('Register', { ...facts, owner_id: id }, { key })),
    )
    t.is(endings.filter(({ ok }) => ok).length, 1)
    t.is(endings.filter((ending) => !ending.ok && ending.kind === 'conflict').length, 19)
  })
}
