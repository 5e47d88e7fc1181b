import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import {
  createWorkspaceFixture,
  type Member,
  type ResourceRecord,
  type WorkspaceFixture,
} from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const other = await environment.addNode()
const { pool, seed } = environment
test.after.always(() => environment.stop())

/** A fixture with a group created by the admin. */
async function createFixture(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, people } = fixture
  const workspaceField = { workspace_id: workspace }
  const credentials = { token: people.admin.token }
  const created = await transport.call(
    'CreateGroup',
    { ...workspaceField, name: 'Writers' },
    credentials,
  )
  const group = { ...workspaceField, group_id: expectOk(created).id as string }
  return {
    ...fixture,
    group,
    credentials,
    add: (user_id: string) => transport.call('AddGroupMember', { ...group, user_id }, credentials),
    remove: (user_id: string) =>
      transport.call('RemoveGroupMember', { ...group, user_id }, credentials),
    members: async () =>
      expectOk(await transport.call('ListGroupMembers', group, credentials)).members as Record<
        string,
        any
      >[],
  }
}

for (const transport of environment.transports) {
  const through = `over ${transport.label}`
  const otherTransport = other.transports.find(({ name }) => name === transport.name) ?? transport
  /** Whether the other node currently allows access. */
  const mayElsewhere = async (
    { kind, as }: Pick<WorkspaceFixture, 'kind' | 'as'>,
    person: Member,
    action: string,
    { resource_id }: ResourceRecord,
  ): Promise<boolean> => {
    const outcome = await otherTransport.call(
      'Check',
      { checks: [{ ...kind, resource_id, action }] },
      as(person),
    )
    return expectOk(outcome).results[0].allowed
  }

  test(`adding a member returns 201, is idempotent and is recorded once ${through}`, async (t) => {
    const { add, people, group, members, workspace } = await createFixture(transport)
    const { id } = people.editor
    for (let time = 0; time < 2; time += 1) {
      const outcome = await add(id)
      t.deepEqual(expectOk(outcome), { status: 'ok' })
      if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 201)
    }
    const [member, ...others] = await members()
    const { added_at, ...rest } = member ?? {}
    t.deepEqual(others, [])
    const email = `editor-${id}@example.com`
    t.deepEqual(rest, {
      user_id: id,
      group_id: group.group_id,
      email,
      name: 'editor',
      avatar_url: '',
      via: [],
    })
    t.true(Math.abs(Date.parse(added_at) - Date.now()) < 60_000)
    const [, ...entries] = await listActivity(pool, group.group_id)
    t.deepEqual(entries, [
      {
        action: 'group.member_added',
        target_type: 'group',
        actor_id: people.admin.id,
        workspace_id: workspace,
        detail: { name: 'Writers', user_id: id },
      },
    ])
  })

  test(`adding a user who is not a member of the workspace returns 404 ${through}`, async (t) => {
    const { add, members, group } = await createFixture(transport)
    const nonMember = await seed.newMember(await seed.workspace(), 'owner')
    for (const id of [nonMember, randomUUID()])
      t.like(expectError(await add(id)), { code: 'not_found', reason: 'MEMBER_NOT_FOUND' })
    t.is(expectError(await add('everybody')).code, 'invalid_argument')
    t.deepEqual(await members(), [])
    t.is((await listActivity(pool, group.group_id)).length, 1)
  })

  test(`an invited user can be in a group, and the name stays hidden ${through}`, async (t) => {
    const { add, members, workspace, credentials } = await createFixture(transport)
    const email = `guest-${randomUUID()}@example.com`
    await seed.user('secret', { email, avatar_url: 'https://example.com/secret.png' })
    const message = { workspace_id: workspace, email }
    const { user_id } = expectOk(await transport.call('InviteMember', message, credentials))
    t.deepEqual(expectOk(await add(user_id)), { status: 'ok' })
    const [member] = await members()
    t.like(member, { user_id, email, name: '', avatar_url: '' })
  })

  test(`members of a group are listed in a stable order for every role ${through}`, async (t) => {
    const { add, members, people, group } = await createFixture(transport)
    const ids = Object.values(people).map(({ id }) => id)
    for (const id of ids) expectOk(await add(id))
    const listed = (await members()).map(({ user_id }) => user_id)
    t.deepEqual(listed.toSorted(), ids.toSorted())
    await pool.query('update group_members set added_at = added_at where user_id = $1', [listed[0]])
    for (const { token } of Object.values(people)) {
      const outcome = await transport.call('ListGroupMembers', group, { token })
      t.deepEqual(
        expectOk(outcome).members.map((member: any) => member.user_id),
        listed,
      )
    }
  })

  test(`removing a member returns 204 and is recorded; a user outside the group returns 404 ${through}`, async (t) => {
    const { add, remove, members, people, workspace, group } = await createFixture(transport)
    const { id } = people.viewer
    const missing = { code: 'not_found', reason: 'MEMBER_NOT_FOUND' } as const
    t.like(expectError(await remove(id)), missing)
    t.like(expectError(await remove(randomUUID())), missing)
    expectOk(await add(id))
    const outcome = await remove(id)
    t.true(outcome.ok)
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 204)
    t.deepEqual(await members(), [])
    t.like(expectError(await remove(id)), missing)
    const entries = await listActivity(pool, group.group_id)
    t.is(entries.length, 3)
    t.deepEqual(entries[2], {
      action: 'group.member_removed',
      target_type: 'group',
      actor_id: people.admin.id,
      workspace_id: workspace,
      detail: { name: 'Writers', user_id: id },
    })
  })

  test(`the log records IDs in lower case, whatever the case in the request ${through}`, async (t) => {
    const { add, remove, people, group } = await createFixture(transport)
    const { id } = people.viewer
    expectOk(await add(id.toUpperCase()))
    expectOk(await remove(id.toUpperCase()))
    const [, ...entries] = await listActivity(pool, group.group_id)
    t.deepEqual(
      entries.map(({ detail }) => detail.user_id),
      [id, id],
    )
  })

  test(`joining or leaving a group grants or revokes its shares at once on every node ${through}`, async (t) => {
    const { add, remove, group, ...fixture } = await createFixture(transport)
    const { viewer, owner } = fixture.people
    const record = await fixture.register(owner)
    await fixture.share(owner, record, { group: group.group_id }, 'edit')
    const may = () => mayElsewhere(fixture, viewer, 'edit', record)
    t.false(await may())
    for (let round = 0; round < 10; round += 1) {
      expectOk(await add(viewer.id))
      t.true(await may())
      expectOk(await remove(viewer.id))
      t.false(await may())
    }
  })

  test(`deleting a group returns 204, is recorded and deletes its memberships and shares ${through}`, async (t) => {
    const { add, group, credentials, workspace, ...fixture } = await createFixture(transport)
    const { viewer, owner, admin } = fixture.people
    const record = await fixture.register(owner)
    await fixture.share(owner, record, { group: group.group_id }, 'view')
    expectOk(await add(viewer.id))
    const may = () => mayElsewhere(fixture, viewer, 'view', record)
    t.true(await may())
    const outcome = await transport.call('DeleteGroup', group, credentials)
    t.true(outcome.ok)
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 204)
    t.false(await may())
    t.deepEqual((await fixture.readResource(record)).shares, [])
    for (const table of ['group_members', 'shares']) {
      const sql = `select 1 from ${table} where group_id = $1`
      t.is((await pool.query(sql, [group.group_id])).rows.length, 0, table)
    }
    const members = expectError(await transport.call('ListGroupMembers', group, credentials))
    t.like(members, { code: 'not_found', reason: 'GROUP_NOT_FOUND' })
    t.deepEqual((await listActivity(pool, group.group_id)).at(-1), {
      action: 'group.deleted',
      target_type: 'group',
      actor_id: admin.id,
      workspace_id: workspace,
      detail: { name: 'Writers' },
    })
    // The name can be used again, and a new group with it is empty.
    const again = await transport.call(
      'CreateGroup',
      { workspace_id: workspace, name: 'Writers' },
      credentials,
    )
    t.not(expectOk(again).id, group.group_id)
    t.false(await may())
  })
}
