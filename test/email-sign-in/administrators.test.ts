import test from 'ava'
import { createEmailEnvironment, Visitor } from '../support/email-sign-in.ts'

const listed = 'root@example.com'
const environment = await createEmailEnvironment({ options: { ADMIN_EMAILS: [listed] } })
const { seed, pool } = environment
test.after.always(() => environment.stop())

/** Begins a sign-in to the admin console with a code, and finishes it if that is possible. */
async function signInToConsole(from: typeof environment, email: string) {
  const visitor = new Visitor(from)
  const begun = await visitor.open('/auth/admin/login/email')
  if (begun.status !== 302) return { status: begun.status, visitor, location: '' }
  const state = new URL(begun.location).searchParams.get('state') ?? ''
  await visitor.ask(email, state)
  await from.work()
  const { location } = await visitor.type(state, from.codeOf(email))
  const callback = await visitor.open(location)
  return { status: callback.status, visitor, location: callback.location }
}

test('administrators do not sign in by a code', async (t) => {
  const email = 'admin@example.com'
  await seed.user('admin', { email, is_admin: true })
  t.is((await signInToConsole(environment, email)).status, 404)

  // The flow of an application ends in the application.
  const visitor = new Visitor(environment)
  const { state } = await visitor.ask(email)
  await environment.work()
  const { location } = await visitor.type(state, environment.codeOf(email))
  const { search } = new URL(location)
  t.is((await visitor.open(`/auth/admin/callback/email${search}`)).status, 404)
  t.truthy(new URL((await visitor.open(location)).location).searchParams.get('code'))
  t.false(visitor.cookies.has('admin_token'))
})

test("the flow of another of daikon's methods leads administrators to no code", async (t) => {
  const both = await environment.addNode({
    SIGN_IN_METHODS: ['google', 'microsoft', 'github', 'oidc', 'email', 'passkey'],
  })
  const visitor = new Visitor(both)
  const { location } = await visitor.open('/auth/admin/login/passkey')
  const state = new URL(location).searchParams.get('state') ?? ''
  t.is((await visitor.open(`/auth/passkey?state=${state}`)).status, 200)
  t.is((await visitor.open(`/auth/email?state=${state}`)).status, 404)
  t.is((await visitor.ask('admin@example.com', state)).status, 404)
  t.is((await visitor.open(`/auth/email/code?state=${state}`)).status, 404)
  t.is((await visitor.type(state, '01020304')).status, 404)
})

test('a code promotes nobody whose address is in ADMIN_EMAILS', async (t) => {
  const visitor = new Visitor(environment)
  const { state } = await visitor.ask(listed)
  await environment.work()
  t.truthy((await visitor.finish(state, environment.codeOf(listed))).code)
  const { rows } = await pool.query('select is_admin from users where email = $1', [listed])
  t.deepEqual(rows, [{ is_admin: false }])
})

test('administrators sign in by a code where ADMIN_SIGN_IN_METHODS names email', async (t) => {
  const other = await createEmailEnvironment({
    options: { ADMIN_EMAILS: [listed], ADMIN_SIGN_IN_METHODS: ['email'] },
  })
  t.teardown(() => other.stop())
  const { status, visitor, location } = await signInToConsole(other, listed)
  t.is(status, 302)
  t.is(location, 'http://localhost:9004')
  t.true(visitor.cookies.has('admin_token'))
})
