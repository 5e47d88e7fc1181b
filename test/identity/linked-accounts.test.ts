// Threat: recycled e-mail address; linking by e-mail at a provider that is not authoritative for
// the address.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import { setAdministratorByEmail } from '../../src/admin/user-status.ts'
import { providerIds } from '../../src/dev/mock-person.ts'
import { type ProviderName, providerNames } from '../../src/identity/providers/provider.ts'
import { createStores } from '../../src/server/stores.ts'
import { signAccountToken } from '../support/account-page.ts'
import { listActivity } from '../support/activity.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createSignInEnvironment, signIn, signInAdmin, signInToApp } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const boss = `boss-${randomUUID()}@example.com`
const transportNames = ['grpc', 'rest'] as const
const bosses = transportNames.map((name) => `${name}-${boss}`)
const environment = await createSignInEnvironment({ options: { ADMIN_EMAILS: [boss, ...bosses] } })
const { database, pool, seed } = environment
test.after.always(() => environment.stop())

/** A user with a linked account whose subject differs from the mock provider's. */
async function seedLinkedUser(email: string, provider: ProviderName): Promise<string> {
  const id = await seed.user('known', { email })
  await pool.query(
    `insert into linked_accounts (provider, subject, user_id, email)
     values ($1, $4 || gen_random_uuid(), $2, $3)`,
    [provider, id, email, provider === 'oidc' ? `${environment.mock.OIDC_ISSUER}#` : ''],
  )
  return id
}

const errorOf = async (transport: Transport, email: string, provider: ProviderName) =>
  (await signInToApp(transport, provider, email)).redirect.searchParams.get('error')

const providersOf = async (userId: string): Promise<string[]> => {
  const sql = 'select provider from linked_accounts where user_id = $1 order by 1'
  return (await pool.query(sql, [userId])).rows.map(({ provider }) => provider)
}

/** The credentials of the account page in the session of these tokens. */
async function onAccountPage(tokens: Record<string, unknown>) {
  const { sub = '', wid, jti } = decodeJwt<{ wid: string }>(String(tokens.access_token))
  return { token: await signAccountToken(environment, sub, wid, 0, jti) }
}

