// Threat: linking by unverified e-mail; e-mail parsing (sign-in).
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { idsOf } from '../../src/cli/local-person.ts'
import { localTenant } from '../../src/cli/local-provider.ts'
import { type ProviderName, providerNames } from '../../src/identity/providers/provider.ts'
import type { Door } from '../support/doors.ts'
import {
  good,
  openSignInWorld,
  signAdminIn,
  signIn,
  takeCode,
  visitApp,
  visitProvider,
} from '../support/sign-in.ts'

const world = await openSignInWorld()
const plain = await openSignInWorld({ options: { personalWorkspaces: false } })
test.after.always(() => Promise.all([world.stop(), plain.stop()]))
const { pool, seed } = world

const usersOf = async (email: string) =>
  (await pool.query('select * from users where email = $1', [email])).rows
const linksOf = async (userId: string) => {
  const sql = 'select provider, subject from linked_accounts where user_id = $1 order by 1'
  return (await pool.query(sql, [userId])).rows
}
const subjectOf: Record<ProviderName, (email: string) => string> = {
  google: (email) => idsOf({ name: '', email }).sub,
  microsoft: (email) => `${localTenant}:${idsOf({ name: '', email }).oid}`,
  github: (email) => String(idsOf({ name: '', email }).id),
}
const errorOf = async (door: Door, email: string, provider: ProviderName = 'github') =>
  (await visitApp(door, provider, email)).redirect.searchParams.get('error')

