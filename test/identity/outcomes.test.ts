import test from 'ava'
import type { ReplayedSecret, SignInOutcome } from '../../src/identity/identity-dependencies.ts'
import { expectOk } from '../support/outcome.ts'
import { createSignInEnvironment, signIn, signInAtProvider } from '../support/sign-in.ts'

const boss = { name: 'Boss', email: 'boss@example.com' }
const eve = { name: 'Eve', email: 'eve@example.com', verified: false }
const outcomes: SignInOutcome[] = []
const replays: ReplayedSecret[] = []
const environment = await createSignInEnvironment({
  people: [boss, eve],
  options: { ADMIN_EMAILS: [boss.email] },
  dependencies: {
    observers: {
      onSignIn: (outcome) => outcomes.push(outcome),
      onReplay: (secret) => replays.push(secret),
    },
  },
})
test.after.always(() => environment.stop())

const flows = [
  { flow: 'user', begin: 'BeginLogin', complete: 'CompleteLogin' },
  { flow: 'admin', begin: 'BeginAdminLogin', complete: 'CompleteAdminLogin' },
] as const

for (const transport of environment.transports) {
  test.serial(`reused secrets are reported over ${transport.label}`, async (t) => {
    replays.length = 0
    const { message } = await signInAtProvider(transport, 'github', environment.addProviderUser())
    expectOk(await transport.call('CompleteLogin', message))
    const { tokens, exchange } = await signIn(transport, environment.addProviderUser(), 'github')
    const { refresh_token } = tokens
    expectOk(await transport.call('RefreshToken', { refresh_token }))
    t.deepEqual(replays, [])

    t.false((await transport.call('CompleteLogin', message)).ok)
    t.deepEqual(replays.splice(0), ['sign_in_state'])
    t.false((await transport.call('RefreshToken', { refresh_token })).ok)
    t.deepEqual(replays.splice(0), ['refresh_token'])
    t.false((await transport.call('ExchangeToken', exchange)).ok)
    t.deepEqual(replays.splice(0), ['authorization_code'])
    // The session has ended, so nothing is left to replay.
    t.false((await transport.call('RefreshToken', { refresh_token })).ok)
    t.deepEqual(replays, [])
  })

  for (const { flow, begin, complete } of flows) {
    const over = `in the ${flow} flow over ${transport.label}`

    /** Completes a login and returns the outcomes that were reported for it. */
    async function completeLogin(email: string, changes: Record<string, string> = {}) {
      const { message } = await signInAtProvider(transport, 'github', email, {}, begin)
      outcomes.length = 0
      await transport.call(complete, { ...message, ...changes })
      return outcomes.splice(0)
    }

    test.serial(`every completed login is reported once ${over}`, async (t) => {
      const provider = 'github'
      t.deepEqual(await completeLogin(boss.email), [{ flow, provider, outcome: 'ok' }])
      t.deepEqual(await completeLogin(eve.email), [
        { flow, provider, outcome: 'email_not_verified' },
      ])
      t.deepEqual(await completeLogin(''), [{ flow, provider, outcome: 'access_denied' }])
      t.deepEqual(await completeLogin(boss.email, { code: 'x' }), [
        { flow, provider, outcome: 'provider_error' },
      ])
      const outcome = flow === 'admin' ? 'not_admin' : 'ok'
      t.deepEqual(await completeLogin(environment.addProviderUser()), [{ flow, provider, outcome }])
    })

    test.serial(`a login of an inactive user is reported ${over}`, async (t) => {
      const email = environment.addProviderUser()
      await environment.seed.user('inactive', { email, is_active: false })
      const [reported, ...others] = await completeLogin(email)
      t.deepEqual(reported, { flow, provider: 'github', outcome: 'user_inactive' })
      t.deepEqual(others, [])
    })

    test.serial(`a rejected callback is reported with its reason ${over}`, async (t) => {
      t.deepEqual(await completeLogin(boss.email, { state: 'x' }), [
        { flow, provider: 'github', outcome: 'state_refused' },
      ])
      t.deepEqual(await completeLogin(boss.email, { provider: 'gitlab' }), [
        { flow, provider: 'unknown', outcome: 'provider_not_found' },
      ])
    })

    test.serial(`starting a login reports nothing ${over}`, async (t) => {
      outcomes.length = 0
      await signInAtProvider(transport, 'github', boss.email, {}, begin)
      t.deepEqual(outcomes, [])
    })
  }
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
