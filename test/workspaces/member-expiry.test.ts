import { randomUUID } from 'node:crypto'
import test from 'ava'
import pg from 'pg'
import { createStores } from '../../src/server/stores.ts'
import { removeEndedMembers } from '../../src/workspaces/member-expiry.ts'
import { listActivity } from '../support/activity.ts'
import { createAdmin } from '../support/admin.ts'
import { createMemberFixture } from '../support/member-fixture.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createSignInEnvironment, signIn } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type Member } from '../support/workspace-fixture.ts'

const environment = await createSignInEnvironment({
  options: { MAX_FACTS_CACHE_BYTES: 10_000_000 },
})
const admin = await createAdmin(environment)
const { database } = environment
test.after.always(() => environment.stop())

const { pool, seed } = environment
const future = '2035-01-01T00:00:00.000Z'
const lastOwner = { code: 'already_exists', reason: 'LAST_OWNER' } as const

/** Ends a membership now, without removing its row. */
async function end(workspace: string, user: string): Promise<void> {
  await pool.query(
    'update members set expires_at = now() where workspace_id = $1 and user_id = $2',
    [workspace, user],
  )
}

async function createFixture(transport: Transport) {
  const fixture = await createMemberFixture(environment, transport)
  return {
    ...fixture,
    listIds: async (by: Member) =>
      expectOk(await fixture.call('ListMembers', by)).members.map((one: any) => one.user_id),
  }
}

