// Threat: failure taken for success (sign-in).
import test from 'ava'
import { cloneDatabase } from '../support/database.ts'
import { waitUntilBlocked } from '../support/lock-waits.ts'
import { createAuthorizationRequest, createOAuthClient, signInWithOAuth } from '../support/oauth.ts'
import { expectOk } from '../support/outcome.ts'
import { startDatabaseProxy } from '../support/proxy.ts'
import { createSeed } from '../support/seed.ts'
import {
  appUri,
  createPkce,
  createSignInEnvironment,
  obtainCode,
  signIn,
  signInAdmin,
  signInAtProvider,
} from '../support/sign-in.ts'
import type { Outcome, Transport } from '../support/transports.ts'

const boss = { name: 'Boss', email: 'boss@example.com' }
const database = await cloneDatabase()
const proxy = await startDatabaseProxy(database.url)
const environment = await createSignInEnvironment({
  people: [boss],
  options: { ADMIN_EMAILS: [boss.email] },
  databaseUrl: proxy.url,
})
const seed = createSeed(database.pool)
await seed.clientApp([appUri])
const client = await createOAuthClient({ seed, pool: database.pool })
test.after.always(async () => {
  await environment.stop()
  await proxy.close()
  await database.drop()
})

const isUnavailable = (outcome: Outcome | undefined) =>
  outcome?.ok === false && outcome.code === 'unavailable' && outcome.retryAfter === 1
const isDenied = (outcome: Outcome) => !outcome.ok && outcome.code === 'unauthenticated'

/** Prepares one call of every method that a sign-in and its tokens involve. */
async function prepare(transport: Transport) {
  const email = environment.addProviderUser()
  const { tokens } = await signIn(transport, email, 'github')
  const { exchange } = await obtainCode(transport, email)
  const { message } = await signInAtProvider(transport, 'github', email)
  const begin = { provider: 'github', redirect_uri: appUri, code_challenge_method: 'S256' }
  const adminLogin = await signInAtProvider(transport, 'github', boss.email, {}, 'BeginAdminLogin')
  const { admin = '' } = await signInAdmin(transport, boss.email, 'github')
  const oauth = await signInWithOAuth(environment, transport, { client })
  const { browser_session } = oauth
  const authorization = createAuthorizationRequest(client.client_id, { prompt: 'none' })
  const { request } = authorization
  const redirect = expectOk(await transport.call('Authorize', { ...request, browser_session }))
  const redemption = {
    ...oauth.exchange,
    code: new URL(redirect.location).searchParams.get('code'),
    code_verifier: authorization.verifier,
  }
  const oauthToken = oauth.tokens.access_token as string
  const signOut = { id_token_hint: oauth.tokens.id_token, browser_session }
  const { access_token: token, refresh_token } = tokens
  const code_challenge = createPkce().challenge
  return {
    BeginLogin: () => transport.call('BeginLogin', { ...begin, code_challenge }),
    CompleteLogin: () => transport.call('CompleteLogin', message),
    CompleteAdminLogin: () => transport.call('CompleteAdminLogin', adminLogin.message),
    ListCodeWorkspaces: () => transport.call('ListCodeWorkspaces', { code: exchange.code }),
    ExchangeToken: () => transport.call('ExchangeToken', exchange),
    RefreshToken: () => transport.call('RefreshToken', { refresh_token }),
    Authorize: () => transport.call('Authorize', { ...request, browser_session }),
    IssueToken: () => transport.call('IssueToken', redemption),
    GetUserInfo: () => transport.call('GetUserInfo', {}, { token: oauthToken }),
    RevokeToken: () => transport.call('RevokeToken', { token: oauthToken, ...client }),
    EndBrowserSession: () => transport.call('EndBrowserSession', signOut),
    GetMe: () => transport.call('GetMe', {}, { token }),
    ListSessions: () => transport.call('ListSessions', {}, { token }),
    EndOtherSessions: () => transport.call('EndOtherSessions', {}, { token }),
    Logout: () => transport.call('Logout', {}, { token }),
    GetAdminMe: () => transport.call('GetAdminMe', {}, { admin }),
    AdminLogout: () => transport.call('AdminLogout', {}, { admin }),
  }
}

/** Waits until the node has reconnected to PostgreSQL. */
async function waitUntilAvailable(probe: () => Promise<Outcome>) {
  for (;;) {
    const outcome = await probe()
    if (outcome.ok || outcome.code !== 'unavailable') return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

for (const transport of environment.transports) {
  test.serial(
    `without PostgreSQL every call returns 503 and has no effect over ${transport.label}`,
    async (t) => {
      const calls = await prepare(transport)
      await proxy.cut()
      for (const [name, call] of Object.entries(calls)) {
        const outcome = await call()
        t.true(isUnavailable(outcome), `${name}: ${JSON.stringify(outcome)}`)
        t.is(outcome.headers.location, undefined)
        t.is(outcome.headers['set-cookie'], undefined)
      }
      await proxy.open()
      await waitUntilAvailable(calls.ListSessions)
      // The failed calls had no effect, so all of them succeed now.
      for (const [name, call] of Object.entries(calls)) {
        const outcome = await call()
        t.true(outcome.ok, `${name}: ${JSON.stringify(outcome)}`)
      }
      t.true(isDenied(await calls.GetMe()))
      t.true(isDenied(await calls.GetAdminMe()))
      t.true(isDenied(await calls.RefreshToken()))
    },
  )

  test.serial(
    `a transaction that loses its connection returns 503 and is rolled back over ${transport.label}`,
    async (t) => {
      for (const [name, table] of [
        ['ExchangeToken', 'refresh_families'],
        ['RefreshToken', 'refresh_families'],
        ['Logout', 'denied_tokens'],
      ] as const) {
        const calls = await prepare(transport)
        const client = await database.pool.connect()
        try {
          await client.query(`begin; lock table ${table} in exclusive mode`)
          const pending = calls[name]()
          await waitUntilBlocked(database.pool)
          await proxy.cut()
          t.true(isUnavailable(await pending), name)
        } finally {
          await client.query('rollback')
          client.release()
          await proxy.open()
        }
        await waitUntilAvailable(calls.ListSessions)
        t.true((await calls.GetMe()).ok, name)
        t.true((await calls.GetAdminMe()).ok, name)
        t.true((await calls[name]()).ok, name)
      }
    },
  )
}

test.after('no internal errors occurred', (t) => {
  t.deepEqual(
    environment.failures.filter(({ code }) => code === 'internal'),
    [],
  )
})
