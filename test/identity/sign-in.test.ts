import test from 'ava'
import { providerNames } from '../../src/identity/providers/provider.ts'
import { expectOk } from '../support/outcome.ts'
import { appUri, signIn, signInToApp, startSignInEnvironment } from '../support/sign-in.ts'

const ann = { name: 'Ann', email: 'ann@example.com' }
const eve = { name: 'Eve', email: 'eve@example.com', verified: false }

test('one user signs in with every provider over every transport', async (t) => {
  const environment = await startSignInEnvironment(t, [ann])
  for (const transport of environment.transports) {
    for (const provider of providerNames) {
      const { tokens, workspaces } = await signIn(transport, ann.email, provider)
      t.is(workspaces.length, 1)
      t.is(workspaces[0].role, 'owner')
      t.deepEqual(
        { ...tokens, access_token: '', refresh_token: '' },
        {
          access_token: '',
          refresh_token: '',
          token_type: 'Bearer',
          expires_in: 900,
          refresh_expires_in: 604_800,
          workspace_id: workspaces[0].id,
        },
      )
      const { sessions } = expectOk(
        await transport.call('ListSessions', {}, { token: tokens.access_token }),
      )
      t.is(sessions.filter((session: { current: boolean }) => session.current).length, 1)
    }
  }
  const { rows } = await environment.pool.query('select email, name from users')
  t.deepEqual(rows, [{ email: 'ann@example.com', name: 'Ann' }])
  const { rows: activity } = await environment.pool.query('select action from activity order by id')
  const actions = activity.map(({ action }) => action)
  t.deepEqual(actions, [
    ...['user.account_linked', 'workspace.created', 'user.signed_in'],
    ...providerNames.slice(1).flatMap(() => ['user.account_linked', 'user.signed_in']),
    ...providerNames.map(() => 'user.signed_in'),
  ])
})

test('the redirect contains the code, the app’s state and the redirect_uri’s own query', async (t) => {
  const environment = await startSignInEnvironment(t, [ann])
  for (const transport of environment.transports) {
    const state = 'a b&c=é'
    const { redirect } = await signInToApp(transport, 'google', ann.email, { state })
    t.is(redirect.origin + redirect.pathname, 'https://app.example.com/done')
    t.is(redirect.searchParams.get('from'), 'daikon')
    t.is(redirect.searchParams.get('state'), state)
    t.regex(redirect.searchParams.get('code') ?? '', /^[\w-]{43}$/)
    t.true(redirect.href.startsWith(appUri))
    t.false(/[0-9a-f]{8}-[0-9a-f]{4}/.test(redirect.href))
  }
})

test('a sign-in with an unverified e-mail fails and is recorded', async (t) => {
  const environment = await startSignInEnvironment(t, [eve], { ADMIN_EMAILS: [eve.email] })
  await environment.seed.user('known', { email: eve.email })
  for (const transport of environment.transports) {
    for (const provider of providerNames) {
      const { redirect } = await signInToApp(transport, provider, eve.email)
      t.is(redirect.searchParams.get('error'), 'email_not_verified')
      t.is(redirect.searchParams.get('code'), null)
    }
  }
  const { rows } = await environment.pool.query('select * from linked_accounts')
  t.deepEqual(rows, [])
  const { rows: failed } = await environment.pool.query(
    'select action, detail from activity order by id',
  )
  t.is(failed.length, providerNames.length * environment.transports.length)
  t.deepEqual(failed[0], {
    action: 'user.sign_in_failed',
    detail: { provider: 'google', error: 'email_not_verified' },
  })
})
