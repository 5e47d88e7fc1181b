// Threat: a step-up that is only claimed. The guards judge the tokens of real sign-ins; those of the other languages
// judge tokens of test/support/client-cases-server.ts in their own tests.
import { readFile } from 'node:fs/promises'
import test from 'ava'
import express from 'express'
import { createDaikon } from '../../clients/typescript/src/daikon.ts'
import { createGuards as createExpressGuards } from '../../clients/typescript/src/express.ts'
import { createGuards } from '../../clients/typescript/src/web.ts'
import { startCallbackServer } from '../support/oauth-issuer.ts'
import { expectOk } from '../support/outcome.ts'
import {
  addPasskey,
  createPasskeyEnvironment,
  signInToAccount,
  signInWithPasskey,
} from '../support/passkeys.ts'
import { signIn } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

// Imported through a variable so that its types are not loaded: they refer to the DOM types, which change Node's.
const apiFetch: string = '../../clients/browser/src/api-fetch.ts'
const { createApiFetch, readStepUp } = await import(apiFetch)

const environment = await createPasskeyEnvironment()
const { pool, seed, grpcPort } = environment
const { key: serviceKey } = await seed.serviceApp('docs')
const options = { address: `127.0.0.1:${grpcPort}`, service: 'docs', serviceKey }
const daikon = createDaikon({ ...options, deadlineMs: 30_000 })
test.after.always(async () => {
  await daikon.close()
  await environment.stop()
})

const { requireRecent } = createGuards(daikon)

/** Calls a route that a guard protects. */
const createRoute = (required: Parameters<typeof requireRecent>[0]) => {
  const route = requireRecent(required, () => new Response())
  return (token: unknown) =>
    route(
      new Request('https://api.example.com/', { headers: { authorization: `Bearer ${token}` } }),
    )
}

const recent = createRoute({ maxAge: 300 })
const hour = createRoute({ maxAge: 3600 })
const strong = createRoute({ maxAge: 300, acr: 'phr' })

for (const transport of environment.transports) {
  test(`requireRecent admits a recent sign-in with a passkey, and no other over ${transport.label}`, async (t) => {
    const email = environment.addProviderUser()
    const { token } = await signInToAccount(transport, email)
    const { passkey } = await addPasskey(transport, token)
    const byPasskey = await signInWithPasskey(transport, passkey)
    t.is((await strong(byPasskey.access_token)).status, 200)
    t.is((await recent(byPasskey.access_token)).status, 200)

    const { tokens: byProvider } = await signIn(transport, email, 'google')
    t.is((await hour(byProvider.access_token)).status, 200)
    const weak = await strong(byProvider.access_token)
    t.deepEqual(readStepUp(weak), { maxAge: 300, acrValues: 'phr' })

    await pool.query(
      `update refresh_families set authenticated_at = authenticated_at - interval '10 minutes'
       where user_id = (select id from users where email = $1)`,
      [email],
    )
    const { refresh_token } = byPasskey
    const refreshed = expectOk(await transport.call('RefreshToken', { refresh_token }))
    t.deepEqual(readStepUp(await strong(refreshed.access_token)), { maxAge: 300, acrValues: 'phr' })
    t.deepEqual(readStepUp(await recent(refreshed.access_token)), { maxAge: 300 })
    t.is((await createRoute({ acr: 'phr' })(refreshed.access_token)).status, 200)
  })

  test(`requireRecent admits no sign-in of which the provider did not report the time over ${transport.label}`, async (t) => {
    const { tokens } = await signIn(transport, environment.addProviderUser(), 'github')
    t.deepEqual(readStepUp(await recent(tokens.access_token)), { maxAge: 300 })
    t.is((await hour(tokens.access_token)).status, 200)
  })
}

test('the examples of docs/step-up.md run', async (t) => {
  const text = await readFile(new URL('../../docs/step-up.md', import.meta.url), 'utf8')
  const [api = '', page = ''] = [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(
    ([, code]) => code,
  )
  const app = express()
  const deleteAccount: express.RequestHandler = (_request, response) =>
    void response.sendStatus(204)
  new Function('createGuards', 'daikon', 'app', 'deleteAccount', api)(
    createExpressGuards,
    daikon,
    app,
    deleteAccount,
  )
  const origin = await startCallbackServer(t, app)
  const asked: object[] = []
  /** Runs the example of the page with an access token. */
  const run = async (accessToken: string): Promise<Response> => {
    const session = { accessToken } as never
    const manager = { require: async () => session, refresh: async () => session }
    const onStepUp = (stepUp: object) => void asked.push(stepUp)
    const call = createApiFetch({ manager, origins: [origin], onStepUp })
    const browser = { fetch: (path: string, init: RequestInit) => call(origin + path, init) }
    const example = new Function('daikon', `return (async () => {${page}return response})()`)
    return example(browser)
  }
  const [transport] = environment.transports as [Transport]
  const { token } = await signInToAccount(transport, environment.addProviderUser())
  const { passkey } = await addPasskey(transport, token)
  t.is((await run((await signInWithPasskey(transport, passkey)).access_token ?? '')).status, 204)
  t.deepEqual(asked, [])
  const { tokens } = await signIn(transport, environment.addProviderUser(), 'github')
  const refused = await run(tokens.access_token)
  t.deepEqual(asked, [{ maxAge: 300 }])
  const [, documented = ''] = /^WWW-Authenticate: (.*)$/m.exec(text) ?? []
  t.is(refused.headers.get('www-authenticate'), documented)
})