const isAdmin = async (email: string): Promise<boolean> =>
  (await pool.query('select is_admin from users where email = $1', [email])).rows[0]?.is_admin

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  for (const provider of providerNames) {
    test(`another account of ${provider} is not linked to a user by e-mail ${over}`, async (t) => {
      const email = environment.addProviderUser()
      const id = await seedLinkedUser(email, provider)
      t.is(await errorOf(transport, email, provider), 'account_conflict')
      const { location, admin } = await signInAdmin(transport, email, provider)
      t.is(new URL(location).searchParams.get('error'), 'account_conflict')
      t.is(admin, undefined)
      t.deepEqual(await providersOf(id), [provider])
      const entries = await listActivity(pool, id)
      t.deepEqual(
        entries.map(({ action, actor_id }) => [action, actor_id]),
        Array(2).fill(['user.link_refused', null]),
      )
    })
  }

  test(`a Google account is linked by e-mail only if Google is authoritative for the address ${over}`, async (t) => {
    const cases: [address: string, hostedDomain: string, error: string | null][] = [
      ['example.com', 'example.com', null],
      ['example.com', 'example.org', 'account_conflict'],
      ['sub.example.com', 'example.com', 'account_conflict'],
      ['gmail.com', 'example.org', null],
      ['notgmail.com', 'gmail.com', 'account_conflict'],
    ]
    for (const [domain, hostedDomain, error] of cases) {
      const email = `ann-${randomUUID()}@${domain}`
      environment.addProviderUser({ email, hostedDomain })
      const id = await seedLinkedUser(email, 'github')
      t.is(await errorOf(transport, email, 'google'), error, `${domain} ${hostedDomain}`)
      t.deepEqual(await providersOf(id), error ? ['github'] : ['github', 'google'])
    }
    // A user without other accounts is linked by a verified address.
    const email = environment.addProviderUser({ hostedDomain: 'example.org' })
    t.is(await errorOf(transport, email, 'google'), null)
  })

  test(`a user lists and unlinks accounts, but not the last one ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const { tokens: other } = await signIn(transport, email, 'google')
    const { tokens } = await signIn(transport, email, 'github')
    const credentials = { token: String(tokens.access_token) }
    const list = async () =>
      expectOk(await transport.call('ListAccounts', {}, credentials)).accounts as Account[]
    type Account = { id: string; provider: string; email: string; linked_at: string }
    const page = await onAccountPage(tokens)
    const unlink = (account_id?: string) => transport.call('UnlinkAccount', { account_id }, page)

    const [google, github, ...more] = await list()
    t.deepEqual(more, [])
    t.like(google, { provider: 'google', email })
    t.like(github, { provider: 'github', email })
    t.true(Date.parse(google?.linked_at ?? '') > Date.now() - 60_000)

    const otherUser = await signIn(transport, environment.addProviderUser(), 'github')
    const strangerAccounts = expectOk(
      await transport.call('ListAccounts', {}, { token: otherUser.tokens.access_token }),
    ).accounts
    t.like(expectError(await unlink(strangerAccounts[0].id)), { reason: 'ACCOUNT_NOT_FOUND' })

    const outcomes = await Promise.all([unlink(google?.id), unlink(github?.id)])
    t.deepEqual(outcomes.map(({ ok }) => ok).toSorted(), [false, true])
    const refused = outcomes.find(({ ok }) => !ok)
    t.like(refused, { code: 'already_exists', reason: 'LAST_ACCOUNT' })
    const [last] = await list()
    t.like(expectError(await unlink(last?.id)), { code: 'already_exists', reason: 'LAST_ACCOUNT' })
    t.is((await list()).length, 1)
    // The caller's own session continues; sessions of an unlinked provider end.
    const outcome = await transport.call('GetMe', {}, { token: other.access_token })
    t.is(outcome.ok, last?.provider === 'google')
  })

  test(`an unlinked account no longer signs in its former user ${over}`, async (t) => {
    const email = environment.addProviderUser({ hostedDomain: 'example.org' })
    await signIn(transport, email, 'google')
    const { tokens } = await signIn(transport, email, 'github')
    const credentials = { token: String(tokens.access_token) }
    const { accounts } = expectOk(await transport.call('ListAccounts', {}, credentials))
    const unlink = { account_id: accounts[0].id }
    expectOk(await transport.call('UnlinkAccount', unlink, await onAccountPage(tokens)))
    t.is(await errorOf(transport, email, 'google'), 'account_conflict')
  })

  test(`ADMIN_EMAILS does not promote a demoted administrator again ${over}`, async (t) => {
    const email = bosses[transportNames.indexOf(transport.name)] as string
    environment.addProviderUser({ email })
    const operator = { stores: createStores(database.fork()), principal: {} }
    t.truthy((await signInAdmin(transport, email, 'github')).admin)
    const { rows } = await pool.query(
      `select a.detail, a.actor_id = u.id as is_own from activity a join users u on u.id = a.target_id
       where u.email = $1 and a.action = 'user.promoted'`,
      [email],
    )
    t.deepEqual(rows, [{ detail: { email, by: 'list' }, is_own: true }])
    await seed.user('another', { is_admin: true })
    await setAdministratorByEmail(operator, { email, is_admin: false })
    const { location, admin } = await signInAdmin(transport, email, 'github')
    t.is(new URL(location).searchParams.get('error'), 'not_admin')
    t.is(admin, undefined)
    t.false(await isAdmin(email))
    const { rows: entries } = await pool.query(
      `select a.action, a.detail ->> 'by' as by from activity a join users u on u.id = a.target_id
       where u.email = $1 and a.action in ('user.promoted', 'user.demoted') order by a.id`,
      [email],
    )
    t.deepEqual(entries, [
      { action: 'user.promoted', by: 'list' },
      { action: 'user.demoted', by: 'operator' },
    ])
    await setAdministratorByEmail(
      { stores: createStores(database.fork()), principal: {} },
      { email, is_admin: true },
    )
    t.truthy((await signInAdmin(transport, email, 'github')).admin)
  })
}

test('ADMIN_EMAILS does not promote a user who took over the address at the provider', async (t) => {
  const [transport] = environment.transports as [Transport]
  environment.addProviderUser({ email: boss })
  const email = `old-${boss}`
  const id = await seed.user('old', { email })
  await pool.query(
    'insert into linked_accounts (provider, subject, user_id, email) values ($1, $2, $3, $4)',
    ['github', String(providerIds({ name: '', email: boss }).id), id, email],
  )
  await seed.user('boss', { email: boss })
  await signInToApp(transport, 'github', boss)
  t.false(await isAdmin(email))
  t.false(await isAdmin(boss))
})

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
