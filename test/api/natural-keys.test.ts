import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

/** Methods that change a resource, with their other fields, in an order in which all succeed. */
function changes(granteeId: string, ownerId: string): [method: string, fields: object][] {
  const grant = { grantee_type: 'user', grantee_id: granteeId, permission: 'view' }
  return [
    ['Share', grant],
    ['UpdateVisibility', { visibility: 'workspace' }],
    ['TransferOwnership', { owner_id: ownerId }],
    ['RevokeShare', grant],
    ['Unregister', {}],
  ]
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a resource can be changed by permission_id and by its key, with the same results ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, kind, as } = fixture
    const run = async (useKey: boolean) => {
      const record = await fixture.register(people.owner)
      const { id: permission_id, resource_id } = record
      const name = useKey ? { ...kind, resource_id } : { permission_id }
      const results: unknown[] = []
      for (const [method, fields] of changes(people.editor.id, people.admin.id)) {
        const outcome = await transport.call(method, { ...name, ...fields }, as(people.owner))
        const { shares, ...message } = expectOk(outcome)
        results.push({ ...message, id: '', resource_id: '', created_at: '', granted_at: '' })
        results.push(shares?.length)
      }
      const lookup = await transport.call('GetResource', { ...kind, resource_id }, as(people.owner))
      t.is(expectError(lookup).code, 'not_found')
      const actions = await listActivity(environment.pool, permission_id)
      return [results, actions.map(({ action, actor_id }) => [action, actor_id])]
    }
    t.deepEqual(await run(true), await run(false))
  })

  test(`an unknown key returns 404, and keys are case-sensitive except for the UUID ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, kind, as } = fixture
    const { resource_id } = await fixture.register(people.owner)
    const name = { ...kind, resource_id }
    for (const [method, fields] of changes(people.editor.id, people.admin.id)) {
      for (const invalid of [{ resource_id: randomUUID() }, { resource_type: 'Document' }]) {
        const message = { ...name, ...invalid, ...fields }
        const outcome = await transport.call(method, message, as(people.owner))
        t.like(outcome, { ok: false, code: 'not_found', reason: 'RESOURCE_NOT_FOUND' }, method)
      }
      const upper = { ...name, resource_id: resource_id.toUpperCase(), ...fields }
      t.true((await transport.call(method, upper, as(people.owner))).ok, method)
    }
  })

  test(`the key of a resource with an external ID may contain that ID ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, kind, key, workspace, as } = fixture
    const external_id = `reports/2026 ${randomUUID()} ü`
    const registration = {
      ...kind,
      external_id,
      workspace_id: workspace,
      owner_id: people.owner.id,
    }
    const { id } = expectOk(await transport.call('Register', registration, { key }))
    const name = { ...kind, resource_id: external_id }
    const found = expectOk(await transport.call('GetResource', name, { key }))
    t.like(found, { id, external_id })
    for (const [method, fields] of changes(people.editor.id, people.admin.id))
      expectOk(await transport.call(method, { ...name, ...fields }, as(people.owner)))
    const gone = expectError(await transport.call('GetResource', name, { key }))
    t.is(gone.code, 'not_found')
    const tooLong = { ...kind, resource_id: 'x'.repeat(256) }
    t.deepEqual(expectError(await transport.call('GetResource', tooLong, { key })).violations, [
      { field: 'resource_id', message: 'must be at most 255 characters long' },
    ])
  })

  test(`transferring ownership transfers the owner's rights and records an event ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, kind, key, workspace } = fixture
    const record = await fixture.register(people.viewer)
    const { id: permission_id, resource_id } = record
    const message = { permission_id, owner_id: people.editor.id.toUpperCase() }
    const outcome = await transport.call('TransferOwnership', message, { key })
    t.deepEqual(expectOk(outcome), { ...record, owner_id: people.editor.id })
    for (const action of ['view', 'edit', 'manage']) {
      t.false(await fixture.isAllowed(people.viewer, action, record))
      t.true(await fixture.isAllowed(people.editor, action, record))
    }
    expectOk(await transport.call('TransferOwnership', message, { key }))
    t.deepEqual(await listActivity(environment.pool, permission_id), [
      {
        action: 'permission.owner_changed',
        target_type: 'permission',
        actor_id: null,
        workspace_id: workspace,
        detail: { ...kind, resource_id, from: people.viewer.id, to: people.editor.id },
      },
    ])
  })

  test(`a new owner who is not a member returns 422 ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const record = await fixture.register(fixture.people.owner)
    const nonMember = await environment.seed.newMember(await environment.seed.workspace())
    for (const owner_id of [nonMember, randomUUID()]) {
      const message = { permission_id: record.id, owner_id }
      const outcome = await transport.call('TransferOwnership', message, { key: fixture.key })
      t.like(outcome, { ok: false, code: 'invalid_argument' })
      const violation = { field: 'owner_id', message: 'must be a member of the workspace' }
      t.deepEqual(expectError(outcome).violations, [violation])
    }
    t.is((await fixture.readResource(record)).owner_id, fixture.people.owner.id)
  })

  test(`a change with a user token requires that the user may manage the resource ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, key, kind, as } = fixture
    const owner = await fixture.addMember('viewer')
    const otherWorkspace = await environment.seed.workspace()
    await environment.seed.member(otherWorkspace, owner.id, 'owner')
    const otherToken = await environment.token(owner.id, otherWorkspace)
    const formerMember = await fixture.addMember('owner')
    await environment.pool.query('delete from members where user_id = $1', [formerMember.id])

    for (const [index, [method, fields]] of changes(people.viewer.id, owner.id).entries()) {
      if (method === 'Share') continue
      const record = await fixture.register(owner)
      await fixture.share(owner, record, { user: people.editor.id }, 'edit')
      await fixture.share(owner, record, { user: people.viewer.id }, 'edit')
      const { id: permission_id, resource_id } = record
      const name = index % 2 ? { permission_id } : { ...kind, resource_id }
      const before = await fixture.readResource(record)
      const call = (token: string) => transport.call(method, { ...name, ...fields }, { key, token })
      for (const { token } of [people.viewer, people.editor])
        t.like(await call(token), { ok: false, reason: 'NOT_THE_OWNER' }, method)
      t.like(await call(otherToken), { ok: false, reason: 'RESOURCE_NOT_FOUND' }, method)
      const former = expectError(await call(formerMember.token))
      t.true(['permission_denied', 'unauthenticated'].includes(former.code), method)
      t.is(expectError(await call('a.b.c')).code, 'unauthenticated', method)
      t.deepEqual(await fixture.readResource(record), before, method)
      const allowed = [owner, people.admin, people.owner][index % 3] as typeof owner
      expectOk(await transport.call(method, { ...name, ...fields }, as(allowed)))
      const entry = (await listActivity(environment.pool, permission_id)).at(-1)
      if (method === 'UpdateVisibility' || method === 'RevokeShare')
        t.is(entry?.actor_id, allowed.id, method)
    }
  })

  test(`a token without the service key is not sufficient ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people } = fixture
    const { id: permission_id } = await fixture.register(people.owner)
    for (const [method, fields] of changes(people.editor.id, people.admin.id)) {
      const message = { permission_id, ...fields }
      const outcome = await transport.call(method, message, { token: people.owner.token })
      t.like(outcome, { ok: false, reason: 'SERVICE_KEY_MISSING' }, method)
    }
  })

  test(`the owner of an ancestor may manage a resource that inherits ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, key } = fixture
    const [top, middle, bottom] = await Promise.all(
      [people.viewer, people.owner, people.owner].map((owner) => fixture.register(owner)),
    )
    const setParent = (child: object, parent: object) =>
      environment.pool.query('update resources set parent_id = $2 where id = $1', [
        (child as { id: string }).id,
        (parent as { id: string }).id,
      ])
    await setParent(middle as object, top as object)
    await setParent(bottom as object, middle as object)
    const message = { permission_id: bottom?.id, visibility: 'workspace' }
    const update = () =>
      transport.call('UpdateVisibility', message, { key, token: people.viewer.token })
    t.true((await update()).ok)
    await environment.pool.query('update resources set inherits = false where id = $1', [
      middle?.id,
    ])
    t.like(await update(), { ok: false, reason: 'NOT_THE_OWNER' })
  })
}

test('a gRPC request that identifies a resource in both ways, not at all or partially is invalid', async (t) => {
  const [transport] = environment.transports as [Transport]
  const fixture = await createWorkspaceFixture(environment, transport)
  const { people, kind, as } = fixture
  const { id: permission_id, resource_id } = await fixture.register(people.owner)
  for (const [method, fields] of changes(people.editor.id, people.admin.id)) {
    const violationsOf = async (name: object) => {
      const outcome = await transport.call(method, { ...name, ...fields }, as(people.owner))
      return expectError(outcome).violations
    }
    t.deepEqual(await violationsOf({}), [
      {
        field: 'permission_id',
        message: 'is required, or service_name, resource_type and resource_id',
      },
    ])
    t.deepEqual(await violationsOf({ permission_id, ...kind, resource_id }), [
      { field: 'service_name', message: 'must not be combined with permission_id' },
    ])
    t.deepEqual(await violationsOf({ permission_id, resource_id }), [
      { field: 'resource_id', message: 'must not be combined with permission_id' },
    ])
    t.deepEqual(await violationsOf(kind), [
      { field: 'resource_id', message: 'is required with service_name' },
    ])
  }
})

test('a REST body cannot identify a different resource than the path', async (t) => {
  const transport = environment.transports.find(({ name }) => name === 'rest') as Transport
  const fixture = await createWorkspaceFixture(environment, transport)
  const { people, key, kind } = fixture
  const [named, other] = await Promise.all([
    fixture.register(people.owner),
    fixture.register(people.owner),
  ])
  const keyPath = `${kind.service_name}/${kind.resource_type}/${named.resource_id}`
  for (const [path, body] of [
    [`/permissions/${named.id}/visibility`, { ...kind, resource_id: other.resource_id }],
    [`/permissions/resource/${keyPath}/visibility`, { permission_id: other.id }],
  ] as const) {
    const { status, json } = await sendRawHttp(environment.httpPort, {
      method: 'PATCH',
      path,
      headers: { 'content-type': 'application/json', 'x-service-key': key },
      body: JSON.stringify({ visibility: 'workspace', ...body }),
    })
    t.deepEqual([status, json.reason], [422, 'INVALID_REQUEST'])
  }
  for (const record of [named, other])
    t.is((await fixture.readResource(record)).visibility, 'private')
})