const actionsOf = async (id: string) =>
  (await listActivity(pool, id)).map(({ action, detail }) => ({ action, detail }))

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`the end of a membership is set, changed and removed, alone or with the role ${over}`, async (t) => {
    const { people, workspace, ...fixture } = await createFixture(transport)
    const { admin: by, viewer } = people
    t.falsy(expectOk(await fixture.update(by, viewer, { role: 'viewer' })).expires_at)
    const ending = expectOk(await fixture.update(by, viewer, { expires_at: future }))
    t.like(ending, { role: 'viewer', status: 'active', expires_at: future })
    const sooner = '2034-06-01T10:00:00.000Z'
    const changed = { role: 'editor', expires_at: '2034-06-01T12:00:00+02:00' }
    t.like(expectOk(await fixture.update(by, viewer, changed)), {
      role: 'editor',
      expires_at: sooner,
    })
    // The same end again changes nothing.
    expectOk(await fixture.update(by, viewer, { expires_at: sooner }))
    const { members } = expectOk(await fixture.call('ListMembers', by, {}))
    t.is(members.find((one: any) => one.user_id === viewer.id).expires_at, sooner)
    const person = expectOk(await admin.call(transport, 'GetUser', { user_id: viewer.id }))
    t.is(person.memberships[0].expires_at, sooner)

    const removal = transport.name === 'rest' ? { expires_at: null } : { never_expires: true }
    t.falsy(expectOk(await fixture.update(by, viewer, removal)).expires_at)
    t.deepEqual(await actionsOf(viewer.id), [
      { action: 'member.expiry_changed', detail: { from: 'never', to: future } },
      { action: 'member.role_changed', detail: { from: 'viewer', to: 'editor' } },
      { action: 'member.expiry_changed', detail: { from: future, to: sooner } },
      { action: 'member.expiry_changed', detail: { from: sooner, to: 'never' } },
    ])
  })

  test(`an invitation has the end of the membership ${over}`, async (t) => {
    const { people, workspace, invite } = await createFixture(transport)
    const email = `${randomUUID()}@example.com`
    const invited = expectOk(await invite(people.admin, { email, expires_at: future }))
    t.like(invited, { status: 'invited', expires_at: future })
    // Inviting again replaces the end.
    t.falsy(expectOk(await invite(people.admin, { email })).expires_at)
    const user_id = await seed.user()
    const request = { workspace_id: workspace, user_id, expires_at: future }
    const added = expectOk(await admin.call(transport, 'AddUserToWorkspace', request))
    t.is(added.expires_at, future)
    t.like((await actionsOf(user_id))[0], {
      action: 'member.invited',
      detail: { expires_at: future },
    })
  })

  test(`an invalid end is 422 ${over}`, async (t) => {
    const { people, update, invite } = await createFixture(transport)
    const { admin: by, viewer } = people
    const inYears = (years: number) => {
      const time = new Date(Date.now() + 3_600_000)
      time.setUTCFullYear(time.getUTCFullYear() + years)
      return time.toISOString()
    }
    for (const [expires_at, message] of [
      ['2020-01-01T00:00:00Z', 'must be in the future'],
      [inYears(10), 'must be at most 10 years in the future'],
    ]) {
      for (const outcome of [
        await update(by, viewer, { expires_at }),
        await invite(by, { expires_at }),
      ])
        t.deepEqual(expectError(outcome).violations, [{ field: 'expires_at', message }])
    }
    const both = expectError(await update(by, viewer, { expires_at: future, never_expires: true }))
    t.is(both.violations[0]?.field, 'never_expires')
    t.is(expectError(await update(by, viewer, {})).violations[0]?.field, 'role')
    t.deepEqual(expectError(await update(by, viewer, { role: 'king' })).violations, [
      { field: 'role', message: 'must be one of owner, admin, editor, viewer' },
    ])
  })

  test(`an owner whose membership ends is not the owner that must stay ${over}`, async (t) => {
    const { people, workspace, addMember, call, update } = await createFixture(transport)
    const { owner, admin: manager } = people
    t.like(expectError(await update(owner, owner, { expires_at: future })), lastOwner)
    const second = await addMember('owner')
    t.like(expectError(await update(manager, second, { expires_at: future })), {
      code: 'permission_denied',
      reason: 'ROLE_TOO_LOW',
    })
    expectOk(await update(owner, second, { expires_at: future }))
    t.like(expectError(await update(owner, owner, { expires_at: future })), lastOwner)
    t.like(expectError(await update(owner, owner, { role: 'admin' })), lastOwner)
    t.like(expectError(await call('RemoveMember', owner, { user_id: owner.id })), lastOwner)
    const csv = `email,workspace_slug,role\n${await emailOf(owner.id)},${await slugOf(workspace)},viewer\n`
    const preview = expectOk(await admin.call(transport, 'PreviewCsvImport', { csv }))
    t.is(preview.summary.errors, 1)
    const deletion = { user_id: owner.id }
    t.is(expectError(await admin.call(transport, 'DeleteUser', deletion)).code, 'already_exists')
    // An owner may still change the end of another owner, and then leave.
    expectOk(await update(second, second, { expires_at: '2034-01-01T00:00:00Z' }))
    expectOk(await update(owner, second, { never_expires: true }))
    expectOk(await call('RemoveMember', owner, { user_id: owner.id }))
  })

  test(`from the end on, the user is not a member for any call ${over}`, async (t) => {
    const fixture = await createFixture(transport)
    const { workspace, people, kind, key, call } = fixture
    const { owner } = people
    const person = await fixture.addMember('editor')
    const group = await seed.group(workspace, [person.id])
    const publish = await seed.serviceAction(fixture.service, 'publish')
    const role = await seed.customRole(workspace, [publish], [person.id])
    const own = await fixture.register(person)
    const open = await fixture.register(owner, { visibility: 'workspace' })
    const shared = await fixture.register(owner)
    await fixture.share(owner, shared, { user: person.id }, 'edit')
    await fixture.share(owner, shared, { group }, 'edit')
    const records = [own, open, shared]

    const decide = async () => {
      const evaluations = records.flatMap(({ resource_id: id }) =>
        ['view', 'publish'].map((name) => ({
          subject: { type: 'user', id: person.id },
          action: { name },
          resource: { type: kind.resource_type, id },
        })),
      )
      const batch = expectOk(await transport.call('EvaluateBatch', { evaluations }, { key }))
      return batch.evaluations.map(({ decision }: { decision: boolean }) => decision)
    }
    t.deepEqual(new Set(await decide()), new Set([true]))
    t.true(await fixture.isAllowed(person, 'edit', open))

    await end(workspace, person.id)
    t.deepEqual(new Set(await decide()), new Set([false]))
    const checks = records.map(({ resource_id }) => ({ ...kind, resource_id, action: 'view' }))
    const list = { ...kind, action: 'view', workspace_id: workspace }
    for (const outcome of [
      await transport.call('Check', { checks }, { key, token: person.token }),
      await transport.call('CheckMyPermissions', { checks }, { token: person.token }),
      await transport.call('Accessible', list, { key, token: person.token }),
      await call('ListMembers', person, {}),
      await transport.call('GetMe', {}, { token: person.token }),
    ])
      t.is(expectError(outcome).code, 'unauthenticated')
    for (const { resource_id: id } of records) {
      const search = {
        subject: { type: 'user' },
        action: { name: 'view' },
        resource: { type: kind.resource_type, id },
      }
      const { results } = expectOk(await transport.call('SearchSubjects', search, { key }))
      t.false(results.some((one: { id: string }) => one.id === person.id))
    }
    const all = {
      subject: { type: 'user', id: person.id },
      action: { name: 'view' },
      resource: { type: kind.resource_type },
    }
    t.deepEqual(expectOk(await transport.call('SearchResources', all, { key })).results, [])
    const explained = await transport.call(
      'Evaluate',
      { ...all, resource: { ...all.resource, id: shared.resource_id }, context: { explain: true } },
      { key },
    )
    t.deepEqual(expectOk(explained).context.reasons, [{ rule: 'not_a_member' }])

    // The person is in no list, and nothing can be given to them.
    t.false((await fixture.listIds(owner)).includes(person.id))
    const inGroup = { group_id: group }
    t.deepEqual(expectOk(await call('ListGroupMembers', owner, inGroup)).members, [])
    const grantee = { grantee_type: 'user', grantee_id: person.id, permission: 'view' }
    const to = { user_id: person.id }
    for (const outcome of [
      await transport.call('Share', { permission_id: open.id, ...grantee }, fixture.as(owner)),
      await call('AddGroupMember', owner, { ...inGroup, ...to }),
      await admin.call(transport, 'AddRoleMember', { role_id: role, ...to }),
      await fixture.update(owner, person, { expires_at: future }),
      await fixture.update(owner, person, { role: 'viewer' }),
      await call('RemoveMember', owner, to),
    ])
      t.is(expectError(outcome).code, 'not_found')
    const registration = { ...kind, resource_id: randomUUID(), workspace_id: workspace }
    const transfer = { permission_id: open.id, owner_id: person.id }
    for (const outcome of [
      await transport.call('Register', { ...registration, owner_id: person.id }, { key }),
      await transport.call('TransferOwnership', transfer, { key }),
    ])
      t.is(expectError(outcome).violations[0]?.field, 'owner_id')
  })

  test(`tokens from before the end stay invalid ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const { tokens, workspaces } = await signIn(transport, email)
    const workspace = workspaces[0].id
    const { rows } = await pool.query('select id from users where email = $1', [email])
    const user = rows[0].id
    const owner = await seed.newMember(workspace, 'owner')
    const by = { token: await environment.token(owner, workspace) }
    const refresh = () => transport.call('RefreshToken', { refresh_token: tokens.refresh_token })
    const getMe = () => transport.call('GetMe', {}, { token: tokens.access_token })
    expectOk(await getMe())
    await end(workspace, user)
    t.is(expectError(await getMe()).code, 'unauthenticated')
    t.is(expectError(await refresh()).code, 'unauthenticated')
    const invitation = { workspace_id: workspace, email }
    expectOk(await transport.call('InviteMember', invitation, by))
    t.is(expectError(await getMe()).code, 'unauthenticated')
    t.is(expectError(await refresh()).code, 'unauthenticated')
  })

  // Serial, because it removes the ended memberships of every test.
  test.serial(
    `ended memberships are removed with their sessions, and recorded once ${over}`,
    async (t) => {
      const fixture = await createFixture(transport)
      const { workspace, people } = fixture
      const leaving = await fixture.addMember('editor')
      const group = await seed.group(workspace, [leaving.id])
      const expires_at = new Date(Date.now() - 1000).toISOString()
      await pool.query('update members set expires_at = $1 where user_id = $2', [
        expires_at,
        leaving.id,
      ])
      await Promise.all(
        Array.from({ length: 3 }, () =>
          removeEndedMembers(createStores(database.fork()), new Date()),
        ),
      )
      const { rows } = await pool.query(
        `select user_id from members where workspace_id = $1 and user_id = $2
       union all select user_id from group_members where group_id = $3`,
        [workspace, leaving.id, group],
      )
      t.deepEqual(rows, [])
      const email = await emailOf(leaving.id)
      t.deepEqual(await listActivity(pool, leaving.id), [
        {
          action: 'member.expired',
          target_type: 'user',
          actor_id: null,
          workspace_id: workspace,
          detail: { email, role: 'editor', expires_at },
        },
      ])
      t.true(await fixture.isAllowed(people.owner, 'view', await fixture.register(people.owner)))
    },
  )

  test(`an invitation or import after the end creates a new membership without the old grants ${over}`, async (t) => {
    const fixture = await createFixture(transport)
    const { workspace, people, kind, key } = fixture
    const slug = await slugOf(workspace)
    for (const again of ['invitation', 'import'] as const) {
      const person = await fixture.addMember('owner')
      const email = await emailOf(person.id)
      const record = await fixture.register(people.owner)
      await fixture.share(people.owner, record, { user: person.id }, 'edit')
      await end(workspace, person.id)
      if (again === 'invitation') {
        // An admin may invite: the ended membership of an owner no longer counts.
        t.is(expectOk(await fixture.invite(people.admin, { email })).status, 'invited')
      } else {
        const csv = `email,workspace_slug,role\n${email},${slug},viewer\n`
        const report = expectOk(await admin.call(transport, 'ExecuteCsvImport', { csv }))
        t.is(report.summary.create, 1)
      }
      const evaluation = {
        subject: { type: 'user', id: person.id },
        action: { name: 'view' },
        resource: { type: kind.resource_type, id: record.resource_id },
      }
      t.false(expectOk(await transport.call('Evaluate', evaluation, { key })).decision)
      const actions = (await actionsOf(person.id)).map(({ action }) => action)
      t.deepEqual(actions.toSorted(), ['member.expired', 'member.invited'], again)
    }
  })
}

async function emailOf(id: string): Promise<string> {
  const { rows } = await pool.query('select email from users where id = $1', [id])
  return rows[0].email
}

async function slugOf(id: string): Promise<string> {
  const { rows } = await pool.query('select slug from workspaces where id = $1', [id])
  return rows[0].slug
}

test('an end is refused while a node of an older version is connected', async (t) => {
  // Sessions of other tests that share the database must not count.
  const inProgress = { ok: false, code: 'already_exists', reason: 'ROLLOUT_IN_PROGRESS' }
  const separate = await createSignInEnvironment()
  t.teardown(() => separate.stop())
  for (const transport of separate.transports) {
    const { people, workspace } = await createWorkspaceFixture(separate, transport)
    const update = (changes: object) => {
      const request = { workspace_id: workspace, user_id: people.viewer.id, ...changes }
      return transport.call('UpdateMember', request, { token: people.owner.token })
    }
    const older = new pg.Client({
      connectionString: separate.databaseUrl,
      application_name: 'daikon/31',
    })
    await older.connect()
    t.like(await update({ role: 'viewer', expires_at: future }), inProgress)
    const email = `${randomUUID()}@example.com`
    const invitation = { workspace_id: workspace, email, expires_at: future }
    t.like(
      await transport.call('InviteMember', invitation, { token: people.owner.token }),
      inProgress,
    )
    expectOk(await update({ role: 'editor' }))
    // The session ends after its client has closed the connection.
    await older.query(`set application_name = 'psql'`)
    await older.end()
    expectOk(await update({ role: 'editor', expires_at: future }))
  }
})
