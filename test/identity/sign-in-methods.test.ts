import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { connectToProvider } from '../support/connections.ts'
import {
  createAuthorizationRequest,
  createOAuthClient,
  readPage,
  signInAtAuthorize,
} from '../support/oauth.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import {
  createSignInEnvironment,
  signInAdmin,
  signInAtProvider,
  signInToApp,
} from '../support/sign-in.ts'

const chosen = await createSignInEnvironment({
  options: { ADMIN_EMAILS: [] },
  settings: { SIGN_IN_METHODS: ['oidc', 'google'], ADMIN_SIGN_IN_METHODS: ['google'] },
})
const boss = `boss-${randomUUID()}@example.com`
const closed = await createSignInEnvironment({
  options: { SIGN_UP: 'invited', ADMIN_EMAILS: [boss] },
})
const promoting = await createSignInEnvironment({
  options: { ADMIN_EMAILS: [boss] },
  settings: { ADMIN_SIGN_IN_METHODS: ['google'] },
})
test.after.always(() => Promise.all([chosen.stop(), closed.stop(), promoting.stop()]))

for (const transport of chosen.transports) {
  const over = `over ${transport.label}`
  const login = {
    redirect_uri: 'https://app.example.com/done?from=daikon',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  }

  test(`the page has a button for each of SIGN_IN_METHODS, in their order ${over}`, async (t) => {
    const client = await createOAuthClient(chosen)
    const { request } = createAuthorizationRequest(client.client_id)
    const page = readPage(expectOk(await transport.call('Authorize', request)))
    const providers = page.urls.map((url) => url.searchParams.get('provider'))
    t.deepEqual(providers.filter(Boolean), ['oidc', 'google'])
    t.true(page.text.includes('Example Company'))
  })

  test(`a method that is off is not found ${over}`, async (t) => {
    for (const provider of ['github', 'microsoft', 'email', 'passkey']) {
      for (const method of ['BeginLogin', 'BeginAdminLogin']) {
        const message = method === 'BeginLogin' ? { provider, ...login } : { provider }
        const { reason } = expectError(await transport.call(method, message))
        t.is(reason, 'PROVIDER_NOT_FOUND', `${method} ${provider}`)
      }
    }
  })

  test(`administrators sign in only by ADMIN_SIGN_IN_METHODS ${over}`, async (t) => {
    const refused = await transport.call('BeginAdminLogin', { provider: 'oidc' })
    t.is(expectError(refused).reason, 'PROVIDER_NOT_FOUND')
    const email = chosen.addProviderUser()
    const { message } = await signInAtProvider(transport, 'google', email, {}, 'BeginAdminLogin')
    const swapped = await transport.call('CompleteAdminLogin', { ...message, provider: 'oidc' })
    t.is(expectError(swapped).reason, 'PROVIDER_NOT_FOUND')
    expectOk(await transport.call('BeginLogin', { provider: 'oidc', ...login }))
  })
}

for (const transport of promoting.transports) {
  test.serial(
    `ADMIN_EMAILS promotes only by ADMIN_SIGN_IN_METHODS over ${transport.label}`,
    async (t) => {
      await promoting.pool.query('delete from users where email = $1', [boss])
      promoting.addProviderUser({ email: boss })
      const isAdmin = async () => {
        const sql = 'select is_admin from users where email = $1'
        return (await promoting.pool.query(sql, [boss])).rows[0].is_admin
      }
      await signInToApp(transport, 'oidc', boss)
      t.false(await isAdmin())
      const { admin } = await signInAdmin(transport, boss, 'google')
      t.truthy(admin)
      t.true(await isAdmin())
    },
  )
}

for (const transport of closed.transports) {
  const over = `over ${transport.label}`
  const errorOf = async (email: string, provider: 'google' | 'oidc' = 'oidc') =>
    (await signInToApp(transport, provider, email)).redirect.searchParams.get('error')

  test.serial(`SIGN_UP=invited refuses people who are not known ${over}`, async (t) => {
    for (const provider of ['google', 'microsoft', 'github', 'oidc'] as const) {
      const email = closed.addProviderUser()
      const { redirect } = await signInToApp(transport, provider, email)
      t.is(redirect.searchParams.get('error'), 'sign_up_closed')
      const { location } = await signInAdmin(transport, email, provider)
      t.regex(location, /\/login\?error=sign_up_closed/)
      const { rows } = await closed.pool.query('select from users where email = $1', [email])
      t.is(rows.length, 0)
    }
  })

  test.serial(
    `SIGN_UP=invited is access_denied at the authorization endpoint ${over}`,
    async (t) => {
      const client = await createOAuthClient(closed)
      const { request } = createAuthorizationRequest(client.client_id)
      const email = closed.addProviderUser()
      const completed = await signInAtAuthorize(transport, email, request, 'oidc')
      const location = new URL(completed.location)
      t.is(location.searchParams.get('error'), 'access_denied')
      t.regex(location.searchParams.get('error_description') ?? '', /have been invited/)
    },
  )

  test.serial(
    `SIGN_UP=invited lets invited people, ADMIN_EMAILS and verified domains in ${over}`,
    async (t) => {
      const invited = closed.addProviderUser()
      await closed.seed.member(
        await closed.seed.workspace(),
        await closed.seed.user('', { email: invited }),
      )
      t.is(await errorOf(invited), null)
      // Somebody who has signed in once is known.
      t.is(await errorOf(invited, 'google'), null)
      await closed.pool.query('delete from users where email = $1', [boss])
      closed.addProviderUser({ email: boss })
      t.is(await errorOf(boss), null)

      const domain = `${randomUUID()}.example`
      const colleague = closed.addProviderUser({ email: `ann@${domain}` })
      t.is(await errorOf(colleague), 'sign_up_closed')
      const admin = await createAdmin(closed)
      await connectToProvider({ ...closed, admin }, transport, domain, {
        ...{ issuer: closed.mock.OIDC_ISSUER, client_id: 'daikon', client_secret: 'secret' },
      })
      t.is(await errorOf(colleague), null)
    },
  )
}
