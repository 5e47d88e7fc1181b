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

  test(`the owner shares a resource: 201 with the share, and it is recorded ${through}`, async (t) => {
    const { workspace, staff, kind, as, ...office } = await openOffice(world, door)
    const record = await office.register(staff.viewer)
    const { id: permission_id, resource_id } = record
    const grant = { grantee_type: 'user', grantee_id: staff.editor.id, permission: 'view' }
    const ending = await door.call('Share', { permission_id, ...grant }, as(staff.viewer))
    const { id, granted_at, ...rest } = answered(ending)
    t.deepEqual(rest, { ...grant, granted_by: staff.viewer.id })
    t.regex(id, /^[0-9a-f-]{36}$/)
    t.true(Math.abs(Date.parse(granted_at) - Date.now()) < 60_000)
    if (ending.ok && door.name === 'rest') t.is(ending.status, 201)
    t.deepEqual((await office.look(record)).shares, [ending.ok && ending.message])

    t.deepEqual(await activityOf(world.pool, permission_id), [
      {
        action: 'permission.shared',
        target_type: 'permission',
        actor_id: staff.viewer.id,
        workspace_id: workspace,
        detail: { ...kind, resource_id, ...grant },
      },
    ])
  })

  test(`a resource that goes while it is shared is not found, rather than the grantee ${through}`, async (t) => {
    const { staff, kind, as, ...office } = await openOffice(world, door)
    const grant = { grantee_type: 'user', grantee_id: staff.editor.id, permission: 'view' }
    for (let round = 0; round < 40; round += 1) {
      const { id: permission_id } = await office.register(staff.owner)
      const [ending] = await Promise.all([
        door.call('Share', { permission_id, ...grant }, as(staff.owner)),
        door.call('Unregister', { permission_id }, as(staff.owner)),
      ])
      if (!ending.ok) t.is(ending.reason, 'RESOURCE_NOT_FOUND')
    }
    t.pass()
  })

  test(`owner and admin of the workspace share what is not theirs, others are 403 ${through}`, async (t) => {
    const { staff, as, ...office } = await openOffice(world, door)
    const owner = await office.hire('viewer')
    const record = await office.register(owner, { visibility: 'workspace' })
    const { id: permission_id } = record
    const grant = { grantee_type: 'user', grantee_id: staff.viewer.id, permission: 'edit' }
    for (const person of [staff.viewer, staff.editor]) {
      const ending = await door.call('Share', { permission_id, ...grant }, as(person))
      t.like(ending, { ok: false, kind: 'forbidden', reason: 'NOT_THE_OWNER' })
    }
    // Whoever may edit by a share may not pass it on.
    await office.share(owner, record, { user: staff.editor.id }, 'edit')
    t.like(await door.call('Share', { permission_id, ...grant }, as(staff.editor)), {
      ok: false,
      kind: 'forbidden',
    })
    for (const person of [staff.admin, staff.owner]) {
      const ending = await door.call('Share', { permission_id, ...grant }, as(person))
      t.like(answered(ending), { ...grant, granted_by: person.id })
    }
  })

  test(`a resource of another workspace is 404 as an unknown one, even to its owner ${through}`, async (t) => {
    const { staff, key, ...office } = await openOffice(world, door)
    const { id } = await office.register(staff.owner)
    const elsewhere = await world.seed.workspace()
    await world.seed.member(elsewhere, staff.owner.id, 'owner')
    const token = await world.token(staff.owner.id, elsewhere)
    const grant = { grantee_type: 'user', grantee_id: staff.owner.id, permission: 'view' }
    const [there, nowhere] = await Promise.all(
      [id, randomUUID()].map(async (permission_id) => {
        const ending = await door.call('Share', { permission_id, ...grant }, { token, key })
        return { ...ending, headers: undefined }
      }),
    )
    t.like(there, { ok: false, kind: 'missing', detail: 'Resource not found' })
    t.deepEqual(there, nowhere)
  })

  test(`a grantee who is no member or group of the workspace is 404 ${through}`, async (t) => {
    const { staff, as, ...office } = await openOffice(world, door)
    const { id: permission_id } = await office.register(staff.viewer)
    const elsewhere = await world.seed.workspace()
    const stranger = await world.seed.person(elsewhere)
    const group = await world.seed.group(elsewhere, [stranger])
    for (const [grantee_type, grantee_id] of [
      ...[
        ['user', stranger],
        ['user', randomUUID()],
        ['user', group],
      ],
      ...[
        ['group', group],
        ['group', randomUUID()],
        ['group', staff.editor.id],
      ],
    ]) {
      const message = { permission_id, grantee_type, grantee_id, permission: 'view' }
      const ending = await door.call('Share', message, as(staff.viewer))
      t.like(ending, { ok: false, kind: 'missing', reason: 'GRANTEE_NOT_FOUND' })
    }
    t.deepEqual(await activityOf(world.pool, permission_id), [])
  })

  test(`sharing again replaces the permission and keeps the share's id ${through}`, async (t) => {
    const { workspace, staff, ...office } = await openOffice(world, door)
    const record = await office.register(staff.viewer)
    const group = await world.seed.group(workspace, [staff.editor.id])
    for (const grantee of [{ user: staff.editor.id }, { group }]) {
      const first = await office.share(staff.viewer, record, grantee, 'edit')
      t.true(await office.may(staff.editor, 'edit', record))
      const second = await office.share(staff.admin, record, grantee, 'view')
      t.like(second, { id: first.id, permission: 'view', granted_by: staff.admin.id })
      t.false(await office.may(staff.editor, 'edit', record))
      t.true(await office.may(staff.editor, 'view', record))
    }
    t.is((await office.look(record)).shares.length, 2)
  })

  test(`50 writers on one resource leave no duplicate and meet no error ${through}`, async (t) => {
    const { workspace, staff, key, ...office } = await openOffice(world, door)
    const record = await office.register(staff.viewer)
    const group = await world.seed.group(workspace)
    const grantees = [{ user: staff.editor.id }, { group }, { user: staff.admin.id }]
    await Promise.all(
      Array.from({ length: 50 }, (_, at) => {
        const grantee = grantees[at % 3] as { user: string }
        return office.share(staff.viewer, record, grantee, at % 2 ? 'view' : 'edit')
      }),
    )
    t.is((await office.look(record)).shares.length, 3)

    const taken = { grantee_type: 'user', grantee_id: staff.editor.id, permission: 'view' }
    const message = { permission_id: record.id, ...taken }
    const endings = await Promise.all(
      Array.from({ length: 20 }, () => door.call('RevokeShare', message, { key })),
    )
    t.is(endings.filter(({ ok }) => ok).length, 1)
    t.is(endings.filter((ending) => !ending.ok && ending.kind === 'missing').length, 19)
  })

  test(`of shares at once each has its own answer, whatever the others ask ${through}`, async (t) => {
    const { staff, as, ...office } = await openOffice(world, door)
    const records = await Promise.all(
      Array.from({ length: 5 }, () => office.register(staff.viewer)),
    )
    const grantees = [staff.editor.id, randomUUID(), staff.admin.id, staff.owner.id]
    const asked = records.flatMap(({ id }) =>
      grantees.map((grantee_id, at) => ({
        ...{ permission_id: id, grantee_type: 'user', grantee_id },
        permission: at % 2 ? 'view' : 'edit',
      })),
    )
    const endings = await Promise.all(
      asked.map((message) => door.call('Share', message, as(staff.viewer))),
    )
    for (const [at, { permission_id, ...grant }] of asked.entries()) {
      const ending = endings[at]
      if (grant.grantee_id === grantees[1])
        t.like(ending, { ok: false, kind: 'missing', reason: 'GRANTEE_NOT_FOUND' })
      else t.like(ending, { ok: true, message: { ...grant, granted_by: staff.viewer.id } })
    }
    for (const record of records) {
      const { shares } = await office.look(record)
      const [editor, , admin, owner] = grantees
      t.deepEqual(
        shares.map(({ grantee_id }: any) => grantee_id).sort(),
        [editor, admin, owner].sort(),
      )
      const recorded = await activityOf(world.pool, record.id)
      t.deepEqual(
        recorded.map(({ detail }) => detail.grantee_id).sort(),
        [editor, admin, owner].sort(),
      )
    }
  })

  test(`sharing and revoking while the resource goes away is answered or 404 ${through}`, async (t) => {
    const { staff, key, as, ...office } = await openOffice(world, door)
    for (let round = 0; round < 5; round += 1) {
      const { id: permission_id } = await office.register(staff.viewer)
      const grant = { grantee_type: 'user', grantee_id: staff.editor.id, permission: 'view' }
      const endings = await Promise.all([
        door.call('Share', { permission_id, ...grant }, as(staff.viewer)),
        door.call('Share', { permission_id, ...grant }, as(staff.admin)),
        door.call('Unregister', { permission_id }, { key }),
        door.call('RevokeShare', { permission_id, ...grant }, { key }),
      ])
      for (const ending of endings) t.true(ending.ok || ending.kind === 'missing')
    }
  })

  test(`a revoked share is answered {"status":"ok"}, gone, and recorded as it was ${through}`, async (t) => {
    const { workspace, staff, kind, key, ...office } = await openOffice(world, door)
    const record = await office.register(staff.viewer)
    const { id: permission_id, resource_id } = record
    const group = await world.seed.group(workspace, [staff.editor.id])
    await office.share(staff.viewer, record, { user: staff.editor.id }, 'view')
    await office.share(staff.viewer, record, { group }, 'edit')
    t.true(await office.may(staff.editor, 'edit', record))

    // `permission` is asked for and not looked at.
    const taken = { permission_id, grantee_type: 'group', grantee_id: group, permission: 'view' }
    const ending = await door.call('RevokeShare', taken, { key })
    t.deepEqual(answered(ending), { status: 'ok' })
    if (ending.ok && door.name === 'rest') t.is(ending.status, 200)
    t.false(await office.may(staff.editor, 'edit', record))
    t.true(await office.may(staff.editor, 'view', record))
    const { shares } = await office.look(record)
    t.deepEqual(
      shares.map((share: { grantee_id: string }) => share.grantee_id),
      [staff.editor.id],
    )
    t.like((await activityOf(world.pool, permission_id)).at(-1), {
      action: 'permission.share_revoked',
      actor_id: null,
      workspace_id: workspace,
      detail: {
        ...{ ...kind, resource_id, grantee_type: 'group', grantee_id: group },
        permission: 'edit',
      },
    })
    t.like(await door.call('RevokeShare', taken, { key }), {
      ok: false,
      kind: 'missing',
      detail: 'Share not found',
    })
    t.is((await activityOf(world.pool, permission_id)).length, 3)
  })

  test(`revoking a share of an unknown permission_id or grantee is 404 ${through}`, async (t) => {
    const { staff, key, ...office } = await openOffice(world, door)
    const { id } = await office.register(staff.viewer)
    const grantee = { grantee_type: 'user', grantee_id: staff.editor.id, permission: 'view' }
    for (const permission_id of [id, randomUUID()]) {
      const ending = await door.call('RevokeShare', { permission_id, ...grantee }, { key })
      t.like(ending, { ok: false, kind: 'missing' })
    }
  })

  test(`ids in capitals mean the same, and the log keeps one spelling ${through}`, async (t) => {
    const { staff, key, as, ...office } = await openOffice(world, door)
    const record = await office.register(staff.viewer)
    const message = {
      permission_id: record.id.toUpperCase(),
      grantee_type: 'user',
      grantee_id: staff.editor.id.toUpperCase(),
      permission: 'view',
    }
    const shared = answered(await door.call('Share', message, as(staff.viewer)))
    t.is(shared.grantee_id, staff.editor.id)
    t.true(await office.may(staff.editor, 'view', record))
    answered(await door.call('RevokeShare', message, { key }))
    t.false(await office.may(staff.editor, 'view', record))
    const entries = await activityOf(world.pool, record.id)
    t.deepEqual(
      entries.map(({ detail }) => detail.grantee_id),
      [staff.editor.id, staff.editor.id],
    )
  })
}
