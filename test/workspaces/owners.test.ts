import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Outcome, Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type Member } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const other = await environment.addNode()
const { pool, seed } = environment
test.after.always(() => environment.stop())

const rights = { code: 'permission_denied', reason: 'ROLE_TOO_LOW' } as const
const last = { code: 'already_exists', reason: 'LAST_OWNER' } as const

/** An fixture, and what people do to each other's membership there. */
async function openHouse(transport: Transport) {
  const { workspace, people, addMember } = await createWorkspaceFixture(environment, transport)
  const call = (method: string, by: Member, message: object) =>
    transport.call(method, { workspace_id: workspace, ...message }, { token: by.token })
  return {
    ...{ workspace, people, addMember },
    invite: (by: Member, email: string, role: string) => call('InviteMember', by, { email, role }),
    change: (by: Member, { id: user_id }: { id: string }, role: string) =>
      call('UpdateMember', by, { user_id, role }),
    remove: (by: Member, { id: user_id }: { id: string }) => call('RemoveMember', by, { user_id }),
    roles: () => rolesOf(workspace),
  }
}

/** Role by user. */
async function rolesOf(workspaceId: string): Promise<Record<string, string>> {
  const sql = 'select user_id, role from members where workspace_id = $1 order by user_id'
  const { rows } = await pool.query(sql, [workspaceId])
  return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]))
}

const newAddress = () => `owner-${randomUUID()}@example.com`