for (const door of world.doors) {
  for (const provider of providerNames) {
    const through = `of ${provider} through ${door.name}`

    test(`an unverified e-mail opens no user, no invitation and makes none ${through}`, async (t) => {
      const unverified = () => world.newcomer({ verified: false })
      const [known, invited, unknown] = [unverified(), unverified(), unverified()]
      const id = await seed.user('known', { email: known })
      const account = { provider: 'google', subject: randomUUID(), email: known }
      await pool.query(
        'insert into linked_accounts (provider, subject, user_id, email) values ($1, $2, $3, $4)',
        [account.provider, account.subject, id, account.email],
      )
      const guest = await seed.user('', { email: invited })
      await seed.member(await seed.workspace(), guest)
      for (const email of [known, invited, unknown]) {
        t.is(await errorOf(door, email, provider), 'email_not_verified')
        const { location } = await signAdminIn(door, email, provider)
        t.regex(location, /\/login\?error=email_not_verified/)
      }
      t.is((await linksOf(id)).length, 1)
      t.deepEqual(await linksOf(guest), [])
      t.deepEqual(await usersOf(unknown), [])
    })

    test(`a vouched e-mail claims an invitation ${through}`, async (t) => {
      const email = world.newcomer()
      const workspace = await seed.workspace('Invited here')
      const id = await seed.user('', { email, name: '' })
      await seed.member(workspace, id, 'editor')
      const { tokens, workspaces } = await signIn(door, email, provider)
      t.deepEqual(workspaces, [
        { id: workspace, name: 'Invited here', slug: `w-${workspace}`, role: 'editor' },
      ])
      const token = String(tokens.access_token)
      t.like(good(await door.call('GetMe', {}, { token })), { id, email, name: 'Ann' })
      t.deepEqual(await linksOf(id), [{ provider, subject: subjectOf[provider](email) }])
    })

    test(`an e-mail changed upstream keeps the user by subject ${through}`, async (t) => {
      const email = world.newcomer()
      const old = `old-${email}`
      const id = await seed.user('old', { email: old })
      await pool.query(
        'insert into linked_accounts (provider, subject, user_id, email) values ($1, $2, $3, $4)',
        [provider, subjectOf[provider](email), id, old],
      )
      // Even somebody else having the new address changes nothing.
      const other = await seed.user('other', { email })
      const { tokens } = await signIn(door, email, provider)
      const token = String(tokens.access_token)
      t.like(good(await door.call('GetMe', {}, { token })), { id, email: old, name: 'old' })
      t.deepEqual(await linksOf(other), [])
    })

    test(`a linked account signs in without its e-mail being vouched for ${through}`, async (t) => {
      const email = world.newcomer({ verified: false })
      const id = await seed.user('linked', { email })
      await pool.query(
        'insert into linked_accounts (provider, subject, user_id, email) values ($1, $2, $3, $4)',
        [provider, subjectOf[provider](email), id, email],
      )
      const { tokens } = await signIn(door, email, provider)
      t.is(good(await door.call('GetMe', {}, { token: tokens.access_token })).id, id)
    })

    test(`a deactivated user is refused with user_inactive ${through}`, async (t) => {
      const email = world.newcomer()
      await signIn(door, email, provider)
      await pool.query('update users set is_active = false where email = $1', [email])
      for (const each of providerNames) t.is(await errorOf(door, email, each), 'user_inactive')
      const { location, admin } = await signAdminIn(door, email, provider)
      t.regex(location, /\/login\?error=user_inactive/)
      t.is(admin, undefined)
    })

    test(`10 first sign-ins at once make one user, link and workspace ${through}`, async (t) => {
      const email = world.newcomer()
      const visits = await Promise.all(
        Array.from({ length: 10 }, () => visitProvider(door, provider, email)),
      )
      const endings = await Promise.all(
        visits.map(({ message }) => door.call('CompleteLogin', message)),
      )
      for (const ending of endings) t.true(new URL(good(ending).location).searchParams.has('code'))
      const [user, ...others] = await usersOf(email)
      t.deepEqual(others, [])
      t.is((await linksOf(user.id)).length, 1)
      const { rows } = await pool.query('select role from members where user_id = $1', [user.id])
      t.deepEqual(rows, [{ role: 'owner' }])
    })
  }

  test(`a vouched e-mail links further providers to the same user through ${door.name}`, async (t) => {
    const email = world.newcomer()
    for (const provider of providerNames) await signIn(door, email, provider)
    const [user, ...others] = await usersOf(email)
    t.deepEqual(others, [])
    t.deepEqual(
      await linksOf(user.id),
      providerNames
        .map((provider) => ({ provider, subject: subjectOf[provider](email) }))
        .toSorted((a, b) => (a.provider < b.provider ? -1 : 1)),
    )
  })

  test(`first sign-ins with all providers at once make one user through ${door.name}`, async (t) => {
    const email = world.newcomer()
    const all = await Promise.all(providerNames.map((name) => takeCode(door, email, name)))
    t.is(new Set(all.map(({ workspaces }) => workspaces[0].id)).size, 1)
    t.is((await usersOf(email)).length, 1)
  })

  test(`an e-mail is stored trimmed and lower-cased through ${door.name}`, async (t) => {
    const email = ` MiXed-${randomUUID()}@Example.COM `
    world.newcomer({ email })
    await signIn(door, email, 'google')
    const [user] = await usersOf(email.trim().toLowerCase())
    t.is(user.email, email.trim().toLowerCase())
    // Another spelling of it is the same person.
    const other = email.trim().toUpperCase()
    world.newcomer({ email: other })
    await signIn(door, other, 'github')
    t.is((await linksOf(user.id)).length, 2)
  })

  test(`what is no plain address opens nothing, vouched for or not, through ${door.name}`, async (t) => {
    const at = randomUUID()
    await seed.user('victim', { email: `${at}@example.com` })
    for (const email of [
      ...[
        `x@${at}@example.com`,
        `"${at}"@example.com`,
        `${at}\uff20example.com`,
        `<${at}@example.com>`,
      ],
      ...[`${at}@example.com.`, `${at}@example.com,x@evil.example`, `${at}@ex\u00adample.com`, at],
    ]) {
      world.newcomer({ email })
      t.is(await errorOf(door, email, 'google'), 'email_not_verified', email)
    }
  })

  test(`a name one has chosen stays one's own through ${door.name}`, async (t) => {
    const email = world.newcomer()
    const { tokens } = await signIn(door, email, 'github')
    const token = String(tokens.access_token)
    good(await door.call('UpdateMe', { name: 'Chosen' }, { token }))
    await signIn(door, email, 'google')
    t.is(good(await door.call('GetMe', {}, { token })).name, 'Chosen')
  })

  test(`who has a workspace gets no other, who has none gets one through ${door.name}`, async (t) => {
    const email = world.newcomer()
    const first = await takeCode(door, email)
    t.is(first.workspaces.length, 1)
    t.like(first.workspaces[0], { role: 'owner', name: 'Ann’s workspace' })
    t.regex(first.workspaces[0].slug, /^[a-z0-9][a-z0-9-]*[a-z0-9]$/)
    t.deepEqual((await takeCode(door, email)).workspaces, first.workspaces)
  })
}

for (const door of plain.doors) {
  test(`PERSONAL_WORKSPACES=false makes none through ${door.name}`, async (t) => {
    const { workspaces } = await takeCode(door, plain.newcomer())
    t.deepEqual(workspaces, [])
  })
}

test.after('nothing of it was a fault of ours', (t) => {
  t.deepEqual([...world.failures, ...plain.failures], [])
})
