// Threat: linking by unverified e-mail (promotion); tokens that outlive their user.
import test from 'ava'
import { decodeJwt } from 'jose'
import { type ProviderName, providerNames } from '../../src/identity/providers/provider.ts'
import { readConfig } from '../../src/server/config.ts'
import { expectOk } from '../support/outcome.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import {
  createSignInEnvironment,
  signIn,
  signInAdmin,
  signInAtProvider,
} from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const { ADMIN_EMAILS: adminEmails } = readConfig({
  ADMIN_EMAILS: ' Boss@Example.COM , second@example.com,eve@example.com ',
})
const boss = { name: 'Boss', email: 'BOSS@example.com' }
const eve = { name: 'Eve', email: 'eve@example.com', verified: false }
const people = [boss, eve]
const environment = await createSignInEnvironment({
  people,
  options: { ADMIN_EMAILS: adminEmails },
})
const secure = await createSignInEnvironment({
  people,
  options: {
    ADMIN_EMAILS: adminEmails,
    COOKIE_SECURE: true,
    REFRESH_TOKEN_EXPIRE_DAYS: 900 / 86_400,
    ADMIN_TOKEN_EXPIRE_MINUTES: 1,
  },
})
test.after.always(() => Promise.all([environment.stop(), secure.stop()]))

const adminUrl = 'http://localhost:9004'
const isAdmin = async (email: string) => {
  const { rows } = await environment.pool.query('select is_admin from users where email = $1', [
    email,
  ])
  return rows[0]?.is_admin as boolean | undefined
}
const me = (transport: Transport, admin: string) => transport.call('GetAdminMe', {}, { admin })

/** Signs in an administrator who was promoted in the database. */
async function createAdmin(transport: Transport) {
  const email = environment.addProviderUser()
  await signIn(transport, email, 'github')
  await environment.pool.query('update users set is_admin = true where email = $1', [email])
  const { admin = '' } = await signInAdmin(transport, email, 'github')
  return { email, admin }
}

