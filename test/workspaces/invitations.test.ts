import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createSignInEnvironment, signIn } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type Member } from '../support/workspace-fixture.ts'

const environment = await createSignInEnvironment()
const { pool, seed } = environment
test.after.always(() => environment.stop())

/** A fixture with functions that invite members. */
async function createFixture(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace } = fixture
  return {
    ...fixture,
    invite: (by: Member, email: string, more: object = {}) =>
      transport.call(
        'InviteMember',
        { workspace_id: workspace, email, ...more },
        { token: by.token },
      ),
    count: async () => {
      const sql = `select (select count(*)::int from users) users,
        (select count(*)::int from members where workspace_id = $1) members,
        (select count(*)::int from activity where workspace_id = $1) entries`
      return (await pool.query(sql, [workspace])).rows[0]
    },
  }
}

const newAddress = () => `guest-${randomUUID()}@example.com`

for (const transport of environment.transports) {
  const through = `over ${transport.label}`

  test.serial(
    `inviting returns 201 with a pending membership, as a viewer by default ${through}`,
    async (t) => {
      const { invite, people, workspace } = await createFixture(transport)
      const email = newAddress()
      const outcome = await invite(people.admin, ` ${email.toUpperCase()} `)
      const { user_id, joined_at, expires_at, invitation_url, email_refusal, ...rest } =
        expectOk(outcome)
      t.falsy(email_refusal)
      t.regex(invitation_url, /^http:/)
      if (outcome.ok && transport.name === 'rest') {
        t.is(outcome.status, 201)
        // Null rather than absent, so that clients see the field.
        t.true('joined_at' in outcome.message)
      }
      t.is(joined_at ?? null, null)
      t.is(expires_at ?? null, null)
      t.deepEqual(rest, {
        workspace_id: workspace,
        email,
        name: '',
        avatar_url: '',
        role: 'viewer',
        status: 'invited',
        kind: 'user',
        support: false,
        guest: false,
      })
      const { rows } = await pool.query('select * from users where id = $1', [user_id])
      t.like(rows[0], { email, name: '', is_active: true, is_admin: false, last_sign_in_at: null })
      t.deepEqual(await listActivity(pool, user_id), [
        {
          action: 'member.invited',
          target_type: 'user',
          actor_id: people.admin.id,
          workspace_id: workspace,
          detail: { email, role: 'viewer', expires_at: 'never', guest: 'false' },
        },
      ])
      const message = { workspace_id: workspace, q: email }
      const credentials = { token: people.viewer.token }
      const { members } = expectOk(await transport.call('ListMembers', message, credentials))
      const [{ invitation_url: hidden, ...listed }] = members
      t.falsy(hidden)
      t.like(outcome.ok && outcome.message, listed)
    },
  )

  test.serial(`the response is the same for known and unknown addresses ${through}`, async (t) => {
    const { invite, people, workspace } = await createFixture(transport)
    const known = newAddress()
    const picture = { name: 'Known', avatar_url: 'https://example.com/known.png' }
    const otherWorkspace = await seed.workspace()
    const knownId = await seed.user('known', { email: known, ...picture, is_admin: true })
    await seed.member(otherWorkspace, knownId, 'owner')
    const unknown = newAddress()
    const outcomes = [await invite(people.admin, known), await invite(people.admin, unknown)]
    const shapes = outcomes.map((outcome) => {
      const { user_id, email, invitation_url, ...rest } = expectOk(outcome)
      t.regex(invitation_url, /^http:/)
      t.regex(user_id, /^[0-9a-f-]{36}$/)
      t.true([known, unknown].includes(email))
      return {
        ...rest,
        fields: Object.keys(expectOk(outcome)),
        status: outcome.ok && outcome.status,
      }
    })
    t.deepEqual(shapes[0], shapes[1])
    const details = await Promise.all(
      outcomes.map(async (outcome) => (await listActivity(pool, expectOk(outcome).user_id)).length),
    )
    t.deepEqual(details, [1, 1])
    t.is(expectOk(outcomes[0] as never).workspace_id, workspace)
  })

  test.serial(
    `the user ID does not reveal whether the user existed before ${through}`,
    async (t) => {
      const { invite, people } = await createFixture(transport)
      const known = environment.addProviderUser()
      await signIn(transport, known)
      for (const email of [known, newAddress()]) {
        const { user_id } = expectOk(await invite(people.admin, email))
        // A UUID of version 7 contains its creation time, which would reveal an existing user.
        t.is(user_id[14], '4', user_id)
      }
    },
  )

  test.serial(
    `inviting again while pending updates the role of the same membership ${through}`,
    async (t) => {
      const { invite, people, count } = await createFixture(transport)
      const email = newAddress()
      const first = expectOk(await invite(people.admin, email))
      const before = await count()
      const again = expectOk(await invite(people.owner, email, { role: 'editor' }))
      t.deepEqual(
        { ...again, invitation_url: '' },
        { ...first, role: 'editor', invitation_url: '' },
      )
      t.not(again.invitation_url, first.invitation_url)
      t.deepEqual(await count(), { ...before, entries: before.entries + 1 })
      const actions = (await listActivity(pool, first.user_id)).map(
        ({ action, detail, actor_id }) => [...[action, detail.role, actor_id]],
      )
      t.deepEqual(actions, [
        ['member.invited', 'viewer', people.admin.id],
        ['member.invited', 'editor', people.owner.id],
      ])
    },
  )

  test.serial(`inviting a member returns 409 and changes nothing ${through}`, async (t) => {
    const { invite, people, count } = await createFixture(transport)
    const email = newAddress()
    const { user_id, workspace_id } = expectOk(await invite(people.admin, email))
    await pool.query('update members set joined_at = now() where user_id = $1', [user_id])
    const before = await count()
    for (const role of ['viewer', 'admin']) {
      const error = expectError(await invite(people.admin, email.toUpperCase(), { role }))
      t.like(error, { code: 'already_exists', reason: 'ALREADY_A_MEMBER' })
    }
    t.deepEqual(await count(), before)
    const sql = 'select role from members where user_id = $1 and workspace_id = $2'
    t.is((await pool.query(sql, [user_id, workspace_id])).rows[0].role, 'viewer')
  })

  test.serial(`an invalid e-mail address returns 422 and creates nothing ${through}`, async (t) => {
    const { invite, people, count } = await createFixture(transport)
    const before = await count()
    const invalid = [
      '',
      ' ',
      'ann',
      '@',
      'ann@',
      '@example.com',
      'ann@@example.com',
      'a@b@example.com',
      'ann＠example.com',
      'ann@example．com',
      'ann@example.com.',
      'ann@.com',
      'ann@a..com',
      'ann@exa\u0000mple.com',
      'ann@example.com\u0000',
      'an n@example.com',
      'ann@exam ple.com',
      '"ann"@example.com',
      '"a@b"@example.com',
      "ann'@example.com,b@example.com",
      'Ann <ann@example.com>',
      'ann@example.com\nBcc: bo@example.com',
      'ann@[127.0.0.1]',
      'änn@example.com',
      'ann@exämple.com',
      '\u212Aate@example.com',
      'ann@-a.com',
      `${'a'.repeat(65)}@example.com`,
      `ann@${'a'.repeat(64)}.com`,
      'ann\u200b@example.com',
      `ann@${Array(50).fill('abcde').join('.')}`,
    ]
    for (const email of invalid) {
      const error = expectError(await invite(people.owner, email))
      t.is(error.code, 'invalid_argument', email)
      t.deepEqual(
        error.violations.map(({ field }) => field),
        ['email'],
        email,
      )
    }
    t.deepEqual(await count(), before)
  })

  test.serial(`an invitation with an unknown role returns 422 ${through}`, async (t) => {
    const { invite, people, count } = await createFixture(transport)
    const before = await count()
    for (const role of ['Owner', 'member', 'superadmin', ' viewer', '__proto__']) {
      const error = expectError(await invite(people.owner, newAddress(), { role }))
      t.is(error.code, 'invalid_argument', role)
      t.deepEqual(
        error.violations.map(({ field }) => field),
        ['role'],
      )
    }
    t.deepEqual(await count(), before)
    for (const role of ['owner', 'admin', 'editor', 'viewer'])
      t.is(expectOk(await invite(people.owner, newAddress(), { role })).role, role)
  })

  test.serial(`inviting requires an admin ${through}`, async (t) => {
    const { invite, people, count } = await createFixture(transport)
    const before = await count()
    for (const role of ['viewer', 'editor'] as const) {
      const error = expectError(await invite(people[role], newAddress()))
      t.like(error, { code: 'permission_denied', reason: 'ROLE_TOO_LOW' })
    }
    t.deepEqual(await count(), before)
  })

  test.serial(
    `the role of a pending invitation can be changed, and it can be withdrawn ${through}`,
    async (t) => {
      const { invite, people, workspace, count } = await createFixture(transport)
      const before = await count()
      const created = expectOk(await invite(people.admin, newAddress()))
      const membership = { workspace_id: workspace, user_id: created.user_id }
      const credentials = { token: people.admin.token }
      const changed = await transport.call(
        'UpdateMember',
        { ...membership, role: 'editor' },
        credentials,
      )
      const { invitation_url: _, ...member } = created
      t.like(expectOk(changed), { ...member, role: 'editor' })
      expectOk(await transport.call('RemoveMember', membership, credentials))
      t.is((await count()).members, before.members)
      t.like(expectError(await transport.call('RemoveMember', membership, credentials)), {
        code: 'not_found',
      })
    },
  )

  test.serial(
    `twenty concurrent invitations of an address create one user and one membership ${through}`,
    async (t) => {
      const { invite, people, count } = await createFixture(transport)
      const { members } = await count()
      const email = newAddress()
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () => invite(people.admin, email)),
      )
      t.is(new Set(outcomes.map((outcome) => expectOk(outcome).user_id)).size, 1)
      t.is((await count()).members, members + 1)
      t.is((await pool.query('select 1 from users where email = $1', [email])).rows.length, 1)
    },
  )
}