for (const transport of environment.transports) {
  const through = `over ${transport.label}`

  test(`an admin neither invites, makes, demotes nor removes an owner: 403 ${through}`, async (t) => {
    const { people, addMember, ...house } = await openHouse(transport)
    await addMember('owner')
    const email = newAddress()
    const pending = expectOk(await house.invite(people.owner, email, 'owner'))
    const before = await house.roles()
    const { admin, owner, viewer } = people
    const attempts = [
      () => house.invite(admin, newAddress(), 'owner'),
      () => house.change(admin, viewer, 'owner'),
      () => house.change(admin, admin, 'owner'),
      ...['viewer', 'editor', 'admin', 'owner'].map((role) => () => {
        return house.change(admin, owner, role)
      }),
      () => house.remove(admin, owner),
      // An invitation to own is an owner's as well.
      () => house.invite(admin, email, 'viewer'),
      () => house.invite(admin, email, 'owner'),
      () => house.change(admin, { id: pending.user_id }, 'viewer'),
      () => house.remove(admin, { id: pending.user_id }),
    ]
    for (const attempt of attempts) t.like(expectError(await attempt()), rights)
    t.deepEqual(await house.roles(), before)
    for (const { id } of [owner, viewer, admin]) t.deepEqual(await listActivity(pool, id), [])
  })

  test(`an owner invites, makes, demotes and removes an owner ${through}`, async (t) => {
    const { people, ...house } = await openHouse(transport)
    const { owner, viewer, editor } = people
    t.is(expectOk(await house.invite(owner, newAddress(), 'owner')).role, 'owner')
    t.is(expectOk(await house.change(owner, viewer, 'owner')).role, 'owner')
    t.is(expectOk(await house.change(owner, editor, 'owner')).role, 'owner')
    t.is(expectOk(await house.change(viewer, editor, 'admin')).role, 'admin')
    expectOk(await house.remove(viewer, owner))
    const roles = await house.roles()
    t.is(roles[owner.id], undefined)
    t.is(roles[viewer.id], 'owner')
  })

  test(`the last owner cannot leave, be demoted, be removed or be invited lower: 409 ${through}`, async (t) => {
    const { people, workspace, ...house } = await openHouse(transport)
    const { owner } = people
    const { rows } = await pool.query('select email from users where id = $1', [owner.id])
    const before = await house.roles()
    t.like(expectError(await house.remove(owner, owner)), last)
    for (const role of ['admin', 'editor', 'viewer'])
      t.like(expectError(await house.change(owner, owner, role)), last)
    t.is(expectOk(await house.change(owner, owner, 'owner')).role, 'owner')
    for (const role of ['viewer', 'owner'])
      t.is(expectError(await house.invite(owner, rows[0].email, role)).code, 'already_exists')
    t.deepEqual(await house.roles(), before)
    t.deepEqual(await listActivity(pool, owner.id), [])

    // Nor where the last one is an invited one.
    await pool.query('update members set joined_at = null where user_id = $1', [owner.id])
    t.like(expectError(await house.invite(owner, rows[0].email, 'viewer')), last)
    await pool.query('update members set joined_at = now() where user_id = $1', [owner.id])

    const second = await house.addMember('owner')
    expectOk(await house.remove(owner, owner))
    t.like(expectError(await house.remove(second, second)), last)
    t.like(expectError(await house.change(second, second, 'admin')), last)
  })

  test(`who has only been invited to own is no other owner ${through}`, async (t) => {
    const { people, ...house } = await openHouse(transport)
    const { owner } = people
    const { user_id } = expectOk(await house.invite(owner, newAddress(), 'owner'))
    // Nobody may ever answer the invitation, and the workspace would be nobody's.
    t.like(expectError(await house.remove(owner, owner)), last)
    t.like(expectError(await house.change(owner, owner, 'admin')), last)
    await pool.query('update members set joined_at = now() where user_id = $1', [user_id])
    expectOk(await house.remove(owner, owner))
  })

  test(`two owners demote, remove and leave at once, 50 times: one stays always ${through}`, async (t) => {
    t.timeout(50_000)
    const elsewhere = other.transports.find(({ name }) => name === transport.name) ?? transport
    for (let round = 0; round < 50; round += 1) {
      const workspace_id = await seed.workspace()
      const [ann, bo] = await Promise.all(
        ['ann', 'bo'].map(async (name) => {
          const id = await seed.newMember(workspace_id, 'owner', name)
          return { id, token: await environment.token(id, workspace_id) }
        }),
      )
      if (!ann || !bo) throw new Error('two people')
      const act = (at: Transport, by: Member, to: Member, demote: boolean): Promise<Outcome> => {
        const place = { workspace_id, user_id: to.id }
        const message = demote ? { ...place, role: 'viewer' } : place
        return at.call(demote ? 'UpdateMember' : 'RemoveMember', message, { token: by.token })
      }
      const [first, second] = [
        [
          [ann, bo, true],
          [bo, ann, true],
        ],
        [
          [ann, bo, false],
          [bo, ann, false],
        ],
        [
          [ann, ann, false],
          [bo, bo, false],
        ],
        [
          [ann, ann, true],
          [bo, bo, false],
        ],
        [
          [ann, bo, false],
          [bo, ann, true],
        ],
      ][round % 5] as [[Member, Member, boolean], [Member, Member, boolean]]
      const endings = await Promise.all([act(transport, ...first), act(elsewhere, ...second)])
      const roles = Object.values(await rolesOf(workspace_id))
      t.is(roles.filter((role) => role === 'owner').length, 1, `round ${round}`)
      for (const ending of endings) {
        const kind = ending.ok ? 'ok' : ending.code
        t.true(['ok', 'already_exists', 'permission_denied'].includes(kind), kind)
      }
      t.is(endings.filter(({ ok }) => ok).length, 1)
    }
  })

  test(`a workspace deleted by its owners at once is deleted and recorded once ${through}`, async (t) => {
    for (let round = 0; round < 5; round += 1) {
      const { workspace, people, addMember } = await openHouse(transport)
      const owners = [people.owner, await addMember('owner'), await addMember('owner')]
      const endings = await Promise.all(
        owners.map(({ token }) =>
          transport.call('DeleteWorkspace', { workspace_id: workspace }, { token }),
        ),
      )
      const kinds = endings.map((ending) => (ending.ok ? 'ok' : ending.code))
      t.is(kinds.filter((kind) => kind === 'ok').length, 1, `${kinds}`)
      t.true(
        kinds.every((kind) => ['ok', 'not_found', 'permission_denied'].includes(kind)),
        `${kinds}`,
      )
      t.is((await listActivity(pool, workspace)).length, 1)
    }
  })

  test(`a crowd of owners in each other’s way: no deadlock outside, one stays ${through}`, async (t) => {
    const workspace_id = await seed.workspace()
    const crowd = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const id = await seed.newMember(workspace_id, 'owner')
        const group = await seed.group(workspace_id, [id])
        return { id, group, token: await environment.token(id, workspace_id) }
      }),
    )
    const endings = await Promise.all(
      crowd.flatMap((by, at) => {
        const next = crowd[(at + 1) % crowd.length] ?? by
        const shown = { token: by.token }
        const place = { workspace_id, user_id: next.id }
        return [
          transport.call('RemoveMember', place, shown),
          transport.call('UpdateMember', { ...place, role: 'viewer' }, shown),
          transport.call('AddGroupMember', { ...place, group_id: by.group }, shown),
          transport.call('DeleteGroup', { workspace_id, group_id: next.group }, shown),
          transport.call('RemoveMember', { workspace_id, user_id: by.id }, shown),
        ]
      }),
    )
    for (const ending of endings) {
      const kind = ending.ok ? 'ok' : ending.code
      t.true(['ok', 'already_exists', 'permission_denied', 'not_found'].includes(kind), kind)
    }
    const roles = Object.values(await rolesOf(workspace_id))
    t.true(roles.filter((role) => role === 'owner').length >= 1)
  })
}
