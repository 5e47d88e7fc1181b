// Threat: linking by unverified e-mail; e-mail parsing (sign-in).
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { providerIds } from '../../src/dev/mock-person.ts'
import { mockTenant } from '../../src/dev/mock-providers.ts'
import { type ProviderName, providerNames } from '../../src/identity/providers/provider.ts'
import { expectOk } from '../support/outcome.ts'
import {
  createSignInEnvironment,
  obtainCode,
  signIn,
  signInAdmin,
  signInAtProvider,
  signInToApp,
} from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createSignInEnvironment()
const plain = await createSignInEnvironment({ options: { PERSONAL_WORKSPACES: false } })
test.after.always(() => Promise.all([environment.stop(), plain.stop()]))
const { pool, seed } = environment

const usersOf = async (email: string) =>
  (await pool.query('select * from users where email = $1', [email])).rows
const linksOf = async (userId: string) => {
  const sql = 'select provider, subject from linked_accounts where user_id = $1 order by 1'
  return (await pool.query(sql, [userId])).rows
}
const subjectOf: Record<ProviderName, (email: string) => string> = {
  google: (email) => providerIds({ name: '', email }).sub,
  microsoft: (email) => `${mockTenant}:${providerIds({ name: '', email }).oid}`,
  github: (email) => String(providerIds({ name: '', email }).id),
  oidc: (email) => `${environment.mock.OIDC_ISSUER}#${providerIds({ name: '', email }).oid}`,
}
const errorOf = async (transport: Transport, email: string, provider: ProviderName = 'github') =>
  (await signInToApp(transport, provider, email)).redirect.searchParams.get('error')

