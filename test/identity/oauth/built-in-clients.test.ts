import test from 'ava'
import { registerConsoleClient } from '../../../src/identity/built-in-clients.ts'
import { consoleClientId } from '../../../src/identity/store/client-store.ts'
import { createStores } from '../../../src/server/stores.ts'
import { createAdmin } from '../../support/admin.ts'
import { createAuthorizationRequest } from '../../support/oauth.ts'
import { expectError, expectOk } from '../../support/outcome.ts'
import { createSignInEnvironment } from '../../support/sign-in.ts'

const environment = await createSignInEnvironment()
const admin = await createAdmin(environment)
const adminUrl = 'https://admin.example.com'
const register = (url: string) =>
  registerConsoleClient(createStores(environment.database.fork()), url)
await register('https://former.example.com')
// Nodes that start at the same time.
await Promise.all([adminUrl, `${adminUrl}/`, adminUrl].map(register))
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`the workspace console signs in at the current address alone ${over}`, async (t) => {
    const authorize = (redirect_uri: string, more: object = {}) => {
      const { request } = createAuthorizationRequest(consoleClientId, { redirect_uri, ...more })
      return transport.call('Authorize', request)
    }
    expectOk(await authorize(`${adminUrl}/w/callback`))
    for (const uri of [`${adminUrl}/w/other`, 'https://former.example.com/w/callback']) {
      t.is(expectError(await authorize(uri)).code, 'failed_precondition', uri)
    }
    const { location } = expectOk(
      await authorize(`${adminUrl}/w/callback`, { code_challenge: undefined }),
    )
    t.is(new URL(location).searchParams.get('error'), 'invalid_request')
  })

  test(`administrators neither see nor change the client of the console ${over}`, async (t) => {
    const { client_apps: apps } = expectOk(await admin.call(transport, 'ListClientApps'))
    t.false(apps.some(({ id }: { id: string }) => id === consoleClientId))
    const target = { client_app_id: consoleClientId }
    for (const [method, more] of [
      ['GetClientApp', {}],
      ['UpdateClientApp', { is_active: false, redirect_uris: [] }],
      ['RotateClientApp', {}],
      ['DeleteClientApp', {}],
    ] as const) {
      const outcome = await admin.call(transport, method, { ...target, ...more })
      t.is(expectError(outcome).code, 'not_found', method)
    }
  })
}

test('the origin of the console may call the API with tokens', async (t) => {
  const url = `http://127.0.0.1:${environment.httpPort}/users/me`
  const response = await fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin: adminUrl,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization,if-match',
    },
  })
  t.is(response.headers.get('access-control-allow-origin'), adminUrl)
})

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
