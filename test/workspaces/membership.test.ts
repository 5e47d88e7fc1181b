import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture, type Member } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const other = await environment.addNode()
const { pool, seed } = environment
test.after.always(() => environment.stop())

async function roleOf(workspaceId: string, userId: string): Promise<string | undefined> {
  const sql = 'select role from members where workspace_id = $1 and user_id = $2'
  return (await pool.query(sql, [workspaceId, userId])).rows[0]?.role
}

for (const transport of environment.transports) {
  const through = `over ${transport.label}`
  const otherTransport = other.transports.find(({ name }) => name === transport.name) ?? transport

  test(`changing a role returns 200 with the membership and records both roles ${through}`, async (t) => {
    const { workspace, people, ...fixture } = await createWorkspaceFixture(environment, transport)
    const person = await fixture.addMember('viewer')
    const membership = { workspace_id: workspace, user_id: person.id }
    const credentials = { token: people.admin.token }
    for (const role of ['editor', 'admin', 'viewer']) {
      const outcome = await transport.call('UpdateMember', { ...membership, role }, credentials)
      t.like(expectOk(outcome), { ...membership, role, status: 'active', name: 'viewer' })
      if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 200)
      t.is(await roleOf(workspace, person.id), role)
    }
    const entry = { action: 'member.role_changed', target_type: 'user' }
    const by = { actor_id: people.admin.id, workspace_id: workspace }
    t.deepEqual(await listActivity(pool, person.id), [
      { ...entry, ...by, detail: { from: 'viewer', to: 'editor' } },
      { ...entry, ...by, detail: { from: 'editor', to: 'admin' } },
      { ...entry, ...by, detail: { from: 'admin', to: 'viewer' } },
    ])
    // Setting the current role is not a change.
    expectOk(await transport.call('UpdateMember', { ...membership, role: 'viewer' }, credentials))
    t.is((await listActivity(pool, person.id)).length, 3)
  })

  test(`a new role takes effect at once for tokens issued before ${through}`, async (t) => {
    const { workspace, people, ...fixture } = await createWorkspaceFixture(environment, transport)
    const person = await fixture.addMember('admin')
    const group = { workspace_id: workspace, name: randomUUID() }
    const membership = { workspace_id: workspace, user_id: person.id }
    const credentials = { token: people.owner.token }
    expectOk(await otherTransport.call('CreateGroup', group, { token: person.token }))
    expectOk(await transport.call('UpdateMember', { ...membership, role: 'viewer' }, credentials))
    const error = expectError(
      await otherTransport.call('CreateGroup', group, { token: person.token }),
    )
    t.like(error, { code: 'permission_denied', reason: 'ROLE_TOO_LOW' })
  })

  test(`changing and removing others requires an admin; members cannot raise their own role ${through}`, async (t) => {
    const { workspace, people } = await createWorkspaceFixture(environment, transport)
    for (const caller of [people.viewer, people.editor]) {
      const credentials = { token: caller.token }
      for (const { id } of Object.values(people)) {
        const membership = { workspace_id: workspace, user_id: id }
        for (const role of ['viewer', 'admin', 'owner']) {
          const error = expectError(
            await transport.call('UpdateMember', { ...membership, role }, credentials),
          )
          t.like(error, { code: 'permission_denied', reason: 'ROLE_TOO_LOW' })
        }
        if (id === caller.id) continue
        const error = expectError(await transport.call('RemoveMember', membership, credentials))
        t.like(error, { code: 'permission_denied', reason: 'ROLE_TOO_LOW' })
      }
    }
    for (const [role, { id }] of Object.entries(people)) t.is(await roleOf(workspace, id), role)
  })

  test(`a missing or unknown role returns 422 ${through}`, async (t) => {
    const { workspace, people } = await createWorkspaceFixture(environment, transport)
    const membership = { workspace_id: workspace, user_id: people.viewer.id }
    for (const role of ['', 'Admin', 'member', 'none', 'constructor']) {
      const message = { ...membership, role }
      const error = expectError(
        await transport.call('UpdateMember', message, { token: people.owner.token }),
      )
      t.is(error.code, 'invalid_argument')
      t.deepEqual(
        error.violations.map(({ field }) => field),
        ['role'],
      )
    }
    t.is(await roleOf(workspace, people.viewer.id), 'viewer')
  })

  test(`a user who is not a member returns 404, an invalid UUID 422 ${through}`, async (t) => {
    const { workspace, people } = await createWorkspaceFixture(environment, transport)
    const credentials = { token: people.owner.token }
    for (const user_id of [randomUUID(), await seed.user()]) {
      const membership = { workspace_id: workspace, user_id }
      for (const call of [
        transport.call('UpdateMember', { ...membership, role: 'editor' }, credentials),
        transport.call('RemoveMember', membership, credentials),
      ])
        t.like(expectError(await call), { code: 'not_found', reason: 'MEMBER_NOT_FOUND' })
    }
    const invalid = { workspace_id: workspace, user_id: 'me' }
    t.is(
      expectError(await transport.call('RemoveMember', invalid, credentials)).code,
      'invalid_argument',
    )
  })

  test(`IDs are case-insensitive ${through}`, async (t) => {
    const { workspace, people } = await createWorkspaceFixture(environment, transport)
    const membership = {
      workspace_id: workspace.toUpperCase(),
      user_id: people.viewer.id.toUpperCase(),
    }
    const credentials = { token: people.viewer.token }
    expectOk(await transport.call('RemoveMember', membership, credentials))
    const [entry] = await listActivity(pool, people.viewer.id)
    t.like(entry, { workspace_id: workspace, actor_id: people.viewer.id })
  })

  test(`removing a member returns 204 and is recorded; repeating it returns 404 ${through}`, async (t) => {
    const { workspace, people } = await createWorkspaceFixture(environment, transport)
    const membership = { workspace_id: workspace, user_id: people.editor.id }
    const credentials = { token: people.admin.token }
    const outcome = await transport.call('RemoveMember', membership, credentials)
    t.true(outcome.ok)
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 204)
    t.like(expectError(await transport.call('RemoveMember', membership, credentials)), {
      code: 'not_found',
    })
    const { rows } = await pool.query('select email from users where id = $1', [people.editor.id])
    t.deepEqual(await listActivity(pool, people.editor.id), [
      {
        action: 'member.removed',
        target_type: 'user',
        actor_id: people.admin.id,
        workspace_id: workspace,
        detail: { email: rows[0].email, role: 'editor' },
      },
    ])
  })

  test(`every role can leave and loses access at once on every node ${through}`, async (t) => {
    const { workspace, people, ...fixture } = await createWorkspaceFixture(environment, transport)
    await fixture.addMember('owner')
    for (const [role, person] of Object.entries(people)) {
      const membership = { workspace_id: workspace, user_id: person.id }
      const credentials = { token: person.token }
      expectOk(await transport.call('RemoveMember', membership, credentials))
      const again = expectError(await otherTransport.call('RemoveMember', membership, credentials))
      t.like(again, { code: 'unauthenticated', reason: 'TOKEN_REVOKED' })
      const list = await otherTransport.call(
        'ListMembers',
        { workspace_id: workspace },
        credentials,
      )
      t.like(expectError(list), { code: 'unauthenticated', reason: 'TOKEN_REVOKED' })
      const [entry] = await listActivity(pool, person.id)
      t.like(entry, { action: 'member.removed', actor_id: person.id, detail: { role } })
    }
  })

  test(`removing a member deletes group memberships, custom roles, direct shares and refresh-token families ${through}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { workspace, people, service } = fixture
    const person = await fixture.addMember('viewer')
    const group = await seed.group(workspace, [person.id])
    const action = await seed.serviceAction(service, 'publish')
    await seed.customRole(workspace, [action], [person.id])
    const [direct, grouped, own] = [
      await fixture.register(people.owner),
      await fixture.register(people.owner),
      await fixture.register(person),
    ]
    await fixture.share(people.owner, direct, { user: person.id }, 'edit')
    await fixture.share(people.owner, grouped, { group }, 'view')
    await pool.query(
      `insert into refresh_families
         (id, user_id, workspace_id, provider, created_at, last_used_at, expires_at)
       values (gen_random_uuid(), $1, $2, 'google', now(), now(), now() + interval '1 day')`,
      [person.id, workspace],
    )
    const countRows = async () => {
      const tables = ['members', 'group_members', 'custom_role_members', 'refresh_families']
      const counts = [...tables, 'shares'].map(async (table) => {
        const sql = `select 1 from ${table} where user_id = $1 and workspace_id = $2`
        return (await pool.query(sql, [person.id, workspace])).rows.length
      })
      return Promise.all(counts)
    }
    /** The member's access according to the other node. */
    const may = async (member: Member) => {
      const checks = [
        { ...fixture.kind, resource_id: direct.resource_id, action: 'edit' },
        { ...fixture.kind, resource_id: direct.resource_id, action: 'publish' },
        { ...fixture.kind, resource_id: grouped.resource_id, action: 'view' },
        { ...fixture.kind, resource_id: own.resource_id, action: 'view' },
      ]
      const { results } = expectOk(
        await otherTransport.call('Check', { checks }, fixture.as(member)),
      )
      return results.map(({ allowed }: { allowed: boolean }) => allowed)
    }
    t.deepEqual(await countRows(), [1, 1, 1, 1, 1])
    t.deepEqual(await may(person), [true, true, true, true])
    const membership = { workspace_id: workspace, user_id: person.id }
    expectOk(await transport.call('RemoveMember', membership, { token: people.admin.token }))
    const me = await otherTransport.call('GetMe', {}, { token: person.token })
    t.like(expectError(me), { code: 'unauthenticated', reason: 'TOKEN_REVOKED' })
    t.deepEqual(await countRows(), [0, 0, 0, 0, 0])

    // A member who returns regains only owned resources.
    await seed.member(workspace, person.id, 'viewer')
    t.deepEqual(await may(person), [false, false, false, true])
  })
}
