// People sign in by codes and passkeys while a node of the last release, which knows neither, uses the same database.
// Threat: a step-up that is only claimed; an old node takes what a new one has limited for more.
import { join } from 'node:path'
import test from 'ava'
import { decodeJwt } from 'jose'
import { type NodeProcess, startNode } from '../../bench/faults/node-process.ts'
import { registerAccountClient } from '../../src/identity/account-client.ts'
import { accountClientId } from '../../src/identity/store/client-store.ts'
import { createStores } from '../../src/server/stores.ts'
import { findLastRelease } from '../../tools/last-release.ts'
import { signInToAccountPage, signInToLink } from '../support/account-page.ts'
import { createAdmin } from '../support/admin.ts'
import { createEmailEnvironment, Visitor } from '../support/email-sign-in.ts'
import { createAuthorizationRequest, createOAuthClient, issuer } from '../support/oauth.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import {
  addPasskey,
  assertIn,
  beginSignIn,
  comeBack,
  openOf,
  signInWithPasskey,
} from '../support/passkeys.ts'
import { signIn, signInAtProvider } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'
import { checkOut } from '../support/upgrade/release.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await createEmailEnvironment({
  options: { SIGN_IN_METHODS: ['google', 'github', 'email', 'passkey'] },
})
const { pool, mock, httpPort, databaseUrl } = environment
await registerAccountClient(createStores(environment.database.fork()), issuer)
const teardowns: (() => unknown)[] = []
const release = findLastRelease()

async function startOlderNode(commit: string): Promise<NodeProcess> {
  const folder = checkOut({ teardown: (run: () => unknown) => teardowns.push(run) }, commit)
  const keys = process.env.TEST_KEYS ?? ''
  const settings = {
    ...mock,
    DATABASE_URL: databaseUrl,
    JWT_PRIVATE_KEY_PATH: join(keys, 'private.pem'),
    JWT_PUBLIC_KEY_PATH: join(keys, 'public.pem'),
    SESSION_SECRET_KEY: 'a secret of the tests',
  }
  const node = await startNode(settings, folder)
  teardowns.unshift(() => node.kill())
  return node
}

/** Repeats a sign-in that fails: the older node waits ten seconds for the provider, too few on a busy machine. */
async function patiently<Value>(signIn: () => Promise<Value>, tries = 3): Promise<Value> {
  return signIn().catch((error) => {
    if (tries > 1) return patiently(signIn, tries - 1)
    throw error
  })
}

/** The claims about the sign-in. */
function readSignIn({ access_token }: { access_token?: string }) {
  const { auth_time, auth_time_unconfirmed, amr, acr } = decodeJwt(access_token ?? '')
  return { auth_time, auth_time_unconfirmed, amr, acr }
}

const older = release && (await startOlderNode(release))
test.after.always(async () => {
  for (const teardown of teardowns) await teardown()
  await environment.stop()
})