/** Completes an administrator's login over plain HTTP. */
async function callBack(
  { transports, httpPort }: { transports: Transport[]; httpPort: number },
  email: string,
  provider: ProviderName = 'github',
) {
  const { message } = await signInAtProvider(
    transports[0] as Transport,
    provider,
    email,
    {},
    'BeginAdminLogin',
  )
  const { login_state, provider: _, ...query } = message as Record<string, string>
  const path = `/auth/admin/callback/${provider}?${new URLSearchParams(query)}`
  const prefix = httpPort === secure.httpPort ? '__Host-' : ''
  const cookie = `${prefix}login_${query.state}=${login_state}`
  const { status, headers } = await sendRawHttp(httpPort, { path, headers: { cookie } })
  return { status, location: headers.location, cookies: (headers['set-cookie'] ?? []) as string[] }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a user who is not an administrator is redirected to the login page ${over}`, async (t) => {
    for (const provider of providerNames) {
      const email = environment.addProviderUser()
      const { location, admin } = await signInAdmin(transport, email, provider)
      const url = new URL(location)
      t.is(url.origin + url.pathname, `${adminUrl}/login`)
      t.is(url.searchParams.get('error'), 'not_admin')
      t.is(admin, undefined)
      t.false(location.includes('code='))
      t.is(await isAdmin(email), undefined, 'the refusal has created no user')
    }
  })

  test(`a refusal changes nothing of a user and records who it was ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const id = await environment.seed.user('seeded', { email })
    const stateOf = async () => {
      const { rows } = await environment.pool.query(
        `select u.*, (select count(*)::int from linked_accounts where user_id = u.id) as links,
           (select count(*)::int from members where user_id = u.id) as memberships
         from users u where id = $1`,
        [id],
      )
      return rows[0]
    }
    const before = await stateOf()
    const { location } = await signInAdmin(transport, email, 'github')
    t.is(new URL(location).searchParams.get('error'), 'not_admin')
    t.deepEqual(await stateOf(), before)
    const { rows } = await environment.pool.query(
      'select action, actor_id from activity where target_id = $1',
      [id],
    )
    t.deepEqual(rows, [{ action: 'admin.access_refused', actor_id: id }])
  })

  test(`the refusal of an unknown person names nobody ${over}`, async (t) => {
    const failures = async () => {
      const { rows } = await environment.pool.query(
        `select actor_id from activity
         where action = 'admin.sign_in_failed' and detail ->> 'error' = 'not_admin'`,
      )
      return rows
    }
    const before = await failures()
    await signInAdmin(transport, environment.addProviderUser(), 'github')
    const after = await failures()
    t.true(after.length > before.length)
    t.true(after.every(({ actor_id }) => actor_id === null))
  })

  test(`ADMIN_EMAILS promotes by verified e-mail, whatever its case and spacing ${over}`, async (t) => {
    t.deepEqual(adminEmails, ['boss@example.com', 'second@example.com', 'eve@example.com'])
    for (const provider of providerNames) {
      const { location, admin = '' } = await signInAdmin(transport, boss.email, provider)
      t.is(location, adminUrl)
      t.like(expectOk(await me(transport, admin)), { email: 'boss@example.com', is_admin: true })
    }
  })

  test(`an unverified e-mail in ADMIN_EMAILS does not promote ${over}`, async (t) => {
    for (const provider of providerNames) {
      const { location, admin } = await signInAdmin(transport, eve.email, provider)
      t.is(new URL(location).searchParams.get('error'), 'email_not_verified')
      t.is(admin, undefined)
    }
    t.is(await isAdmin(eve.email), undefined)
  })

  test(`access_denied at the provider redirects to the login page ${over}`, async (t) => {
    for (const provider of providerNames) {
      const { location, admin } = await signInAdmin(transport, '', provider)
      t.true(location.startsWith(`${adminUrl}/login?error=access_denied&`))
      t.is(admin, undefined)
    }
  })

  test(`a similar e-mail does not promote ${over}`, async (t) => {
    for (const email of [
      'xboss@example.com',
      'boss@example.com.evil.example',
      'boss+1@example.com',
    ]) {
      environment.addProviderUser({ email })
      const { location } = await signInAdmin(transport, email, 'github')
      t.is(new URL(location).searchParams.get('error'), 'not_admin', email)
    }
  })

  test(`the user flow also promotes, but issues no admin token ${over}`, async (t) => {
    const email = 'second@example.com'
    if (transport.name === 'grpc') environment.addProviderUser({ email })
    else people.push({ name: 'Second', email })
    const { tokens } = await signIn(transport, email, 'github')
    t.true(await isAdmin(email))
    t.like(await me(transport, tokens.access_token), { ok: false, code: 'unauthenticated' })
  })

  test(`GetAdminMe returns the administrator ${over}`, async (t) => {
    const { email, admin } = await createAdmin(transport)
    const { id, ...rest } = expectOk(await me(transport, admin))
    t.deepEqual(rest, { email, name: 'Ann', avatar_url: '', is_admin: true })
    t.is(id, decodeJwt(admin).sub)
    t.like(await transport.call('GetAdminMe', {}), { ok: false, code: 'unauthenticated' })
  })

  test(`an admin token has exactly the documented claims ${over}`, async (t) => {
    const { email, admin } = await createAdmin(transport)
    const { iat = 0, exp = 0, sub, jti, ...rest } = decodeJwt(admin)
    const about = { email, name: 'Ann', admin: true, type: 'admin_access' }
    t.deepEqual(rest, { ...about, iss: 'http://localhost:8000', aud: 'daikon:admin' })
    t.is(exp - iat, 3600)
    for (const id of [sub, jti]) t.regex(String(id), /^[0-9a-f-]{36}$/)
  })

  test(`logout denies the token and deletes the cookie ${over}`, async (t) => {
    const { admin } = await createAdmin(transport)
    const { tokens } = await signIn(transport, boss.email, 'github')
    t.deepEqual(expectOk(await transport.call('AdminLogout', {}, { admin })), {
      status: 'ok',
      admin_token: '',
    })
    t.like(await me(transport, admin), { ok: false, reason: 'TOKEN_REVOKED' })
    t.like(await transport.call('AdminLogout', {}, { admin }), {
      ok: false,
      code: 'unauthenticated',
    })
    t.true((await transport.call('GetMe', {}, { token: tokens.access_token })).ok)
  })

  test(`the next request returns 403 after a demotion and 401 after a deactivation ${over}`, async (t) => {
    const { email, admin } = await createAdmin(transport)
    const set = (what: string) =>
      environment.pool.query(`update users set ${what} where email = $1`, [email])
    t.true((await me(transport, admin)).ok)
    await set('is_admin = false')
    t.like(await me(transport, admin), {
      ok: false,
      code: 'permission_denied',
      reason: 'NOT_ADMIN',
    })
    await set('is_admin = true')
    t.true((await me(transport, admin)).ok)
    await set('is_active = false')
    t.like(await me(transport, admin), { ok: false, code: 'unauthenticated' })
    const { location } = await signInAdmin(transport, email, 'github')
    t.is(new URL(location).searchParams.get('error'), 'user_inactive')
  })

  test.serial(`an admin token expires after one hour ${over}`, async (t) => {
    t.teardown(() => {
      environment.clock.now = undefined
    })
    const start = Math.floor(Date.now() / 1000) * 1000
    environment.clock.now = new Date(start)
    const { admin } = await createAdmin(transport)
    environment.clock.now = new Date(start + 3_599_000)
    t.true((await me(transport, admin)).ok)
    environment.clock.now = new Date(start + 3_600_000)
    t.like(await me(transport, admin), { ok: false, reason: 'TOKEN_EXPIRED' })
  })
}

test('the admin cookie is HttpOnly, SameSite=Strict, Path=/, Max-Age=3600, and Secure if configured', async (t) => {
  for (const [server, more] of [
    [environment, []],
    [secure, ['Secure']],
  ] as const) {
    const { status, location, cookies } = await callBack(server, boss.email)
    t.is(status, 302)
    t.is(location, adminUrl)
    t.is(cookies.length, 2)
    const [first = '', ...attributes] =
      cookies.find((cookie) => cookie.startsWith('admin_token='))?.split('; ') ?? []
    t.regex(first, /^admin_token=[\w-]+\.[\w-]+\.[\w-]+$/)
    t.deepEqual(
      attributes.filter((text) => !text.startsWith('Expires=')).toSorted(),
      ['HttpOnly', 'Max-Age=3600', 'Path=/', 'SameSite=Strict', ...more].toSorted(),
    )
    t.true(cookies.some((cookie) => /^(__Host-)?login_[\w-]{43}=;/.test(cookie)))
  }
})

test('a user who is not an administrator gets no admin cookie', async (t) => {
  const { status, location, cookies } = await callBack(environment, environment.addProviderUser())
  t.is(status, 302)
  t.true(String(location).startsWith(`${adminUrl}/login?error=not_admin`))
  t.deepEqual(
    cookies.filter((cookie) => cookie.startsWith('admin_token')),
    [],
  )
})

test.after('no internal errors occurred', (t) => {
  t.deepEqual([...environment.failures, ...secure.failures], [])
})
