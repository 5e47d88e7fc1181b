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

/** An fixture whose people invite. */
async function openHouse(transport: Transport) {
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
    `inviting answers 201 with the membership, pending and a viewer’s by default ${through}`,
    async (t) => {
      const { invite, people, workspace } = await openHouse(transport)
      const email = newAddress()
      const ending = await invite(people.admin, ` ${email.toUpperCase()} `)
      const { user_id, joined_at, ...rest } = expectOk(ending)
      if (ending.ok && transport.name === 'rest') {
        t.is(ending.status, 201)
        // Null, not absent: a client sees that the field exists.
        t.true('joined_at' in ending.message)
      }
      t.is(joined_at ?? null, null)
      t.deepEqual(rest, {
        workspace_id: workspace,
        email,
        name: '',
        avatar_url: '',
        role: 'viewer',
        status: 'invited',
      })
      const { rows } = await pool.query('select * from users where id = $1', [user_id])
      t.like(rows[0], { email, name: '', is_active: true, is_admin: false, last_sign_in_at: null })
      t.deepEqual(await listActivity(pool, user_id), [
        {
          action: 'member.invited',
          target_type: 'user',
          actor_id: people.admin.id,
          workspace_id: workspace,
          detail: { email, role: 'viewer' },
        },
      ])
      const message = { workspace_id: workspace, q: email }
      const shown = { token: people.viewer.token }
      const { members } = expectOk(await transport.call('ListMembers', message, shown))
      t.deepEqual(members, [ending.ok && ending.message])
    },
  )

  test.serial(
    `a known and an unknown e-mail answer alike: status, shape and fields ${through}`,
    async (t) => {
      const { invite, people, workspace } = await openHouse(transport)
      const known = newAddress()
      const picture = { name: 'Known', avatar_url: 'https://example.com/known.png' }
      const elsewhere = await seed.workspace()
      const knownId = await seed.user('known', { email: known, ...picture, is_admin: true })
      await seed.member(elsewhere, knownId, 'owner')
      const unknown = newAddress()
      const endings = [await invite(people.admin, known), await invite(people.admin, unknown)]
      const shapes = endings.map((ending) => {
        const { user_id, email, ...rest } = expectOk(ending)
        t.regex(user_id, /^[0-9a-f-]{36}$/)
        t.true([known, unknown].includes(email))
        return {
          ...rest,
          fields: Object.keys(expectOk(ending)),
          status: ending.ok && ending.status,
        }
      })
      t.deepEqual(shapes[0], shapes[1])
      const details = await Promise.all(
        endings.map(async (ending) => (await listActivity(pool, expectOk(ending).user_id)).length),
      )
      t.deepEqual(details, [1, 1])
      t.is(expectOk(endings[0] as never).workspace_id, workspace)
    },
  )

  test.serial(
    `an id does not tell whether the person has signed in before ${through}`,
    async (t) => {
      const { invite, people } = await openHouse(transport)
      const known = environment.addProviderUser()
      await signIn(transport, known)
      for (const email of [known, newAddress()]) {
        const { user_id } = expectOk(await invite(people.admin, email))
        // A version 7 id holds the time it was made: older than the invitation, it is a known person's.
        t.is(user_id[14], '4', user_id)
      }
    },
  )

  test.serial(
    `inviting again while pending is the same membership, with the new role ${through}`,
    async (t) => {
      const { invite, people, count } = await openHouse(transport)
      const email = newAddress()
      const first = expectOk(await invite(people.admin, email))
      const before = await count()
      const again = expectOk(await invite(people.owner, email, { role: 'editor' }))
      t.deepEqual(again, { ...first, role: 'editor' })
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

  test.serial(
    `inviting who is a member already is 409 and changes nothing ${through}`,
    async (t) => {
      const { invite, people, count } = await openHouse(transport)
      const email = newAddress()
      const { user_id, workspace_id } = expectOk(await invite(people.admin, email))
      await pool.query('update members set joined_at = now() where user_id = $1', [user_id])
      const before = await count()
      for (const role of ['viewer', 'admin']) {
        const fault = expectError(await invite(people.admin, email.toUpperCase(), { role }))
        t.like(fault, { code: 'already_exists', reason: 'ALREADY_A_MEMBER' })
      }
      t.deepEqual(await count(), before)
      const sql = 'select role from members where user_id = $1 and workspace_id = $2'
      t.is((await pool.query(sql, [user_id, workspace_id])).rows[0].role, 'viewer')
    },
  )

  test.serial(
    `what is no plain e-mail address is 422 and leaves nothing behind ${through}`,
    async (t) => {
      const { invite, people, count } = await openHouse(transport)
      const before = await count()
      const wrong = [
        ...['', ' ', 'ann', '@', 'ann@', '@example.com', 'ann@@example.com', 'a@b@example.com'],
        ...['ann＠example.com', 'ann@example．com', 'ann@example.com.', 'ann@.com', 'ann@a..com'],
        ...[
          'ann@exa\u0000mple.com',
          'ann@example.com\u0000',
          'an n@example.com',
          'ann@exam ple.com',
        ],
        ...['"ann"@example.com', '"a@b"@example.com', "ann'@example.com,b@example.com"],
        ...['Ann <ann@example.com>', 'ann@example.com\nBcc: bo@example.com', 'ann@[127.0.0.1]'],
        ...['änn@example.com', 'ann@exämple.com', '\u212Aate@example.com', 'ann@-a.com'],
        ...[`${'a'.repeat(65)}@example.com`, `ann@${'a'.repeat(64)}.com`, 'ann\u200b@example.com'],
        `ann@${Array(50).fill('abcde').join('.')}`,
      ]
      for (const email of wrong) {
        const fault = expectError(await invite(people.owner, email))
        t.is(fault.code, 'invalid_argument', email)
        t.deepEqual(
          fault.violations.map(({ field }) => field),
          ['email'],
          email,
        )
      }
      t.deepEqual(await count(), before)
    },
  )

  test.serial(`the role of an invitation is one of four ${through}`, async (t) => {
    const { invite, people, count } = await openHouse(transport)
    const before = await count()
    for (const role of ['Owner', 'member', 'superadmin', ' viewer', '__proto__']) {
      const fault = expectError(await invite(people.owner, newAddress(), { role }))
      t.is(fault.code, 'invalid_argument', role)
      t.deepEqual(
        fault.violations.map(({ field }) => field),
        ['role'],
      )
    }
    t.deepEqual(await count(), before)
    for (const role of ['owner', 'admin', 'editor', 'viewer'])
      t.is(expectOk(await invite(people.owner, newAddress(), { role })).role, role)
  })

  test.serial(`inviting takes an admin ${through}`, async (t) => {
    const { invite, people, count } = await openHouse(transport)
    const before = await count()
    for (const role of ['viewer', 'editor'] as const) {
      const fault = expectError(await invite(people[role], newAddress()))
      t.like(fault, { code: 'permission_denied', reason: 'ROLE_TOO_LOW' })
    }
    t.deepEqual(await count(), before)
  })

  test.serial(
    `a pending invitation changes its role and is withdrawn like a membership ${through}`,
    async (t) => {
      const { invite, people, workspace, count } = await openHouse(transport)
      const before = await count()
      const made = expectOk(await invite(people.admin, newAddress()))
      const place = { workspace_id: workspace, user_id: made.user_id }
      const shown = { token: people.admin.token }
      const changed = await transport.call('UpdateMember', { ...place, role: 'editor' }, shown)
      t.deepEqual(expectOk(changed), { ...made, role: 'editor' })
      expectOk(await transport.call('RemoveMember', place, shown))
      t.is((await count()).members, before.members)
      t.like(expectError(await transport.call('RemoveMember', place, shown)), { code: 'not_found' })
    },
  )

  test.serial(
    `twenty invitations of one address at once make one person and one membership ${through}`,
    async (t) => {
      const { invite, people, count } = await openHouse(transport)
      const { members } = await count()
      const email = newAddress()
      const endings = await Promise.all(
        Array.from({ length: 20 }, () => invite(people.admin, email)),
      )
      t.is(new Set(endings.map((ending) => expectOk(ending).user_id)).size, 1)
      t.is((await count()).members, members + 1)
      t.is((await pool.query('select 1 from users where email = $1', [email])).rows.length, 1)
    },
  )
}
