import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { type Outcome, repeatLockTimeouts, type Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type Member } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const other = await environment.addNode()
const { pool, seed } = environment
test.after.always(() => environment.stop())

const insufficientRole = { code: 'permission_denied', reason: 'ROLE_TOO_LOW' } as const
const last = { code: 'already_exists', reason: 'LAST_OWNER' } as const

/** A fixture with functions that change memberships. */
async function createFixture(transport: Transport) {
  const { workspace, people, addMember } = await createWorkspaceFixture(environment, transport)
  const call = (method: string, by: Member, message: object) =>
    transport.call(method, { workspace_id: workspace, ...message }, { token: by.token })
  return {
    workspace,
    people,
    addMember,
    invite: (by: Member, email: string, role: string) => call('InviteMember', by, { email, role }),
    change: (by: Member, { id: user_id }: { id: string }, role: string) =>
      call('UpdateMember', by, { user_id, role }),
    remove: (by: Member, { id: user_id }: { id: string }) => call('RemoveMember', by, { user_id }),
    roles: () => rolesOf(workspace),
  }
}

/** Roles by user id. */
async function rolesOf(workspaceId: string): Promise<Record<string, string>> {
  const sql = 'select user_id, role from members where workspace_id = $1 order by user_id'
  const { rows } = await pool.query(sql, [workspaceId])
  return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]))
}

const newAddress = () => `owner-${randomUUID()}@example.com`