if (older) {
  for (const [index, transport] of environment.transports.entries()) {
    const over = `over ${transport.label}`
    const old = older.transports[index] as Transport
    const refreshAt = async (node: Transport, { refresh_token }: Record<string, any>) =>
      expectOk(await node.call('RefreshToken', { refresh_token }))

    test(`the older node signs people in, and continues what a new one began ${over}`, async (t) => {
      const { tokens } = await patiently(() => signIn(old, environment.addProviderUser()))
      const refreshed = await refreshAt(transport, tokens)
      const back = await refreshAt(old, refreshed)
      expectOk(await old.call('GetMe', {}, { token: back.access_token }))
      t.is(readSignIn(refreshed).acr, undefined)
      for (const [begin, complete] of [
        [transport, old],
        [old, transport],
      ] as const) {
        const code = await patiently(async () => {
          const email = environment.addProviderUser()
          const { message } = await signInAtProvider(begin, 'google', email)
          const { location } = expectOk(await complete.call('CompleteLogin', message))
          return new URL(location).searchParams.get('code') ?? Promise.reject(location)
        })
        t.is(code.length, 43)
      }
    })

    test(`a session by a passkey is neither stronger nor younger after the older node ${over}`, async (t) => {
      const page = await signInToAccountPage(environment, transport)
      const { passkey } = await addPasskey(transport, page.token)
      const tokens = await signInWithPasskey(transport, passkey)
      expectOk(await old.call('GetMe', {}, { token: tokens.access_token ?? '' }))
      const renewed = await refreshAt(old, tokens)
      t.is(readSignIn(renewed).acr, undefined)
      t.deepEqual(readSignIn(await refreshAt(transport, renewed)), readSignIn(tokens))

      // The browser session, with which the older node issues a code.
      const app = await createOAuthClient(environment)
      const chosen = createAuthorizationRequest(app.client_id, { provider: 'passkey' })
      const begun = expectOk(await transport.call('Authorize', chosen.request))
      const { browser_session } = await comeBack(transport, openOf(begun), passkey)
      await pool.query(
        `update browser_sessions set authenticated_at = authenticated_at - interval '2 hours'
         where secret_hash = encode(sha256($1), 'hex')`,
        [browser_session],
      )
      const silent = createAuthorizationRequest(app.client_id, { prompt: 'none' })
      const { location } = expectOk(
        await old.call('Authorize', { ...silent.request, browser_session }),
      )
      const issued = expectOk(
        await transport.call('IssueToken', {
          grant_type: 'authorization_code',
          client_id: app.client_id,
          code: new URL(location).searchParams.get('code') ?? '',
          redirect_uri: silent.request.redirect_uri,
          code_verifier: silent.verifier,
        }),
      )
      t.true(Number(readSignIn(issued).auth_time) < Date.now() / 1000 - 7100)
    })

    test(`a session by a code goes on at the older node ${over}`, async (t) => {
      const email = `code-${index}@example.com`
      const visitor = new Visitor({ httpPort })
      const { verifier: code_verifier, state } = await visitor.begin()
      await visitor.ask(email, state)
      await environment.work()
      const { code = '' } = await visitor.finish(state, environment.codeOf(email))
      const { workspaces } = expectOk(await old.call('ListCodeWorkspaces', { code }))
      const exchange = { code, code_verifier, workspace_id: workspaces[0].id }
      const tokens = expectOk(await old.call('ExchangeToken', exchange))
      const back = await refreshAt(transport, tokens)
      t.is(readSignIn(back).acr, undefined)
      t.is(expectOk(await old.call('GetMe', {}, { token: back.access_token })).email, email)
    })

    test(`the older node completes no sign-in by a code or passkey, and links nothing ${over}`, async (t) => {
      const page = await signInToAccountPage(environment, transport)
      const { passkey } = await addPasskey(transport, page.token)
      const open = await beginSignIn(transport)
      const { location } = expectOk(await assertIn(transport, open, passkey))
      const { code, state } = Object.fromEntries(new URL(location).searchParams)
      const callback = { code, state, login_state: open.login_state }
      for (const [provider, reason] of [
        ['passkey', 'PROVIDER_NOT_FOUND'],
        ['google', 'STATE_REFUSED'],
      ] as const) {
        const refused = await old.call('CompleteLogin', { ...callback, provider })
        t.is(expectError(refused).reason, reason)
      }
      // The new node still does.
      expectOk(await transport.call('CompleteLogin', { ...callback, provider: 'passkey' }))

      const email = environment.addProviderUser()
      const message = await signInToLink(transport, page, email)
      t.false((await old.call('CompleteLogin', message)).ok)
      const { rows } = await pool.query('select 1 from linked_accounts where email = $1', [email])
      t.deepEqual(rows, [])
    })

    test(`tokens from the older node do not change the account ${over}`, async (t) => {
      const page = await signInToAccountPage(environment, transport)
      const change = (access_token: string) =>
        transport.call('SetEmailSignIn', { enabled: true }, { token: access_token })
      expectOk(await change(page.token))
      const { refresh_token } = page.tokens
      const client = { client_id: accountClientId }
      const grant = { ...client, grant_type: 'refresh_token', refresh_token }
      const renewed = expectOk(await old.call('IssueToken', grant))
      t.is(expectError(await change(renewed.access_token)).reason, 'SIGN_IN_TOO_OLD')

      const redirect_uri = `${issuer}/account/callback`
      const silent = createAuthorizationRequest(accountClientId, { prompt: 'none', redirect_uri })
      const { location } = expectOk(
        await old.call('Authorize', { ...silent.request, browser_session: page.cookie }),
      )
      const code = new URL(location).searchParams.get('code') ?? ''
      const byCode = { ...client, grant_type: 'authorization_code', code, redirect_uri }
      for (const node of [old, transport]) {
        const tokens = await node.call('IssueToken', { ...byCode, code_verifier: silent.verifier })
        if (node === transport) t.is(expectError(tokens).reason, 'INVALID_GRANT')
        else {
          const { access_token } = expectOk(tokens)
          t.is(expectError(await change(access_token)).reason, 'SIGN_IN_TOO_OLD')
        }
      }
    })

    test(`the older node removes passkeys, which then sign nobody in ${over}`, async (t) => {
      const page = await signInToAccountPage(environment, transport)
      const { passkey, passkeyId } = await addPasskey(transport, page.token)
      const { token } = page
      const { accounts } = expectOk(await old.call('ListAccounts', {}, { token }))
      t.deepEqual(
        accounts.map(({ provider }: { provider: string }) => provider),
        ['google', 'passkey'],
      )
      expectOk(await old.call('UnlinkAccount', { account_id: passkeyId }, { token }))
      const refused = await assertIn(transport, await beginSignIn(transport), passkey)
      t.is(expectError(refused).reason, 'PASSKEY_UNKNOWN')
      t.deepEqual(expectOk(await transport.call('ListPasskeys', {}, { token })).passkeys, [])
    })

    test(`what the older node would not enforce is refused ${over}`, async (t) => {
      const { workspace, people, as } = await createWorkspaceFixture(environment, transport)
      const refusal = { workspace_id: workspace, email_sign_in: false }
      const api = { uri: `https://api-${index}.example.com`, name: 'Files', scopes: [] }
      const admin = await createAdmin(environment)
      const app = { name: 'Files', service_name: `files-${index}`, api_resources: [api] }
      for (const outcome of [
        await transport.call('UpdateWorkspace', refusal, as(people.owner)),
        await admin.call(transport, 'CreateServiceApp', app),
      ])
        t.like(expectError(outcome), { code: 'already_exists', reason: 'ROLLOUT_IN_PROGRESS' })
    })
  }
} else {
  test('this clone does not have the commit of the last release', (t) => t.pass())
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
