import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`changing the visibility returns the resource and records an event ${over}`, async (t) => {
    const { key, kind, workspace, people, ...fixture } = await createWorkspaceFixture(
      environment,
      transport,
    )
    const record = await fixture.register(people.owner)
    const { id: permission_id, resource_id } = record
    await fixture.share(people.owner, record, { user: people.editor.id }, 'view')
    const { shares } = await fixture.readResource(record)
    for (const visibility of ['workspace', 'private']) {
      const message = { permission_id, visibility }
      const outcome = await transport.call('UpdateVisibility', message, { key })
      t.deepEqual(expectOk(outcome), { ...record, visibility, shares })
      if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 200)
      t.is(await fixture.isAllowed(people.viewer, 'view', record), visibility === 'workspace')
    }
    const entries = await listActivity(environment.pool, permission_id)
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

  test(`setting the current visibility returns the resource and records nothing ${over}`, async (t) => {
    const { key, people, ...fixture } = await createWorkspaceFixture(environment, transport)
    const record = await fixture.register(people.owner)
    const message = { permission_id: record.id, visibility: 'private' }
    t.deepEqual(expectOk(await transport.call('UpdateVisibility', message, { key })), record)
    t.deepEqual(await listActivity(environment.pool, record.id), [])
  })

  test(`concurrent identical visibility changes record one event ${over}`, async (t) => {
    const { key, people, ...fixture } = await createWorkspaceFixture(environment, transport)
    const { id: permission_id } = await fixture.register(people.owner)
    const message = { permission_id, visibility: 'workspace' }
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => transport.call('UpdateVisibility', message, { key })),
    )
    for (const outcome of outcomes) t.is(expectOk(outcome).visibility, 'workspace')
    t.is((await listActivity(environment.pool, permission_id)).length, 1)
  })

  test(`changing the visibility of an unknown permission_id returns 404 ${over}`, async (t) => {
    const { key } = await createWorkspaceFixture(environment, transport)
    const message = { permission_id: randomUUID(), visibility: 'private' }
    const outcome = await transport.call('UpdateVisibility', message, { key })
    t.like(outcome, { ok: false, code: 'not_found', detail: 'Resource not found' })
  })

  test(`a resource is returned with all its shares, oldest first ${over}`, async (t) => {
    const { workspace, people, ...fixture } = await createWorkspaceFixture(environment, transport)
    const record = await fixture.register(people.owner)
    const group = await environment.seed.group(workspace)
    const shares = [
      await fixture.share(people.owner, record, { user: people.viewer.id }, 'edit'),
      await fixture.share(people.admin, record, { group }, 'view'),
    ]
    const upper = { resource_id: record.resource_id.toUpperCase() }
    t.deepEqual(await fixture.readResource(record), { ...record, shares })
    t.deepEqual(await fixture.readResource(upper), { ...record, shares })
  })

  test(`a resource names its owner on request, and the users and groups that it is shared with ${over}`, async (t) => {
    const { key, kind, people, workspace, ...fixture } = await createWorkspaceFixture(
      environment,
      transport,
    )
    const { id, resource_id } = await fixture.register(people.owner)
    const group = await environment.seed.group(workspace, [])
    const pool = environment.pool
    await pool.query(`update groups set name = 'Writers' where id = $1`, [group])
    await pool.query(`update users set name = 'Olga' where id = $1`, [people.owner.id])
    await pool.query(`update users set name = '' where id = $1`, [people.viewer.id])
    for (const [grantee_type, grantee_id] of [
      ['user', people.viewer.id],
      ['group', group],
    ]) {
      const message = { permission_id: id, grantee_type, grantee_id, permission: 'view' }
      const shared = expectOk(await transport.call('Share', message, fixture.as(people.owner)))
      t.falsy(shared.grantee_name)
    }
    const message = { ...kind, resource_id, with_names: true }
    const found = expectOk(await transport.call('GetResource', message, { key }))
    const { rows } = await pool.query('select id, email from users where id = any($1::uuid[])', [
      [people.owner.id, people.viewer.id],
    ])
    const emails = Object.fromEntries(rows.map(({ id, email }) => [id, email]))
    t.is(found.owner_name, 'Olga')
    t.is(found.owner_email, emails[people.owner.id])
    const named = found.shares.map((share: Record<string, unknown>) => [
      share.grantee_name ?? null,
      share.grantee_email ?? null,
    ])
    t.falsy((await fixture.readResource({ resource_id })).owner_name)
    t.deepEqual(named, [
      [null, emails[people.viewer.id]],
      ['Writers', null],
    ])
  })

  test(`a resource names what it inherits on request, nearest ancestor first ${over}`, async (t) => {
    const { key, kind, people, ...fixture } = await createWorkspaceFixture(environment, transport)
    const { pool } = environment
    await pool.query(`update users set name = 'Olga' where id = $1`, [people.owner.id])
    await pool.query(`update users set name = 'Vera' where id = $1`, [people.viewer.id])
    const type = { resource_type: 'folder' }
    const below = (parent: Record<string, unknown>) => ({
      parent: { resource_type: parent.resource_type, resource_id: parent.resource_id },
    })
    const unrelated = await fixture.register(people.owner, type)
    const top = await fixture.register(people.admin, { ...type, ...below(unrelated) })
    const separate = { permission_id: top.id, inherits: false }
    expectOk(await transport.call('UpdateParent', separate, { key }))
    const middle = await fixture.register(people.owner, {
      ...type,
      ...below(top),
      visibility: 'workspace',
      display_name: 'Plans',
    })
    const { resource_id } = await fixture.register(people.editor, below(middle))
    await fixture.share(people.admin, unrelated, { user: people.editor.id }, 'edit')
    await fixture.share(people.admin, top, { user: people.viewer.id }, 'edit')

    const message = { ...kind, resource_id, with_names: true, with_ancestors: true }
    const found = expectOk(await transport.call('GetResource', message, { key }))
    t.is(found.ancestors.length, 2)
    t.like(found.ancestors[0], {
      permission_id: middle.id,
      resource_type: 'folder',
      resource_id: middle.resource_id,
      display_name: 'Plans',
      owner_id: people.owner.id,
      owner_name: 'Olga',
      visibility: 'workspace',
      shares: [],
    })
    t.like(found.ancestors[1], { permission_id: top.id, owner_id: people.admin.id })
    t.like(found.ancestors[1].shares[0], { grantee_name: 'Vera', permission: 'edit' })
    t.is(found.ancestors[1].shares.length, 1)

    const { ancestors } = await fixture.readResource({ resource_id })
    t.deepEqual(ancestors, [])
    const atTop = { ...kind, ...type, resource_id: top.resource_id, with_ancestors: true }
    t.deepEqual(expectOk(await transport.call('GetResource', atTop, { key })).ancestors, [])
  })

  test(`an unregistered resource returns 404 'Resource not found' ${over}`, async (t) => {
    const { key, kind, people, ...fixture } = await createWorkspaceFixture(environment, transport)
    const { resource_id } = await fixture.register(people.owner)
    for (const message of [
      { ...kind, resource_id: randomUUID() },
      { ...kind, resource_id, resource_type: 'Document' },
    ]) {
      const outcome = await transport.call('GetResource', message, { key })
      t.like(outcome, { ok: false, code: 'not_found', detail: 'Resource not found' })
    }
  })

  test(`resource types with separators, quotes and non-ASCII characters are found as written ${over}`, async (t) => {
    const {
      key,
      service: service_name,
      people,
      ...fixture
    } = await createWorkspaceFixture(environment, transport)
    for (const resource_type of ['a/b', 'a%2Fb', '?x=1#y', 'ä 字 🦊', '"\\\'', 'NULL', '{,}']) {
      const record = await fixture.register(people.owner, { resource_type })
      const message = { service_name, resource_type, resource_id: record.resource_id }
      t.deepEqual(expectOk(await transport.call('GetResource', message, { key })), record)
    }
  })

  test(`unregistering returns 204, deletes the shares and revokes all access ${over}`, async (t) => {
    const { key, kind, people, ...fixture } = await createWorkspaceFixture(environment, transport)
    const record = await fixture.register(people.viewer, { visibility: 'workspace' })
    const { id: permission_id, resource_id } = record
    await fixture.share(people.viewer, record, { user: people.editor.id }, 'edit')
    const outcome = await transport.call('Unregister', { permission_id }, { key })
    t.deepEqual(expectOk(outcome), {})
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 204)

    for (const person of Object.values(people))
      t.false(await fixture.isAllowed(person, 'view', record))
    const { rows } = await environment.pool.query('select from shares where resource_id = $1', [
      resource_id,
    ])
    t.is(rows.length, 0)
    const missing = { ok: false, code: 'not_found', detail: 'Resource not found' } as const
    t.like(await transport.call('GetResource', { ...kind, resource_id }, { key }), missing)
    t.like(await transport.call('Unregister', { permission_id }, { key }), missing)

    const again = await fixture.register(people.viewer, { resource_id })
    t.not(again.id, permission_id)
    t.deepEqual(again.shares, [])
    t.false(await fixture.isAllowed(people.editor, 'edit', again))
  })
}
