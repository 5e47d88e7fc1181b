import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture, type ResourceRecord } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  const through = `over ${transport.label}`
  const call = (method: string, message: object = {}) => admin.call(transport, method, message)
  const list = async (message: object) => expectOk(await call('ListPermissions', message))
  const providerIds = (page: Record<string, any>) => page.items.map(({ id }: { id: string }) => id)

  test(`resources are listed newest first and filtered by workspace and service ${through}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { workspace: workspace_id, service: service_name, people } = fixture
    const older = [await fixture.register(people.owner), await fixture.register(people.owner)]
    const last = await fixture.register(people.owner)
    await fixture.share(people.owner, last, { user: people.viewer.id }, 'view')
    const newest = [...older, last].map(({ id }) => id).toReversed()

    const first = await list({ workspace_id, page_size: 2 })
    t.like(first, { total: 3, page: 1, page_size: 2 })
    const { shares, attributes, owner_name, owner_email, ancestors, ...facts } = last
    t.like(first.items[0], { ...facts, effective_visibility: 'private', share_count: 1 })
    t.falsy(first.items[0].visible_through)
    const second = await list({ workspace_id, page_size: 2, page: 2 })
    t.deepEqual([...providerIds(first), ...providerIds(second)], newest)
    t.deepEqual(providerIds(await list({ service_name })), newest)
    t.deepEqual(providerIds(await list({ service_name, workspace_id })), newest)
    const nothing = [{ workspace_id: randomUUID() }, { service_name: randomUUID() }]
    for (const filter of [...nothing, { service_name: '%' }, { workspace_id, page: 999_999_999 }])
      t.deepEqual((await list(filter)).items, [])
    for (const [field, value] of Object.entries({ workspace_id: 'x', page: 0, page_size: 101 }))
      t.like(expectError(await call('ListPermissions', { [field]: value })), {
        code: 'invalid_argument',
        violations: [{ field }],
      })
  })

  test(`administrators transfer and move resources and register actions ${through}`, async (t) => {
    const { people, register, service } = await createWorkspaceFixture(environment, transport)
    const folder = await register(people.owner, { resource_type: 'folder' })
    const { resource_type, resource_id } = folder
    const record = await register(people.owner)
    const parent = { resource_type, resource_id }
    const moved = { permission_id: record.id, parent, inherits: false }
    t.like(expectOk(await call('UpdateParent', moved)), { inherits: false, parent })
    const owner = { permission_id: record.id, owner_id: people.viewer.id }
    t.is(expectOk(await call('TransferOwnership', owner)).owner_id, people.viewer.id)
    const unknown = { ...owner, owner_id: randomUUID() }
    t.is(expectError(await call('TransferOwnership', unknown)).code, 'invalid_argument')
    const actions = { service_name: service, actions: [{ name: 'publish' }] }
    const registered = expectOk(await call('RegisterActions', actions))
    t.like(registered, { service_name: service, actions: [{ name: 'publish' }] })
    t.is(registered.actions.length, 1)
    const reserved = { ...actions, actions: [{ name: 'manage' }] }
    t.is(expectError(await call('RegisterActions', reserved)).code, 'invalid_argument')
    const { rows } = await environment.pool.query(
      `select action from activity where target_id in ($1, $2) and actor_id = $3 order by id`,
      [record.id, registered.actions[0].id, admin.id],
    )
    t.deepEqual(
      rows.map(({ action }) => action),
      ['permission.parent_changed', 'permission.owner_changed', 'service_action.registered'],
    )
  })

  test(`resources are filtered by type, ID, owner, visibility and grantee ${through}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { workspace: workspace_id, people } = fixture
    const folderRecord = await fixture.register(people.owner, { resource_type: 'folder' })
    const open = await fixture.register(people.editor, {
      visibility: 'workspace',
      resource_id: undefined,
      external_id: 'roadmap',
    })
    await fixture.share(people.owner, folderRecord, { user: people.viewer.id }, 'view')
    const group = await environment.seed.group(workspace_id, [people.viewer.id])
    await fixture.share(people.owner, open, { group }, 'view')
    const parentGroup = await environment.seed.group(workspace_id, [])
    expectOk(await call('AddChildGroup', { group_id: parentGroup, child_id: group }))
    await fixture.share(people.owner, folderRecord, { group: parentGroup }, 'view')
    for (const [filter, expected] of [
      [{ resource_type: 'folder' }, [folderRecord]],
      [{ resource_id: open.resource_id }, [open]],
      [{ external_id: 'roadmap' }, [open]],
      [{ external_id: folderRecord.resource_id }, [folderRecord]],
      [{ external_id: 'roadmap', resource_type: 'folder' }, []],
      [{ owner_id: people.editor.id }, [open]],
      [{ visibility: 'workspace' }, [open]],
      [{ grantee_id: people.viewer.id }, [folderRecord]],
      [{ grantee_id: people.viewer.id, effective: false }, [folderRecord]],
      [{ grantee_id: people.viewer.id, effective: true }, [open, folderRecord]],
      [{ grantee_id: group }, [open]],
      [{ grantee_id: group, effective: true }, [open]],
      [{ grantee_id: people.editor.id, effective: true }, []],
      [{ owner_id: people.owner.id, visibility: 'workspace' }, []],
    ] as const) {
      const page = await list({ workspace_id, ...filter })
      t.deepEqual(
        providerIds(page),
        expected.map(({ id }) => id),
      )
      t.is(page.total, expected.length)
    }
  })

  test(`a list says who sees a resource, and through which ancestor ${through}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { workspace: workspace_id, service: service_name, people, key } = fixture
    const declare = async (resource_type: string) => {
      const nothing = { roles: [], conditions: [], requirements: [] }
      const declaration = { service_name, resource_type, allow_public: true, ...nothing }
      expectOk(await transport.call('PutResourceType', declaration, { key }))
    }
    await declare('folder')
    await declare('document')
    const setVisibility = async ({ id: permission_id }: { id: string }, visibility: string) =>
      expectOk(await call('UpdateVisibility', { permission_id, visibility }))
    const below = (parent: ResourceRecord, more: object = {}) => {
      const { resource_type, resource_id } = parent
      return fixture.register(people.owner, { parent: { resource_type, resource_id }, ...more })
    }
    const folder = { resource_type: 'folder', external_id: 'plans', resource_id: undefined }
    const outer = await fixture.register(people.owner, { ...folder, display_name: 'Plans' })
    const inner = await below(outer, { resource_type: 'folder' })
    const [plan, note] = [await below(inner), await below(inner, { resource_type: 'note' })]
    const seen = async ({ id }: { id: string }) => {
      const { items } = await list({ workspace_id })
      const found = items.find((item: { id: string }) => item.id === id)
      return [found.visibility, found.effective_visibility, found.visible_through?.permission_id]
    }
    const none = ['private', 'private', undefined]
    for (const record of [outer, inner, plan, note]) t.deepEqual(await seen(record), none)
    await setVisibility(outer, 'workspace')
    t.deepEqual(await seen(outer), ['workspace', 'workspace', undefined])
    for (const record of [inner, plan, note])
      t.deepEqual(await seen(record), ['private', 'workspace', outer.id])
    const { items } = await list({ workspace_id, resource_id: plan.resource_id })
    t.deepEqual(items[0].visible_through, {
      permission_id: outer.id,
      resource_type: 'folder',
      resource_id: outer.resource_id,
      external_id: 'plans',
      display_name: 'Plans',
    })
    // The nearest of those that are as wide.
    await setVisibility(inner, 'workspace')
    t.deepEqual(await seen(plan), ['private', 'workspace', inner.id])
    await setVisibility(plan, 'workspace')
    t.deepEqual(await seen(plan), ['workspace', 'workspace', undefined])
    await setVisibility(outer, 'public')
    t.deepEqual(await seen(plan), ['workspace', 'public', outer.id])
    // The type of the note does not allow it to be public.
    t.deepEqual(await seen(note), ['private', 'workspace', inner.id])
    expectOk(await call('UpdateParent', { permission_id: inner.id, inherits: false }))
    t.deepEqual(await seen(inner), ['workspace', 'workspace', undefined])
    t.deepEqual(await seen(note), ['private', 'workspace', inner.id])
    expectOk(await call('UpdateParent', { permission_id: note.id, inherits: false }))
    t.deepEqual(await seen(note), none)
  })

  test(`an administrator can read, publish, share and hide every resource ${through}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people } = fixture
    const record = await fixture.register(people.owner)
    const permission_id = record.id
    t.deepEqual(
      expectOk(await call('GetPermission', { permission_id })),
      await fixture.readResource(record),
    )
    const missing = expectError(await call('GetPermission', { permission_id: randomUUID() }))
    t.like(missing, { code: 'not_found', detail: 'Resource not found' })

    const open = await call('UpdateVisibility', { permission_id, visibility: 'workspace' })
    t.is(expectOk(open).visibility, 'workspace')
    t.true(await fixture.isAllowed(people.viewer, 'view', record))
    const grant = {
      permission_id,
      grantee_type: 'user',
      grantee_id: people.viewer.id,
      permission: 'edit',
    }
    const shared = await call('Share', grant)
    if (shared.ok && transport.name === 'rest') t.is(shared.status, 201)
    t.like(expectOk(shared), { grantee_id: people.viewer.id, granted_by: admin.id })
    t.true(await fixture.isAllowed(people.viewer, 'edit', record))
    t.deepEqual(expectOk(await call('RevokeShare', grant)), { status: 'ok' })
    t.false(await fixture.isAllowed(people.viewer, 'edit', record))
    t.is(expectError(await call('RevokeShare', grant)).reason, 'SHARE_NOT_FOUND')
    const nonMember = { ...grant, grantee_id: admin.id }
    t.is(expectError(await call('Share', nonMember)).reason, 'GRANTEE_NOT_FOUND')
    for (const invalid of [{ grantee_type: 'dog' }, { permission: 'own' }, { grantee_id: 'x' }])
      t.is(expectError(await call('Share', { ...grant, ...invalid })).code, 'invalid_argument')
    t.deepEqual(
      (await listActivity(environment.pool, record.id)).map(({ action, actor_id }) => [
        action,
        actor_id,
      ]),
      [
        ['permission.visibility_changed', admin.id],
        ['permission.shared', admin.id],
        ['permission.share_revoked', admin.id],
      ],
    )
  })
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
