// Threat: a page that opens daikon in a window keeps a handle to it.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../../support/admin.ts'
import {
  createAuthorizationRequest,
  createOAuthClient,
  signInWithOAuth,
} from '../../support/oauth.ts'
import { expectOk } from '../../support/outcome.ts'
import { createPkce, createSignInEnvironment, signInAtProvider } from '../../support/sign-in.ts'
import type { Outcome } from '../../support/transports.ts'

const environment = await createSignInEnvironment()
const { seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const newUri = () => `https://popup.example.com/${randomUUID()}`

/** The policy of a response: the header over REST, the field over gRPC. */
const policyOf = (outcome: Outcome) => {
  const { opener_policy } = expectOk(outcome)
  return opener_policy ?? 'same-origin'
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const call = (method: string, message: object) => transport.call(method, message)

  for (const popup_sign_in of [true, false]) {
    const expected = popup_sign_in ? 'unsafe-none' : 'same-origin'
    const title = popup_sign_in ? 'keep' : 'lose'

    test(`windows ${title} their opener at /oauth/authorize and /oauth/logout ${over}`, async (t) => {
      const uri = newUri()
      const client = await createOAuthClient(environment, { popup_sign_in }, [uri])
      const { request } = createAuthorizationRequest(client.client_id, { redirect_uri: uri })
      const email = environment.addProviderUser()
      const page = await call('Authorize', request)
      const begun = await call('Authorize', { ...request, provider: 'google' })
      const policies = [page, begun].map(policyOf)
      const calls: Outcome[] = []
      const recording = {
        ...transport,
        call: async (...line: Parameters<typeof transport.call>) => {
          const outcome = await transport.call(...line)
          if (line[0] !== 'IssueToken') calls.push(outcome)
          return outcome
        },
      }
      const options = { client, email, request: { redirect_uri: uri } }
      const { browser_session, tokens } = await signInWithOAuth(environment, recording, options)
      t.is(calls.length, 2)
      policies.push(...calls.map(policyOf))
      const silent = { ...request, browser_session, prompt: 'none' }
      policies.push(policyOf(await call('Authorize', silent)))
      policies.push(policyOf(await call('Authorize', { ...silent, response_type: 'x' })))
      const { client_id } = client
      policies.push(policyOf(await call('EndBrowserSession', { client_id, browser_session })))
      const { id_token: id_token_hint } = tokens
      policies.push(policyOf(await call('EndBrowserSession', { id_token_hint, browser_session })))
      t.deepEqual([...new Set(policies)], [expected])
    })

    test(`windows ${title} their opener at /auth/login ${over}`, async (t) => {
      const uri = newUri()
      await seed.clientApp([uri], { popup_sign_in })
      const challenge = { code_challenge: createPkce().challenge, code_challenge_method: 'S256' }
      const request = { provider: 'google', redirect_uri: uri, ...challenge }
      t.is(policyOf(await call('BeginLogin', request)), expected)
      for (const email of [environment.addProviderUser(), '']) {
        const line = { redirect_uri: uri }
        const { message } = await signInAtProvider(transport, 'google', email, line)
        t.is(policyOf(await call('CompleteLogin', message)), expected)
      }
    })
  }

  test(`an app without popups that shares the redirect URI keeps windows apart ${over}`, async (t) => {
    const uri = newUri()
    await seed.clientApp([uri], { popup_sign_in: true })
    await seed.clientApp([uri])
    const challenge = { code_challenge: createPkce().challenge, code_challenge_method: 'S256' }
    const request = { provider: 'google', redirect_uri: uri, ...challenge }
    t.is(policyOf(await call('BeginLogin', request)), 'same-origin')
  })

  test(`administrators change the setting, and the change is recorded ${over}`, async (t) => {
    const manage = async (method: string, message: object) =>
      expectOk(await admin.call(transport, method, message))
    const app = { name: 'Docs', redirect_uris: [newUri()] }
    t.false((await manage('CreateClientApp', app)).popup_sign_in)
    const redirect_uris = [newUri()]
    const created = await manage('CreateClientApp', { ...app, redirect_uris, popup_sign_in: true })
    t.true(created.popup_sign_in)
    const update = (more: object) =>
      manage('UpdateClientApp', { client_app_id: created.id, redirect_uris: [], ...more })
    t.true((await update({ name: 'Docs 2' })).popup_sign_in)
    t.false((await update({ popup_sign_in: false })).popup_sign_in)
    const { rows } = await environment.pool.query(
      `select action, detail ->> 'popup_sign_in' as popup from activity
       where target_id = $1 order by id`,
      [created.id],
    )
    t.deepEqual(
      rows.map(({ action, popup }) => [action, popup]),
      [
        ['client_app.created', 'true'],
        ['client_app.updated', 'true'],
        ['client_app.updated', 'false'],
      ],
    )
  })
}

test('the callback of the admin console keeps windows apart', async (t) => {
  const response = await fetch(`http://127.0.0.1:${environment.httpPort}/auth/admin/login/google`, {
    redirect: 'manual',
  })
  t.is(response.headers.get('cross-origin-opener-policy'), 'same-origin')
})

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
