import { randomUUID } from 'node:crypto'
import test from 'ava'
import { toResourceId } from '../../src/permissions/resource-id.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { repeatLockTimeouts } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

for (const transport of environment.transports.map(repeatLockTimeouts)) {
  const over = `over ${transport.label}`

  test(`registering returns 201 with the resource, private and without shares ${over}`, async (t) => {
    const { kind, workspace, people, key } = await createWorkspaceFixture(environment, transport)
    const resource_id = randomUUID()
    const facts = { ...kind, resource_id, workspace_id: workspace, owner_id: people.viewer.id }
    const outcome = await transport.call('Register', facts, { key })
    const { id, created_at, parent, external_id, display_name, ...others } = expectOk(outcome)
    const { owner_name, owner_email, ...rest } = others
    t.falsy(owner_name ?? owner_email)
    t.is(parent ?? null, null)
    t.is(display_name ?? null, null)
    t.is(external_id ?? null, null)
    t.deepEqual(rest, {
      ...facts,
      visibility: 'private',
      shares: [],
      inherits: true,
      attributes: {},
      ancestors: [],
    })
    t.regex(id, /^[0-9a-f-]{36}$/)
    t.not(id, resource_id)
    t.regex(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 201)
  })

  test(`an external_id is mapped to a name-based UUID and returned ${over}`, async (t) => {
    const { kind, workspace, people, key } = await createWorkspaceFixture(environment, transport)
    const facts = { ...kind, workspace_id: workspace, owner_id: people.viewer.id }
    const register = (ids: object) => transport.call('Register', { ...facts, ...ids }, { key })
    const external_id = 'reports/2026 – Q3'
    const resource_id = toResourceId(kind.service_name, kind.resource_type, external_id)
    t.like(expectOk(await register({ external_id })), { external_id, resource_id })
    t.like(expectOk(await register({ external_id, resource_id })), { external_id, resource_id })
    const found = await transport.call('GetResource', { ...kind, resource_id }, { key })
    t.like(expectOk(found), { external_id, resource_id })
    const invalid: [object, string][] = [
      [{ external_id, resource_id: randomUUID() }, 'resource_id'],
      [{ external_id: randomUUID() }, 'external_id'],
      [{ external_id: 'x'.repeat(256) }, 'external_id'],
      [{}, 'resource_id'],
    ]
    for (const [ids, field] of invalid) {
      const { code, violations } = expectError(await register(ids))
      t.is(code, 'invalid_argument')
      t.deepEqual(
        violations.map(({ field }) => field),
        [field],
      )
    }
  })

  test(`the owner is named by ID, e-mail address or external ID ${over}`, async (t) => {
    const { kind, workspace, people, key } = await createWorkspaceFixture(environment, transport)
    const { pool, seed } = environment
    const [email, external_id] = [`${randomUUID()}@example.com`, `hr-${randomUUID()}`]
    const owner = await seed.user('Owner', { email })
    await pool.query('update users set external_id = $1 where id = $2', [external_id, owner])
    await seed.member(workspace, owner, 'viewer')
    const stranger = `${randomUUID()}@example.com`
    await seed.user('Stranger', { email: stranger })
    const item = (names: object) => ({
      ...kind,
      resource_id: randomUUID(),
      workspace_id: workspace,
      // Protobuf represents an absent ID as an empty string.
      ...(transport.name === 'grpc' && { owner_id: '' }),
      ...names,
    })
    const names = [
      { owner_email: email.toUpperCase() },
      { owner_external_id: external_id },
      { owner_id: owner },
    ]
    for (const name of names) {
      const record = expectOk(await transport.call('Register', item(name), { key }))
      t.is(record.owner_id, owner)
    }
    const batch = { resources: names.map(item) }
    const { resources } = expectOk(await transport.call('RegisterBatch', batch, { key }))
    t.deepEqual(
      resources.map((record: { owner_id: string }) => record.owner_id),
      [owner, owner, owner],
    )

    const isMissing = 'must be a member of the workspace'
    const invalid: [names: object, field: string, message: string][] = [
      [{}, 'owner_id', 'is required, or owner_email or owner_external_id'],
      [{ ...names[0], ...names[1] }, 'owner_external_id', 'must not be combined with owner_email'],
      [
        { ...names[0], owner_id: people.owner.id },
        'owner_email',
        'must not be combined with owner_id',
      ],
      // Users outside the workspace and unknown names are not distinguished.
      [{ owner_email: stranger }, 'owner_email', isMissing],
      [{ owner_email: 'unknown@example.com' }, 'owner_email', isMissing],
      [{ owner_external_id: 'unknown' }, 'owner_external_id', isMissing],
    ]
    for (const [name, field, message] of invalid) {
      const error = expectError(await transport.call('Register', item(name), { key }))
      t.is(error.code, 'invalid_argument')
      t.deepEqual(error.violations, [{ field, message }])
    }
    const mixed = { resources: [item({ owner_id: owner }), item({ owner_email: stranger })] }
    const { violations } = expectError(await transport.call('RegisterBatch', mixed, { key }))
    t.deepEqual(violations, [{ field: 'resources[1].owner_email', message: isMissing }])
  })

  test(`registering sets the requested visibility ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const record = await fixture.register(fixture.people.viewer, { visibility: 'workspace' })
    t.is(record.visibility, 'workspace')
  })

  test(`registering again returns 201 with the unchanged resource ${over}`, async (t) => {
    const { people, ...fixture } = await createWorkspaceFixture(environment, transport)
    const first = await fixture.register(people.viewer)
    const { resource_id, id: permission_id } = first
    await fixture.share(people.viewer, first, { user: people.editor.id }, 'view')
    const opened = { permission_id, visibility: 'workspace' }
    expectOk(await transport.call('UpdateVisibility', opened, { key: fixture.key }))

    const again = { resource_id, visibility: 'private', workspace_id: fixture.workspace }
    t.deepEqual(await fixture.register(people.viewer, again), await fixture.readResource(first))
    const upper = {
      resource_id: resource_id.toUpperCase(),
      workspace_id: fixture.workspace.toUpperCase(),
      owner_id: people.viewer.id.toUpperCase(),
    }
    const record = await fixture.register(people.viewer, upper)
    t.is(record.visibility, 'workspace')
    t.is(record.shares.length, 1)
    t.is(record.id, permission_id)
    t.is(record.resource_id, resource_id)
  })

  test(`registering again with another owner or workspace returns 409 and changes nothing ${over}`, async (t) => {
    const { people, kind, key, workspace, ...fixture } = await createWorkspaceFixture(
      environment,
      transport,
    )
    const record = await fixture.register(people.viewer)
    const { resource_id } = record
    const otherWorkspace = await environment.seed.workspace()
    await environment.seed.member(otherWorkspace, people.viewer.id)
    for (const facts of [
      { workspace_id: workspace, owner_id: people.editor.id },
      { workspace_id: otherWorkspace, owner_id: people.viewer.id },
    ]) {
      const outcome = await transport.call('Register', { ...kind, resource_id, ...facts }, { key })
      t.like(outcome, { ok: false, code: 'already_exists', reason: 'RESOURCE_REGISTERED' })
    }
    t.deepEqual(await fixture.readResource(record), record)
  })

  test(`the same ID with another type identifies a different resource ${over}`, async (t) => {
    const { people, ...fixture } = await createWorkspaceFixture(environment, transport)
    const { id, resource_id } = await fixture.register(people.viewer)
    const folder = await fixture.register(people.editor, { resource_id, resource_type: 'folder' })
    t.not(folder.id, id)
    t.is(folder.owner_id, people.editor.id)
  })

  test(`registering in an unknown workspace returns 404 ${over}`, async (t) => {
    const { kind, people, key } = await createWorkspaceFixture(environment, transport)
    const facts = { resource_id: randomUUID(), workspace_id: randomUUID() }
    const message = { ...kind, ...facts, owner_id: people.owner.id }
    const outcome = await transport.call('Register', message, { key })
    t.like(outcome, { ok: false, code: 'not_found', detail: 'Workspace not found' })
  })

  test(`an owner who is not a member of the workspace is a violation of owner_id ${over}`, async (t) => {
    const { kind, workspace, key } = await createWorkspaceFixture(environment, transport)
    for (const owner_id of [randomUUID(), await environment.seed.user()]) {
      const facts = { resource_id: randomUUID(), workspace_id: workspace, owner_id }
      const outcome = await transport.call('Register', { ...kind, ...facts }, { key })
      t.like(outcome, { ok: false, code: 'invalid_argument', violations: [{ field: 'owner_id' }] })
    }
  })

  test(`registering again returns 201 after the owner has left the workspace ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const leaver = await fixture.addMember('editor')
    const record = await fixture.register(leaver)
    await environment.pool.query('delete from members where user_id = $1', [leaver.id])
    const { resource_id } = record
    t.deepEqual(await fixture.register(leaver, { resource_id }), record)
  })

  test(`50 concurrent registrations create one resource without errors ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const resource_id = randomUUID()
    // A new resource type, so that the calls also race to create its row.
    const facts = { resource_id, resource_type: `kind-${transport.name}` }
    const records = await Promise.all(
      Array.from({ length: 50 }, () => fixture.register(fixture.people.viewer, facts)),
    )
    t.is(new Set(records.map(({ id }) => id)).size, 1)
    const { rows } = await environment.pool.query('select from resources where resource_id = $1', [
      resource_id,
    ])
    t.is(rows.length, 1)
  })

  test(`of 20 concurrent registrations with different owners, one succeeds and 19 return 409 ${over}`, async (t) => {
    const { kind, key, workspace, ...fixture } = await createWorkspaceFixture(
      environment,
      transport,
    )
    const owners = await Promise.all(Array.from({ length: 20 }, () => fixture.addMember('viewer')))
    const facts = { ...kind, resource_id: randomUUID(), workspace_id: workspace }
    const outcomes = await Promise.all(
      owners.map(({ id }) => transport.call('Register', { ...facts, owner_id: id }, { key })),
    )
    t.is(outcomes.filter(({ ok }) => ok).length, 1)
    t.is(outcomes.filter((outcome) => !outcome.ok && outcome.code === 'already_exists').length, 19)
  })
}
