import { randomUUID } from 'node:crypto'
import test from 'ava'
import { openOrm } from '../../src/database/orm.ts'
import { ClaimsStore } from '../../src/identity/store/claims-store.ts'
import { listActivity } from '../support/activity.ts'
import { createAdmin } from '../support/admin.ts'
import { findNestedGroupErrors } from '../support/nested-groups.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Outcome, Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type Member } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
const orm = await openOrm(environment.databaseUrl)
test.after.always(async () => {
  await orm.close()
  await environment.stop()
})

const cycle = { code: 'already_exists', reason: 'GROUP_CYCLE' } as const
const tooLong = { code: 'invalid_argument', reason: 'GROUP_CHAIN_TOO_LONG' } as const
const childNotFound = { code: 'not_found', reason: 'CHILD_GROUP_NOT_FOUND' } as const
const groupNotFound = { code: 'not_found', reason: 'GROUP_NOT_FOUND' } as const

/** A workspace with functions that change its groups as the workspace's admin. */
async function createFixture(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, people } = fixture
  const call = (method: string, message: object, by: Member = people.admin) =>
    transport.call(method, { workspace_id: workspace, ...message }, { token: by.token })
  const link = (group_id: string, child_id: string) => call('AddChildGroup', { group_id, child_id })
  return {
    ...fixture,
    call,
    createGroup: (members: string[] = [], name?: string) => seed.group(workspace, members, name),
    link,
    unlink: (group_id: string, child_id: string) =>
      call('RemoveChildGroup', { group_id, child_id }),
    add: (group_id: string, user_id: string) => call('AddGroupMember', { group_id, user_id }),
    remove: (group_id: string, user_id: string) => call('RemoveGroupMember', { group_id, user_id }),
    /** Creates a chain of empty groups, the parent of all others first. */
    async createChain(length: number) {
      const groups: string[] = []
      for (let index = 0; index < length; index += 1) groups.push(await seed.group(workspace))
      for (const [index, group] of groups.slice(1).entries())
        expectOk(await link(groups[index] as string, group))
      return groups
    },
    async listChildren(group_id: string): Promise<string[]> {
      const { groups } = expectOk(await call('ListChildGroups', { group_id }, people.viewer))
      return groups.map(({ id }: { id: string }) => id)
    },
    /** The IDs of the direct members. */
    async listDirect(group_id: string): Promise<string[]> {
      const { members } = expectOk(await call('ListGroupMembers', { group_id }))
      return members.map(({ user_id }: { user_id: string }) => user_id)
    },
    /** The path to each member by user ID. */
    async listEffective(group_id: string): Promise<Record<string, string[]>> {
      const message = { group_id, effective: true }
      const { members } = expectOk(await call('ListGroupMembers', message, people.viewer))
      return Object.fromEntries(members.map((member: any) => [member.user_id, member.via]))
    },
    /** A resource that is shared with the group for viewing. */
    async share(group: string) {
      const record = await fixture.register(people.owner)
      await fixture.share(people.owner, record, { group }, 'view')
      return record
    },
    findErrors: () => findNestedGroupErrors(pool, workspace),
  }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`adding a child returns 201, even when repeated, and is recorded once ${over}`, async (t) => {
    const { createGroup, link, listChildren, people, workspace } = await createFixture(transport)
    const parent = await createGroup([], 'Engineering')
    const [second, first] = [await createGroup([], 'b'), await createGroup([], 'a')]
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const outcome = await link(parent, second)
      t.deepEqual(expectOk(outcome), { status: 'ok' })
      if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 201)
    }
    expectOk(await link(parent, first))
    t.deepEqual(await listChildren(parent), [first, second])
    t.deepEqual(await listChildren(first), [])
    t.deepEqual(
      (await listActivity(pool, parent)).map(({ detail }) => detail),
      [second, first].map((child_id) => ({ name: 'Engineering', child_id })),
    )
    t.like((await listActivity(pool, parent))[0], {
      action: 'group.child_added',
      target_type: 'group',
      actor_id: people.admin.id,
      workspace_id: workspace,
    })
  })

  test(`removing a child returns 204 and is recorded; removing a group that is not a child returns 404 ${over}`, async (t) => {
    const { createGroup, link, unlink, listChildren } = await createFixture(transport)
    const [parent, child] = [await createGroup(), await createGroup()]
    t.like(expectError(await unlink(parent, child)), childNotFound)
    expectOk(await link(parent, child))
    t.like(expectError(await unlink(child, parent)), childNotFound)
    const outcome = await unlink(parent, child)
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 204)
    expectOk(outcome)
    t.like(expectError(await unlink(parent, child)), childNotFound)
    t.deepEqual(await listChildren(parent), [])
    const actions = (await listActivity(pool, parent)).map(({ action }) => action)
    t.deepEqual(actions, ['group.child_added', 'group.child_removed'])
  })

  test(`a child of another workspace returns 404 like an unknown one ${over}`, async (t) => {
    const { createGroup, link, unlink, call } = await createFixture(transport)
    const other = await createFixture(transport)
    const [own, foreign] = [await createGroup(), await other.createGroup()]
    for (const id of [foreign, randomUUID()]) {
      for (const change of [link, unlink]) {
        t.like(expectError(await change(own, id)), childNotFound)
        t.like(expectError(await change(id, own)), groupNotFound)
      }
      t.like(expectError(await call('ListChildGroups', { group_id: id })), groupNotFound)
    }
    t.is(expectError(await link(own, 'everything')).code, 'invalid_argument')
  })

  test(`viewers and editors can list children; admins and owners can change them ${over}`, async (t) => {
    const { createGroup, call, people } = await createFixture(transport)
    for (const role of ['viewer', 'editor', 'admin', 'owner'] as const) {
      const link = { group_id: await createGroup(), child_id: await createGroup() }
      expectOk(await call('ListChildGroups', { group_id: link.group_id }, people[role]))
      for (const method of ['AddChildGroup', 'RemoveChildGroup']) {
        const outcome = await call(method, link, people[role])
        if (role === 'admin' || role === 'owner') t.true(outcome.ok)
        else t.like(expectError(outcome), { code: 'permission_denied', reason: 'ROLE_TOO_LOW' })
      }
    }
  })

  test(`a cycle returns 409, as does adding a group to itself ${over}`, async (t) => {
    const { createChain, link, findErrors } = await createFixture(transport)
    const chain = await createChain(4)
    const [first, second, , last] = chain as [string, string, string, string]
    for (const group of chain) t.like(expectError(await link(group, group)), cycle)
    t.like(expectError(await link(last, first)), cycle)
    t.like(expectError(await link(last, second)), cycle)
    expectOk(await link(first, last))
    t.deepEqual(await findErrors(), [])
  })

  test(`of concurrent requests that together close a cycle, one returns 409 ${over}`, async (t) => {
    const { createGroup, link } = await createFixture(transport)
    for (let round = 0; round < 10; round += 1) {
      const groups = [await createGroup(), await createGroup(), await createGroup()]
      // Groups with links take different locks than groups without.
      if (round >= 5) for (const group of groups) expectOk(await link(group, await createGroup()))
      const size = round % 2 === 0 ? 2 : 3
      const outcomes = await Promise.all(
        groups
          .slice(0, size)
          .map((group, index) => link(group, groups[(index + 1) % size] as string)),
      )
      const results = outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.code)).toSorted()
      t.deepEqual(results, ['already_exists', ...Array(size - 1).fill('ok')])
    }
  })

  test(`extending a chain beyond 16 groups, at any position, returns 422 ${over}`, async (t) => {
    const { createChain, createGroup, link } = await createFixture(transport)
    const chain = await createChain(16)
    const [first, last] = [chain[0] as string, chain[15] as string]
    const error = expectError(await link(last, await createGroup()))
    t.like(error, tooLong)
    t.deepEqual(
      error.violations.map(({ field }) => field),
      ['child_id'],
    )
    t.like(expectError(await link(await createGroup(), first)), tooLong)
    const [seven, nine, ten] = [await createChain(7), await createChain(9), await createChain(10)]
    t.like(expectError(await link(seven[6] as string, ten[0] as string)), tooLong)
    expectOk(await link(seven[6] as string, nine[0] as string))
    // A shortcut does not lengthen a chain.
    expectOk(await link(first, chain[5] as string))
  })

  test(`of concurrent links that together would make a chain of more than 16 groups, one succeeds ${over}`, async (t) => {
    const { createChain, link, findErrors } = await createFixture(transport)
    for (let round = 0; round < 3; round += 1) {
      const chains = [await createChain(7), await createChain(7), await createChain(7)]
      const outcomes = await Promise.all(
        chains.map((chain, index) => {
          const [child] = chains[(index + 1) % 3] as string[]
          return link(chain[6] as string, child as string)
        }),
      )
      t.deepEqual(outcomes.filter(({ ok }) => ok).length, 1)
      for (const outcome of outcomes)
        if (!outcome.ok) t.true([tooLong.reason, cycle.reason].includes(outcome.reason as never))
    }
    t.deepEqual(await findErrors(), [])
  })

  test(`members of a descendant have the access of the group, in checks and lists ${over}`, async (t) => {
    const fixture = await createFixture(transport)
    const { createChain, add, remove, unlink, people, share, isAllowed, kind, workspace } = fixture
    const chain = await createChain(5)
    const [top, , middle, lower, bottom] = chain as [string, string, string, string, string]
    const record = await share(top)
    const listAccessible = async () => {
      const message = { ...kind, action: 'view', workspace_id: workspace }
      const { resource_ids } = expectOk(
        await transport.call('Accessible', message, fixture.as(people.viewer)),
      )
      return resource_ids as string[]
    }
    t.false(await isAllowed(people.viewer, 'view', record))
    expectOk(await add(bottom, people.viewer.id))
    t.true(await isAllowed(people.viewer, 'view', record))
    // A batch of more than one check reads the groups with a different query.
    t.true(await isAllowed(people.viewer, 'view', record, 100))
    t.false(await isAllowed(people.viewer, 'edit', record))
    t.false(await isAllowed(people.editor, 'view', record))
    t.deepEqual(await listAccessible(), [record.resource_id])

    expectOk(await unlink(middle, lower))
    t.false(await isAllowed(people.viewer, 'view', record))
    t.deepEqual(await listAccessible(), [])
    expectOk(await fixture.link(middle, bottom))
    t.true(await isAllowed(people.viewer, 'view', record))
    expectOk(await remove(bottom, people.viewer.id))
    t.false(await isAllowed(people.viewer, 'view', record))
    t.deepEqual(await fixture.findErrors(), [])
  })

  test(`members of the parent do not become members of the child ${over}`, async (t) => {
    const { createGroup, link, people, share, isAllowed } = await createFixture(transport)
    const [parent, child] = [await createGroup([people.viewer.id]), await createGroup()]
    const record = await share(child)
    expectOk(await link(parent, child))
    t.false(await isAllowed(people.viewer, 'view', record))
  })

  test(`members that a group has before it is added are inherited ${over}`, async (t) => {
    const { createGroup, link, people, share, isAllowed } = await createFixture(transport)
    const top = await createGroup()
    const record = await share(top)
    const [middle, bottom] = [await createGroup(), await createGroup([people.viewer.id])]
    expectOk(await link(middle, bottom))
    expectOk(await link(top, middle))
    t.true(await isAllowed(people.viewer, 'view', record))
  })

  test(`a member who is both direct and inherited keeps access when either membership ends ${over}`, async (t) => {
    const fixture = await createFixture(transport)
    const { createChain, add, remove, listDirect, listEffective, people, isAllowed } = fixture
    const [parent, child] = (await createChain(2)) as [string, string]
    const { id } = people.viewer
    const record = await fixture.share(parent)
    const check = () => isAllowed(people.viewer, 'view', record)
    expectOk(await add(child, id))
    t.deepEqual(await listDirect(parent), [])
    t.like(expectError(await remove(parent, id)), { reason: 'MEMBER_NOT_FOUND' })

    expectOk(await add(parent, id))
    t.deepEqual(await listDirect(parent), [id])
    t.deepEqual(await listEffective(parent), { [id]: [] })
    expectOk(await remove(child, id))
    t.true(await check())
    expectOk(await add(child, id))
    expectOk(await remove(parent, id))
    t.deepEqual(await listDirect(parent), [])
    t.deepEqual(await listEffective(parent), { [id]: [child] })
    t.true(await check())
    expectOk(await remove(child, id))
    t.false(await check())
    t.deepEqual(await fixture.findErrors(), [])
    const actions = (await listActivity(pool, parent)).map(({ action }) => action)
    t.deepEqual(actions.slice(1), ['group.member_added', 'group.member_removed'])
  })

  test(`a member inherited through two children loses access when the second membership ends ${over}`, async (t) => {
    const fixture = await createFixture(transport)
    const { createGroup, link, unlink, people, isAllowed } = fixture
    const { id } = people.viewer
    const [parent, left, right, shared] = [
      await createGroup(),
      await createGroup(),
      await createGroup(),
      await createGroup([id]),
    ]
    const record = await fixture.share(parent)
    for (const child of [left, right]) {
      expectOk(await link(parent, child))
      expectOk(await link(child, shared))
    }
    expectOk(await unlink(parent, left))
    t.true(await isAllowed(people.viewer, 'view', record))
    expectOk(await unlink(right, shared))
    t.false(await isAllowed(people.viewer, 'view', record))
    t.deepEqual(await fixture.findErrors(), [])
  })

  test(`effective members are listed with a shortest path ${over}`, async (t) => {
    const fixture = await createFixture(transport)
    const { createChain, createGroup, add, link, listEffective, people, addMember } = fixture
    const [a, b, c, d] = (await createChain(4)) as [string, string, string, string]
    const side = await createGroup()
    expectOk(await link(a, side))
    expectOk(await link(side, d))
    const { viewer, editor, owner } = people
    const last = await addMember('viewer')
    for (const [group, { id }] of [
      [a, viewer],
      [d, viewer],
      [c, editor],
      [d, owner],
      [b, last],
      [d, last],
    ] as const)
      expectOk(await add(group, id))
    t.deepEqual(await listEffective(a), {
      [viewer.id]: [],
      [editor.id]: [b, c],
      [owner.id]: [side, d],
      [last.id]: [b],
    })
    t.deepEqual(await listEffective(d), { [viewer.id]: [], [owner.id]: [], [last.id]: [] })
    t.deepEqual(await listEffective(await createGroup()), {})
    const { members } = expectOk(
      await fixture.call('ListGroupMembers', { group_id: a, effective: true }),
    )
    t.deepEqual(
      members.map((member: any) => member.user_id),
      members.map((member: any) => member.user_id).toSorted(),
    )
    const listed = members.find((member: any) => member.user_id === editor.id)
    t.true(Math.abs(Date.parse(listed.added_at) - Date.now()) < 60_000)
    t.deepEqual(
      { ...listed, added_at: undefined },
      {
        user_id: editor.id,
        group_id: a,
        email: `editor-${editor.id}@example.com`,
        name: 'editor',
        avatar_url: '',
        added_at: undefined,
        via: [b, c],
      },
    )
  })

  test(`listing effective members is fast even with many paths ${over}`, async (t) => {
    const { createGroup, add, link, listEffective, people } = await createFixture(transport)
    // Four groups on each of seven levels, each with four children: 4 ** 7 paths.
    const top = await createGroup()
    let level = [top]
    for (let depth = 0; depth < 7; depth += 1) {
      const next = await Promise.all(Array.from({ length: 4 }, () => createGroup()))
      for (const parent of level) for (const child of next) expectOk(await link(parent, child))
      level = next
    }
    expectOk(await add(level[0] as string, people.viewer.id))
    const start = performance.now()
    const { [people.viewer.id]: via } = await listEffective(top)
    t.is(via?.length, 7)
    t.true(performance.now() - start < 10_000)
  })

  test(`the profile of an invited user is hidden among the effective members ${over}`, async (t) => {
    const { createChain, add, call, workspace } = await createFixture(transport)
    const [parent, child] = (await createChain(2)) as [string, string]
    const email = `guest-${randomUUID()}@example.com`
    await seed.user('secret', { email, avatar_url: 'https://example.com/secret.png' })
    const { user_id } = expectOk(await call('InviteMember', { workspace_id: workspace, email }))
    expectOk(await add(child, user_id))
    const list = await call('ListGroupMembers', { group_id: parent, effective: true })
    t.like(expectOk(list).members[0], { user_id, email, name: '', avatar_url: '', via: [child] })
  })

  test(`deleting a middle group cuts the chain ${over}`, async (t) => {
    const fixture = await createFixture(transport)
    const { createChain, add, call, people, isAllowed, listChildren } = fixture
    const [top, middle, bottom] = (await createChain(3)) as [string, string, string]
    const [outer, inner] = [await fixture.share(top), await fixture.share(bottom)]
    expectOk(await add(middle, people.editor.id))
    expectOk(await add(bottom, people.viewer.id))
    t.true(await isAllowed(people.editor, 'view', outer))
    t.true(await isAllowed(people.viewer, 'view', outer))
    expectOk(await call('DeleteGroup', { group_id: middle }))
    t.false(await isAllowed(people.editor, 'view', outer))
    t.false(await isAllowed(people.viewer, 'view', outer))
    t.true(await isAllowed(people.viewer, 'view', inner))
    t.deepEqual(await listChildren(top), [])
    t.deepEqual(await fixture.findErrors(), [])
  })

  test(`leaving the workspace ends every inherited membership, and returning restores none ${over}`, async (t) => {
    const fixture = await createFixture(transport)
    const { createChain, add, call, people, isAllowed, workspace } = fixture
    const chain = await createChain(3)
    const record = await fixture.share(chain[0] as string)
    const { viewer } = people
    expectOk(await add(chain[2] as string, viewer.id))
    t.true(await isAllowed(viewer, 'view', record))
    expectOk(await call('RemoveMember', { user_id: viewer.id }))
    t.is(
      (await pool.query('select from group_members where user_id = $1', [viewer.id])).rowCount,
      0,
    )
    await seed.member(workspace, viewer.id)
    const again = { ...viewer, token: await environment.token(viewer.id, workspace) }
    t.false(await isAllowed(again, 'view', record))
  })

  test(`a token lists the effective groups of its user; the details of the user list the direct ones ${over}`, async (t) => {
    const { createChain, add, people, workspace } = await createFixture(transport)
    const chain = await createChain(3)
    const userId = people.viewer.id
    expectOk(await add(chain[2] as string, userId))
    const store = new ClaimsStore(orm.em.fork())
    const claims = await store.findAccessClaims({ userId, workspaceId: workspace })
    t.deepEqual(claims?.groups, chain.toSorted())
    const admin = await createAdmin(environment)
    const user = await transport.call(
      'AdminService/GetUser',
      { user_id: userId },
      { admin: admin.token },
    )
    t.deepEqual(
      expectOk(user).groups.map(({ id }: { id: string }) => id),
      [chain[2]],
    )
  })

  test(`administrators can nest groups of any workspace, but only within one workspace ${over}`, async (t) => {
    const { createGroup, people, share, isAllowed } = await createFixture(transport)
    const other = await createFixture(transport)
    const admin = await createAdmin(environment)
    const call = (method: string, message: object): Promise<Outcome> =>
      transport.call(`AdminService/${method}`, message, { admin: admin.token })
    const [parent, child] = [await createGroup(), await createGroup([people.viewer.id])]
    const record = await share(parent)
    const link = { group_id: parent, child_id: child }
    t.deepEqual(expectOk(await call('AddChildGroup', link)), { status: 'ok' })
    t.true(await isAllowed(people.viewer, 'view', record))
    t.like(expectOk(await call('ListChildGroups', { group_id: parent })).groups, [{ id: child }])
    const list = await call('ListGroupMembers', { group_id: parent, effective: true })
    t.like(expectOk(list).members, [{ user_id: people.viewer.id, via: [child] }])
    const reversed = { group_id: child, child_id: parent }
    t.like(expectError(await call('AddChildGroup', reversed)), cycle)
    const foreign = { group_id: parent, child_id: await other.createGroup() }
    t.like(expectError(await call('AddChildGroup', foreign)), childNotFound)
    expectOk(await call('RemoveChildGroup', link))
    t.false(await isAllowed(people.viewer, 'view', record))
    t.like((await listActivity(pool, parent))[1], {
      action: 'group.child_removed',
      actor_id: admin.id,
    })
  })

  test(`a CSV import adds members to nested groups and makes an inherited member direct ${over}`, async (t) => {
    const fixture = await createFixture(transport)
    const { createGroup, link, add, listDirect, listEffective, people, workspace } = fixture
    const [top, bottom] = [await createGroup([], 'Top'), await createGroup([], 'Bottom')]
    expectOk(await link(top, bottom))
    expectOk(await add(bottom, people.editor.id))
    const record = await fixture.share(top)
    const admin = await createAdmin(environment)
    const csv = [
      'email,workspace_slug,groups',
      `viewer-${people.viewer.id}@example.com,w-${workspace},Bottom`,
      `editor-${people.editor.id}@example.com,w-${workspace},Top`,
    ].join('\n')
    const outcome = await transport.call('ExecuteCsvImport', { csv }, { admin: admin.token })
    t.is(expectOk(outcome).summary.update, 2)
    t.true(await fixture.isAllowed(people.viewer, 'view', record))
    t.deepEqual(await listDirect(top), [people.editor.id])
    t.deepEqual(await listEffective(top), { [people.editor.id]: [], [people.viewer.id]: [bottom] })
    t.deepEqual(await fixture.findErrors(), [])
  })
}
