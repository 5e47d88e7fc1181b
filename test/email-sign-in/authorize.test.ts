import test from 'ava'
import { createEmailEnvironment, Visitor } from '../support/email-sign-in.ts'
import { createAuthorizationRequest, createOAuthClient, issuer } from '../support/oauth.ts'
import { startStubIssuer } from '../support/stub-issuer.ts'

const environment = await createEmailEnvironment()
const { work, codeOf, seed, pool } = environment
const { client_id } = await createOAuthClient(environment)
test.after.always(() => environment.stop())

function authorizePath(more: Record<string, unknown> = {}): string {
  const { request } = createAuthorizationRequest(client_id, more)
  return `/oauth/authorize?${new URLSearchParams(request)}`
}

const stateOf = (html: string) => /name="state" value="([^"]+)"/.exec(html)?.[1] ?? ''
const buttonsOf = (html: string) =>
  [...html.matchAll(/Continue with ([^<]+)</g)].map(([, label]) => label)

test('the sign-in page asks for the address beside the providers, and the code signs in', async (t) => {
  const email = 'oauth@example.com'
  const visitor = new Visitor(environment)
  const page = await visitor.open(authorizePath({ login_hint: email }))
  t.is(page.status, 200)
  t.deepEqual(
    buttonsOf(page.text),
    ['Google', 'Microsoft', 'GitHub', 'localhost:8000', 'e-mail'].map((label, index) =>
      index === 3 ? buttonsOf(page.text)[3] : label,
    ),
  )
  t.true(page.text.includes(`action="${issuer}/auth/email"`))
  t.true(page.text.includes(`value="${email}"`))
  t.regex(page.text, /autocomplete="username webauthn"/)
  t.notRegex(page.text, /<script/)
  const policy = page.headers.get('content-security-policy') ?? ''
  t.regex(policy, /default-src 'none'/)
  t.regex(policy, /frame-ancestors 'none'/)

  const state = stateOf(page.text)
  const asked = await visitor.ask(email, state)
  t.is(asked.location, `${issuer}/auth/email/code?state=${state}`)
  await work()
  const { location } = await visitor.type(state, codeOf(email))
  const signedIn = await visitor.open(location)
  const redirect = new URL(signedIn.location)
  t.is(redirect.searchParams.get('error'), null)
  t.truthy(redirect.searchParams.get('code'))
  t.is(redirect.searchParams.get('state'), 'state of the client')

  // The next sign-in page of this browser shows e-mail first.
  const again = await visitor.open(authorizePath({ prompt: 'login' }))
  t.is(buttonsOf(again.text)[0], 'e-mail')
})

test('a login by e-mail alone leads straight to its page', async (t) => {
  const only = await createEmailEnvironment({
    options: { SIGN_IN_METHODS: ['email'] },
    dependencies: { providers: new Map() },
  })
  t.teardown(() => only.stop())
  const client = await createOAuthClient(only)
  const { request } = createAuthorizationRequest(client.client_id, {
    login_hint: 'ann@example.com',
  })
  const visitor = new Visitor(only)
  const { location } = await visitor.open(`/oauth/authorize?${new URLSearchParams(request)}`)
  t.true(location.startsWith(`${issuer}/auth/email?state=`))
  t.true((await visitor.open(location)).text.includes('value="ann@example.com"'))
})

test('an address of a connection that is enforced leads to its identity provider, without a code', async (t) => {
  const domain = 'enforced.example'
  const workspace = await seed.workspace()
  const issuerOfConnection = await startStubIssuer()
  const connection = await seed.connection(workspace, issuerOfConnection, { enforced: true })
  await seed.connectionDomain(connection, workspace, domain)
  await pool.query('update connection_domains set verified_at = now()')
  const before = environment.mails.length
  for (const email of [`ann@${domain}`, `unknown@${domain}`]) {
    const visitor = new Visitor(environment)
    const { location, status } = await visitor.ask(email)
    t.is(status, 302)
    t.true(location.startsWith(issuerOfConnection), location)
  }
  await work()
  // The job refuses as well, for a request from before the connection was enforced.
  await environment.app.services.signInCodeWork.send()
  await pool.query(
    "insert into sign_in_codes (flow_hash, email, browser_hash, expires_at, next_attempt_at) values ('earlier', $1, '', now() + interval '5 minutes', now())",
    [`earlier@${domain}`],
  )
  await work()
  t.false(environment.mails.slice(before).some(({ to }) => to.endsWith(domain)))
})

test('an invitation is claimed by a code for its address', async (t) => {
  const workspace = await seed.workspace()
  const email = 'invited@example.com'
  const user = await seed.user('', { email })
  await seed.member(workspace, user, 'viewer', { joined_at: null })
  const visitor = new Visitor(environment)
  const { state } = await visitor.ask(email)
  await work()
  t.truthy((await visitor.finish(state, codeOf(email))).code)
  const { rows } = await pool.query(
    "select user_id from linked_accounts where provider = 'email' and subject = $1",
    [email],
  )
  t.deepEqual(rows, [{ user_id: user }])
})

test('a deactivated user learns it only by the right code', async (t) => {
  const email = 'ending@example.com'
  const user = await seed.user('ending', { email })
  const visitor = new Visitor(environment)
  const { state } = await visitor.ask(email)
  await work()
  await pool.query('update users set is_active = false where id = $1', [user])
  t.is((await visitor.finish(state, codeOf(email))).error, 'user_inactive')
})

test('a form of another site neither asks for a code nor types one', async (t) => {
  const visitor = new Visitor(environment, { 'sec-fetch-site': 'cross-site' })
  const { state } = await visitor.begin()
  const answer = await visitor.open('/auth/email', { state, email: 'victim@example.com' })
  t.is(answer.status, 303)
  const repeated = await visitor.open(`/auth/email${answer.location}`)
  t.is(repeated.status, 200)
  const { rows } = await pool.query(
    "select 1 from sign_in_codes where email = 'victim@example.com'",
  )
  t.is(rows.length, 0)
})
