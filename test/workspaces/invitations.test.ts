import { randomUUID } from 'node:crypto'
import test from 'ava'
import { activityOf } from '../support/activity.ts'
import type { Door } from '../support/doors.ts'
import { answered, refused } from '../support/ending.ts'
import { openOffice, type Person } from '../support/office.ts'
import { openSignInWorld, signIn } from '../support/sign-in.ts'

const world = await openSignInWorld()
const { pool, seed } = world
test.after.always(() => world.stop())

/** An office whose people invite. */
async function openHouse(door: Door) {
  const office = await openOffice(world, door)
  const { workspace } = office
  return {
    ...office,
    invite: (by: Person, email: string, more: object = {}) =>
      door.call('InviteMember', { workspace_id: workspace, email, ...more }, { token: by.token }),
    count: async () => {
      const sql = `select (select count(*)::int from users) users,
        (select count(*)::int from members where workspace_id = $1) members,
        (select count(*)::int from activity where workspace_id = $1) entries`
      return (await pool.query(sql, [workspace])).rows[0]
    },
  }
}

const newAddress = () => `guest-${randomUUID()}@example.com`

for (const door of world.doors) {
  const through = `through ${door.name}`

  test.serial(
    `inviting answers 201 with the membership, pending and a viewer’s by default ${through}`,
    async (t) => {
      const { invite, staff, workspace } = await openHouse(door)
      const email = newAddress()
      const ending = await invite(staff.admin, ` ${email.toUpperCase()} `)
      const { user_id, joined_at, ...rest } = answered(ending)
      if (ending.ok && door.name === 'rest') {
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
      t.deepEqual(await activityOf(pool, user_id), [
        {
          action: 'member.invited',
          target_type: 'user',
          actor_id: staff.admin.id,
          workspace_id: workspace,
          detail: { email, role: 'viewer' },
        },
      ])
      const message = { workspace_id: workspace, q: email }
      const shown = { token: staff.viewer.token }
      const { members } = answered(await door.call('ListMembers', message, shown))
      t.deepEqual(members, [ending.ok && ending.message])
    },
  )

  test.serial(
    `a known and an unknown e-mail answer alike: status, shape and fields ${through}`,
    async (t) => {
      const { invite, staff, workspace } = await openHouse(door)
      const known = newAddress()
      const picture = { name: 'Known', avatar_url: 'https://example.com/known.png' }
      const elsewhere = await seed.workspace()
      const knownId = await seed.user('known', { email: known, ...picture, is_admin: true })
      await seed.member(elsewhere, knownId, 'owner')
      const unknown = newAddress()
      const endings = [await invite(staff.admin, known), await invite(staff.admin, unknown)]
      const shapes = endings.map((ending) => {
        const { user_id, email, ...rest } = answered(ending)
        t.regex(user_id, /^[0-9a-f-]{36}$/)
        t.true([known, unknown].includes(email))
        return {
          ...rest,
          fields: Object.keys(answered(ending)),
          status: ending.ok && ending.status,
        }
      })
      t.deepEqual(shapes[0], shapes[1])
      const details = await Promise.all(
        endings.map(async (ending) => (await activityOf(pool, answered(ending).user_id)).length),
      )
      t.deepEqual(details, [1, 1])
      t.is(answered(endings[0] as never).workspace_id, workspace)
    },
  )

  test.serial(
    `an id does not tell whether the person has signed in before ${through}`,
    async (t) => {
      const { invite, staff } = await openHouse(door)
      const known = world.newcomer()
      await signIn(door, known)
      for (const email of [known, newAddress()]) {
        const { user_id } = answered(await invite(staff.admin, email))
        // A version 7 id holds the time it was made: older than the invitation, it is a known person's.
        t.is(user_id[14], '4', user_id)
      }
    },
  )

  test.serial(
    `inviting again while pending is the same membership, with the new role ${through}`,
    async (t) => {
      const { invite, staff, count } = await openHouse(door)
      const email = newAddress()
      const first = answered(await invite(staff.admin, email))
      const before = await count()
      const again = answered(await invite(staff.owner, email, { role: 'editor' }))
      t.deepEqual(again, { ...first, role: 'editor' })
      t.deepEqual(await count(), { ...before, entries: before.entries + 1 })
      const actions = (await activityOf(pool, first.user_id)).map(
        ({ action, detail, actor_id }) => [...[action, detail.role, actor_id]],
      )
      t.deepEqual(actions, [
        ['member.invited', 'viewer', staff.admin.id],
        ['member.invited', 'editor', staff.owner.id],
      ])
    },
  )

  test.serial(
    `inviting who is a member already is 409 and changes nothing ${through}`,
    async (t) => {
      const { invite, staff, count } = await openHouse(door)
      const email = newAddress()
      const { user_id, workspace_id } = answered(await invite(staff.admin, email))
      await pool.query('update members set joined_at = now() where user_id = $1', [user_id])
      const before = await count()
      for (const role of ['viewer', 'admin']) {
        const fault = refused(await invite(staff.admin, email.toUpperCase(), { role }))
        t.like(fault, { kind: 'conflict', reason: 'ALREADY_A_MEMBER' })
      }
      t.deepEqual(await count(), before)
      const sql = 'select role from members where user_id = $1 and workspace_id = $2'
      t.is((await pool.query(sql, [user_id, workspace_id])).rows[0].role, 'viewer')
    },
  )

  test.serial(
    `what is no plain e-mail address is 422 and leaves nothing behind ${through}`,
    async (t) => {
      const { invite, staff, count } = await openHouse(door)
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
        const fault = refused(await invite(staff.owner, email))
        t.is(fault.kind, 'invalid', email)
        t.deepEqual(
          fault.problems.map(({ field }) => field),
          ['email'],
          email,
        )
      }
      t.deepEqual(await count(), before)
    },
  )

  test.serial(`the role of an invitation is one of four ${through}`, async (t) => {
    const { invite, staff, count } = await openHouse(door)
    const before = await count()
    for (const role of ['Owner', 'member', 'superadmin', ' viewer', '__proto__']) {
      const fault = refused(await invite(staff.owner, newAddress(), { role }))
      t.is(fault.kind, 'invalid', role)
      t.deepEqual(
        fault.problems.map(({ field }) => field),
        ['role'],
      )
    }
    t.deepEqual(await count(), before)
    for (const role of ['owner', 'admin', 'editor', 'viewer'])
      t.is(answered(await invite(staff.owner, newAddress(), { role })).role, role)
  })

  test.serial(`inviting takes an admin ${through}`, async (t) => {
    const { invite, staff, count } = await openHouse(door)
    const before = await count()
    for (const role of ['viewer', 'editor'] as const) {
      const fault = refused(await invite(staff[role], newAddress()))
      t.like(fault, { kind: 'forbidden', reason: 'ROLE_TOO_LOW' })
    }
    t.deepEqual(await count(), before)
  })

  test.serial(
    `a pending invitation changes its role and is withdrawn like a membership ${through}`,
    async (t) => {
      const { invite, staff, workspace, count } = await openHouse(door)
      const before = await count()
      const made = answered(await invite(staff.admin, newAddress()))
      const place = { workspace_id: workspace, user_id: made.user_id }
      const shown = { token: staff.admin.token }
      const changed = await door.call('UpdateMember', { ...place, role: 'editor' }, shown)
      t.deepEqual(answered(changed), { ...made, role: 'editor' })
      answered(await door.call('RemoveMember', place, shown))
      t.is((await count()).members, before.members)
      t.like(refused(await door.call('RemoveMember', place, shown)), { kind: 'missing' })
    },
  )

  test.serial(
    `twenty invitations of one address at once make one person and one membership ${through}`,
    async (t) => {
      const { invite, staff, count } = await openHouse(door)
      const { members } = await count()
      const email = newAddress()
      const endings = await Promise.all(
        Array.from({ length: 20 }, () => invite(staff.admin, email)),
      )
      t.is(new Set(endings.map((ending) => answered(ending).user_id)).size, 1)
      t.is((await count()).members, members + 1)
      t.is((await pool.query('select 1 from users where email = $1', [email])).rows.length, 1)
    },
  )
}