for (const transport of environment.transports) {
  const through = `over ${transport.label}`

  test(`an admin who invites, promotes, demotes or removes owners gets 403 ${through}`, async (t) => {
    const { people, addMember, ...fixture } = await createFixture(transport)
    await addMember('owner')
    const email = newAddress()
    const pending = expectOk(await fixture.invite(people.owner, email, 'owner'))
    const before = await fixture.roles()
    const { admin, owner, viewer } = people
    const attempts = [
      () => fixture.invite(admin, newAddress(), 'owner'),
      () => fixture.change(admin, viewer, 'owner'),
      () => fixture.change(admin, admin, 'owner'),
      ...['viewer', 'editor', 'admin', 'owner'].map((role) => () => {
        return fixture.change(admin, owner, role)
      }),
      () => fixture.remove(admin, owner),
      // A pending owner counts as an owner.
      () => fixture.invite(admin, email, 'viewer'),
      () => fixture.invite(admin, email, 'owner'),
      () => fixture.change(admin, { id: pending.user_id }, 'viewer'),
      () => fixture.remove(admin, { id: pending.user_id }),
    ]
    for (const attempt of attempts) t.like(expectError(await attempt()), insufficientRole)
    t.deepEqual(await fixture.roles(), before)
    for (const { id } of [owner, viewer, admin]) t.deepEqual(await listActivity(pool, id), [])
  })

  test(`an owner can invite, promote, demote and remove owners ${through}`, async (t) => {
    const { people, ...fixture } = await createFixture(transport)
    const { owner, viewer, editor } = people
    t.is(expectOk(await fixture.invite(owner, newAddress(), 'owner')).role, 'owner')
    t.is(expectOk(await fixture.change(owner, viewer, 'owner')).role, 'owner')
    t.is(expectOk(await fixture.change(owner, editor, 'owner')).role, 'owner')
    t.is(expectOk(await fixture.change(viewer, editor, 'admin')).role, 'admin')
    expectOk(await fixture.remove(viewer, owner))
    const roles = await fixture.roles()
    t.is(roles[owner.id], undefined)
    t.is(roles[viewer.id], 'owner')
  })

  test(`the last owner cannot leave, be demoted, be removed or be invited with a lower role: 409 ${through}`, async (t) => {
    const { people, workspace, ...fixture } = await createFixture(transport)
    const { owner } = people
    const { rows } = await pool.query('select email from users where id = $1', [owner.id])
    const before = await fixture.roles()
    t.like(expectError(await fixture.remove(owner, owner)), last)
    for (const role of ['admin', 'editor', 'viewer'])
      t.like(expectError(await fixture.change(owner, owner, role)), last)
    t.is(expectOk(await fixture.change(owner, owner, 'owner')).role, 'owner')
    for (const role of ['viewer', 'owner'])
      t.is(expectError(await fixture.invite(owner, rows[0].email, role)).code, 'already_exists')
    t.deepEqual(await fixture.roles(), before)
    t.deepEqual(await listActivity(pool, owner.id), [])

    // The same applies to a last owner who is only invited.
    await pool.query('update members set joined_at = null where user_id = $1', [owner.id])
    t.like(expectError(await fixture.invite(owner, rows[0].email, 'viewer')), last)
    await pool.query('update members set joined_at = now() where user_id = $1', [owner.id])

    const second = await fixture.addMember('owner')
    expectOk(await fixture.remove(owner, owner))
    t.like(expectError(await fixture.remove(second, second)), last)
    t.like(expectError(await fixture.change(second, second, 'admin')), last)
  })

  test(`an invited owner does not count as another owner ${through}`, async (t) => {
    const { people, ...fixture } = await createFixture(transport)
    const { owner } = people
    const { user_id } = expectOk(await fixture.invite(owner, newAddress(), 'owner'))
    // The invitation may never be accepted, which would leave the workspace without an owner.
    t.like(expectError(await fixture.remove(owner, owner)), last)
    t.like(expectError(await fixture.change(owner, owner, 'admin')), last)
    await pool.query('update members set joined_at = now() where user_id = $1', [user_id])
    expectOk(await fixture.remove(owner, owner))
  })

  test(`an inactive owner does not count as another owner ${through}`, async (t) => {
    const { people, ...fixture } = await createFixture(transport)
    const { owner } = people
    const inactive = await fixture.addMember('owner')
    const setActive = (isActive: boolean) =>
      pool.query('update users set is_active = $2 where id = $1', [inactive.id, isActive])
    await setActive(false)
    t.like(expectError(await fixture.remove(owner, owner)), last)
    t.like(expectError(await fixture.change(owner, owner, 'admin')), last)
    // The inactive owner can leave because an active one remains.
    expectOk(await fixture.change(owner, inactive, 'admin'))
    expectOk(await fixture.change(owner, inactive, 'owner'))
    await setActive(true)
    expectOk(await fixture.remove(owner, owner))
  })

  test(`when two owners demote, remove or leave concurrently, one remains, 50 times ${through}`, async (t) => {
    const otherTransport = other.transports.find(({ name }) => name === transport.name) ?? transport
    for (let round = 0; round < 50; round += 1) {
      const workspace_id = await seed.workspace()
      const [ann, bo] = await Promise.all(
        ['ann', 'bo'].map(async (name) => {
          const id = await seed.newMember(workspace_id, 'owner', name)
          return { id, token: await environment.token(id, workspace_id) }
        }),
      )
      if (!ann || !bo) throw new Error('two people')
      const act = (via: Transport, by: Member, to: Member, demote: boolean): Promise<Outcome> => {
        const membership = { workspace_id, user_id: to.id }
        const message = demote ? { ...membership, role: 'viewer' } : membership
        return via.call(demote ? 'UpdateMember' : 'RemoveMember', message, { token: by.token })
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
      const outcomes = await Promise.all([act(transport, ...first), act(otherTransport, ...second)])
      const roles = Object.values(await rolesOf(workspace_id))
      t.is(roles.filter((role) => role === 'owner').length, 1, `round ${round}`)
      for (const outcome of outcomes) {
        const kind = outcome.ok ? 'ok' : outcome.code
        t.true(
          ['ok', 'already_exists', 'permission_denied', 'unauthenticated'].includes(kind),
          kind,
        )
      }
      t.is(outcomes.filter(({ ok }) => ok).length, 1)
    }
  })

  test(`concurrent calls delete a workspace once and record it once ${through}`, async (t) => {
    for (let round = 0; round < 5; round += 1) {
      const { workspace, people, addMember } = await createFixture(transport)
      const owners = [people.owner, await addMember('owner'), await addMember('owner')]
      const outcomes = await Promise.all(
        owners.map(({ token }) =>
          transport.call('DeleteWorkspace', { workspace_id: workspace }, { token }),
        ),
      )
      const kinds = outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.code))
      t.is(kinds.filter((kind) => kind === 'ok').length, 1, `${kinds}`)
      t.true(
        kinds.every((kind) => ['ok', 'not_found', 'unauthenticated'].includes(kind)),
        `${kinds}`,
      )
      t.is((await listActivity(pool, workspace)).length, 1)
    }
  })

  test(`concurrent changes by many owners cause no visible deadlock and leave one owner ${through}`, async (t) => {
    const workspace_id = await seed.workspace()
    const manyOwners = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const id = await seed.newMember(workspace_id, 'owner')
        const group = await seed.group(workspace_id, [id])
        return { id, group, token: await environment.token(id, workspace_id) }
      }),
    )
    const { call } = repeatLockTimeouts(transport)
    const outcomes = await Promise.all(
      manyOwners.flatMap((by, index) => {
        const next = manyOwners[(index + 1) % manyOwners.length] ?? by
        const credentials = { token: by.token }
        const membership = { workspace_id, user_id: next.id }
        return [
          call('RemoveMember', membership, credentials),
          call('UpdateMember', { ...membership, role: 'viewer' }, credentials),
          call('AddGroupMember', { ...membership, group_id: by.group }, credentials),
          call('DeleteGroup', { workspace_id, group_id: next.group }, credentials),
          call('RemoveMember', { workspace_id, user_id: by.id }, credentials),
        ]
      }),
    )
    for (const outcome of outcomes) {
      const kind = outcome.ok ? 'ok' : outcome.code
      const expected = ['ok', 'already_exists', 'permission_denied', 'not_found', 'unauthenticated']
      t.true(expected.includes(kind), kind)
    }
    const roles = Object.values(await rolesOf(workspace_id))
    t.true(roles.filter((role) => role === 'owner').length >= 1)
  })
}
