// Threat: admin CSRF.
import test from 'ava'
import { sendRawHttp } from '../support/raw-requests.ts'
import { createSignInEnvironment, signInAdmin } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const adminUrl = 'http://localhost:9004'
const boss = { name: 'Boss', email: 'boss@example.com' }
const environment = await createSignInEnvironment({
  people: [boss],
  options: { ADMIN_EMAILS: [boss.email] },
})
test.after.always(() => environment.stop())

const me = (transport: Transport, admin: string) => transport.call('GetAdminMe', {}, { admin })
async function obtainAdminToken(transport: Transport): Promise<string> {
  return String((await signInAdmin(transport, boss.email, 'github')).admin)
}

const rest = environment.transports.find(({ name }) => name === 'rest') as Transport
const logOut = (admin: string, headers: Record<string, string>) =>
  sendRawHttp(environment.httpPort, {
    method: 'POST',
    path: '/auth/admin/logout',
    headers: { cookie: `admin_token=${admin}`, ...headers },
  })

test('logout from another site returns 403 and has no effect', async (t) => {
  const admin = await obtainAdminToken(rest)
  for (const headers of [
    {},
    ...['null', 'http://localhost:3000', 'http://localhost:9005', 'http://localhost', 'x', ''].map(
      (origin) => ({ origin }),
    ),
    ...[
      'https://localhost:9004',
      'http://localhost:9004.evil.example',
      'http://127.0.0.1:9004',
    ].map((origin) => ({ origin })),
    ...['http://localhost:9004/', 'http://LOCALHOST:9004', 'https://app.example.com'].map(
      (origin) => ({ origin }),
    ),
    ...['same-site', 'cross-site', 'none', 'Same-Origin'].map((site) => ({
      'sec-fetch-site': site,
    })),
    { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin' },
    { origin: 'same-origin' },
    { referer: `${adminUrl}/` },
  ] as Record<string, string>[]) {
    const { status, json, headers: responseHeaders } = await logOut(admin, headers)
    t.is(status, 403, JSON.stringify(headers))
    t.is(json.reason, 'ORIGIN_REFUSED')
    t.is(responseHeaders['set-cookie'], undefined)
  }
  t.true((await me(rest, admin)).ok)
})

test('logout from the console or from the base URL deletes the cookie', async (t) => {
  for (const headers of [
    { origin: adminUrl },
    { origin: 'http://localhost:8000' },
    { 'sec-fetch-site': 'same-origin' },
  ] as Record<string, string>[]) {
    const admin = await obtainAdminToken(rest)
    const { status, json, headers: responseHeaders } = await logOut(admin, headers)
    t.is(status, 200)
    t.deepEqual(json, { status: 'ok' })
    const [first, ...attributes] = String(responseHeaders['set-cookie']).split('; ')
    t.is(first, 'admin_token=')
    t.deepEqual(attributes.filter((text) => !text.startsWith('Expires=')).toSorted(), [
      'HttpOnly',
      'Max-Age=0',
      'Path=/',
      'SameSite=Strict',
    ])
    t.like(await me(rest, admin), { ok: false, code: 'unauthenticated' })
  }
})

test('gRPC requires no Origin', async (t) => {
  const admin = await obtainAdminToken(rest)
  const grpc = environment.transports.find(({ name }) => name === 'grpc') as Transport
  t.true((await grpc.call('AdminLogout', {}, { admin })).ok)
})

test('logout accepts only POST, and GetAdminMe requires no Origin', async (t) => {
  const admin = await obtainAdminToken(rest)
  const cookie = `admin_token=${admin}`
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE'])
    t.is(
      (
        await sendRawHttp(environment.httpPort, {
          method,
          path: '/auth/admin/logout',
          headers: { cookie },
        })
      ).status,
      405,
    )
  const me = await sendRawHttp(environment.httpPort, {
    path: '/auth/admin/me',
    headers: { cookie },
  })
  t.is(me.status, 200)
})

test('logout without a cookie returns 401 for any Origin', async (t) => {
  for (const headers of [{}, { origin: adminUrl }, { origin: 'null' }] as Record<string, string>[])
    t.is(
      (
        await sendRawHttp(environment.httpPort, {
          method: 'POST',
          path: '/auth/admin/logout',
          headers,
        })
      ).status,
      401,
    )
})

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