for (const transport of environment.transports) {
  for (const provider of providerNames) {
    const over = `of ${provider} over ${transport.label}`

    test(`an unverified e-mail links no user or invitation and creates no user ${over}`, async (t) => {
      const unverified = () => environment.addProviderUser({ verified: false })
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
        t.is(await errorOf(transport, email, provider), 'email_not_verified')
        const { location } = await signInAdmin(transport, email, provider)
        t.regex(location, /\/login\?error=email_not_verified/)
      }
      t.is((await linksOf(id)).length, 1)
      t.deepEqual(await linksOf(guest), [])
      t.deepEqual(await usersOf(unknown), [])
    })

    test(`a verified e-mail claims an invitation ${over}`, async (t) => {
      const email = environment.addProviderUser()
      const workspace = await seed.workspace('Invited here')
      const id = await seed.user('', { email, name: '' })
      await seed.member(workspace, id, 'editor')
      const { tokens, workspaces } = await signIn(transport, email, provider)
      t.deepEqual(workspaces, [
        {
          id: workspace,
          name: 'Invited here',
          slug: `w-${workspace}`,
          role: 'editor',
          status: 'active',
          guest: false,
        },
      ])
      const token = String(tokens.access_token)
      t.like(expectOk(await transport.call('GetMe', {}, { token })), { id, email, name: 'Ann' })
      t.deepEqual(await linksOf(id), [{ provider, subject: subjectOf[provider](email) }])
    })

    test(`a linked account keeps its user when its e-mail changes at the provider ${over}`, async (t) => {
      const email = environment.addProviderUser()
      const old = `old-${email}`
      const id = await seed.user('old', { email: old })
      await pool.query(
        'insert into linked_accounts (provider, subject, user_id, email) values ($1, $2, $3, $4)',
        [provider, subjectOf[provider](email), id, old],
      )
      // This holds even though another user has the new address.
      const other = await seed.user('other', { email })
      const { tokens } = await signIn(transport, email, provider)
      const token = String(tokens.access_token)
      t.like(expectOk(await transport.call('GetMe', {}, { token })), {
        id,
        email: old,
        name: 'old',
      })
      t.deepEqual(await linksOf(other), [])
    })

    test(`a linked account signs in with an unverified e-mail ${over}`, async (t) => {
      const email = environment.addProviderUser({ verified: false })
      const id = await seed.user('linked', { email })
      await pool.query(
        'insert into linked_accounts (provider, subject, user_id, email) values ($1, $2, $3, $4)',
        [provider, subjectOf[provider](email), id, email],
      )
      const { tokens } = await signIn(transport, email, provider)
      t.is(expectOk(await transport.call('GetMe', {}, { token: tokens.access_token })).id, id)
    })

    test(`a deactivated user is rejected with user_inactive ${over}`, async (t) => {
      const email = environment.addProviderUser()
      await signIn(transport, email, provider)
      await pool.query('update users set is_active = false where email = $1', [email])
      for (const each of providerNames) t.is(await errorOf(transport, email, each), 'user_inactive')
      const { location, admin } = await signInAdmin(transport, email, provider)
      t.regex(location, /\/login\?error=user_inactive/)
      t.is(admin, undefined)
    })

    test(`10 concurrent first sign-ins create one user, linked account and workspace ${over}`, async (t) => {
      const email = environment.addProviderUser()
      const visits = await Promise.all(
        Array.from({ length: 10 }, () => signInAtProvider(transport, provider, email)),
      )
      const outcomes = await Promise.all(
        visits.map(({ message }) => transport.call('CompleteLogin', message)),
      )
      for (const outcome of outcomes)
        t.true(new URL(expectOk(outcome).location).searchParams.has('code'))
      const [user, ...others] = await usersOf(email)
      t.deepEqual(others, [])
      t.is((await linksOf(user.id)).length, 1)
      const { rows } = await pool.query('select role from members where user_id = $1', [user.id])
      t.deepEqual(rows, [{ role: 'owner' }])
    })
  }

  test(`a verified e-mail links other providers to the same user over ${transport.label}`, async (t) => {
    const email = environment.addProviderUser()
    for (const provider of providerNames) await signIn(transport, email, provider)
    const [user, ...others] = await usersOf(email)
    t.deepEqual(others, [])
    t.deepEqual(
      await linksOf(user.id),
      providerNames
        .map((provider) => ({ provider, subject: subjectOf[provider](email) }))
        .toSorted((a, b) => (a.provider < b.provider ? -1 : 1)),
    )
  })

  test(`concurrent first sign-ins with all providers create one user over ${transport.label}`, async (t) => {
    const email = environment.addProviderUser()
    const all = await Promise.all(providerNames.map((name) => obtainCode(transport, email, name)))
    t.is(new Set(all.map(({ workspaces }) => workspaces[0].id)).size, 1)
    t.is((await usersOf(email)).length, 1)
  })

  test(`an e-mail is stored trimmed and lower-cased over ${transport.label}`, async (t) => {
    const email = ` MiXed-${randomUUID()}@Example.COM `
    environment.addProviderUser({ email })
    await signIn(transport, email, 'google')
    const [user] = await usersOf(email.trim().toLowerCase())
    t.is(user.email, email.trim().toLowerCase())
    // Another spelling of the address belongs to the same user.
    const other = email.trim().toUpperCase()
    environment.addProviderUser({ email: other })
    await signIn(transport, other, 'github')
    t.is((await linksOf(user.id)).length, 2)
  })

  test(`a malformed address is rejected, even if the provider has verified it, over ${transport.label}`, async (t) => {
    const at = randomUUID()
    await seed.user('victim', { email: `${at}@example.com` })
    for (const email of [
      ...[
        `x@${at}@example.com`,
        `"${at}"@example.com`,
        `${at}\uff20example.com`,
        `<${at}@example.com>`,
      ],
      `${at}@example.com.`,
      `${at}@example.com,x@evil.example`,
      `${at}@ex\u00adample.com`,
      at,
    ]) {
      environment.addProviderUser({ email })
      t.is(await errorOf(transport, email, 'google'), 'email_unsupported', email)
    }
  })

  test(`a sign-in does not overwrite a name that the user has chosen over ${transport.label}`, async (t) => {
    const email = environment.addProviderUser()
    const { tokens } = await signIn(transport, email, 'github')
    const token = String(tokens.access_token)
    expectOk(await transport.call('UpdateMe', { name: 'Chosen' }, { token }))
    await signIn(transport, email, 'google')
    t.is(expectOk(await transport.call('GetMe', {}, { token })).name, 'Chosen')
  })

  test(`only the first sign-in creates a personal workspace over ${transport.label}`, async (t) => {
    const email = environment.addProviderUser()
    const first = await obtainCode(transport, email)
    t.is(first.workspaces.length, 1)
    t.like(first.workspaces[0], { role: 'owner', name: 'Ann’s workspace' })
    t.regex(first.workspaces[0].slug, /^[a-z0-9][a-z0-9-]*[a-z0-9]$/)
    t.deepEqual((await obtainCode(transport, email)).workspaces, first.workspaces)
  })
}

for (const transport of plain.transports) {
  test(`PERSONAL_WORKSPACES=false creates no workspace over ${transport.label}`, async (t) => {
    const { workspaces } = await obtainCode(transport, plain.addProviderUser())
    t.deepEqual(workspaces, [])
  })
}

test.after('no internal errors occurred', (t) => {
  t.deepEqual([...environment.failures, ...plain.failures], [])
})
