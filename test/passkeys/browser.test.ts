import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import type { CDPSession, Page } from 'playwright-core'
import { accountClientId } from '../../src/identity/store/client-store.ts'
import { hasBrowser, openBrowserPage } from '../support/browser.ts'
import { member, openContext, startConsole } from '../support/console.ts'
import { startDevServer } from '../support/dev-server.ts'
import { createPkce } from '../support/sign-in.ts'
import { startStubIssuer } from '../support/stub-issuer.ts'

type Authenticator = { session: CDPSession; id: string }

/** Gives the browser an authenticator, as of a laptop with a fingerprint reader. */
async function addAuthenticator(page: Page, isUserVerified = true): Promise<Authenticator> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId: id } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified,
      automaticPresenceSimulation: true,
    },
  })
  return { session, id }
}

const setVerified = ({ session, id }: Authenticator, isUserVerified: boolean) =>
  session.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified })

/** The passkeys in an authenticator, in no particular order. */
async function credentialsOf({ session, id }: Authenticator) {
  const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId: id })
  return credentials
}

/** Signs a person in to the account page by Google. Returns the token. */
async function signInToAccount(page: Page, rest: string, name: string): Promise<string> {
  const { verifier, challenge } = createPkce()
  const redirect_uri = `${rest}/account/callback`
  const request = new URLSearchParams({
    client_id: accountClientId,
    redirect_uri,
    response_type: 'code',
    scope: 'openid',
    state: randomUUID(),
    code_challenge: challenge,
    code_challenge_method: 'S256',
    prompt: 'login',
    provider: 'google',
    workspace: 'demo',
  })
  // The scripts of the account page would sign in again, without the code.
  await page.route(/\/account\/assets\//, (route) => route.abort())
  await page.goto(`${rest}/oauth/authorize?${request}`)
  await page.getByRole('button', { name: new RegExp(name) }).click()
  await page.waitForURL(/account\/callback\?/)
  const code = new URL(page.url()).searchParams.get('code') ?? ''
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: accountClientId,
    redirect_uri,
    code,
    code_verifier: verifier,
  })
  const response = await fetch(`${rest}/oauth/token`, { method: 'POST', body })
  const { access_token } = (await response.json()) as { access_token: string }
  return access_token
}

/** Creates a passkey in the browser of a person. Returns the status of the call that adds it. */
async function createPasskey(page: Page, rest: string, name: string) {
  const token = await signInToAccount(page, rest, name)
  const call = (path: string, body: object) =>
    fetch(`${rest}/users/me/passkeys${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const options = await (await call('/options', {})).json()
  const credential = await page.evaluate(createInPage, options)
  const added = await call('', { credential })
  return { status: added.status, token, body: (await added.json()) as Record<string, string> }
}

/** Runs in the page, as the account page does. */
async function createInPage(options: any): Promise<object> {
  const { PublicKeyCredential, navigator } = globalThis as any
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  return (await navigator.credentials.create({ publicKey })).toJSON()
}

/** Makes the browser forget all sessions, but not the passkeys. */
async function signOut(page: Page): Promise<void> {
  await page.goto('about:blank')
  await page.context().clearCookies()
}

async function greets(t: ExecutionContext, page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { name: `Hello, ${name}` }).waitFor()
  t.pass()
}

if (hasBrowser) {
  test('people create passkeys, and sign in with them to the demo and to the console', async (t) => {
    t.timeout(600_000)
    const { rest, app } = await startDevServer(t)
    const page = await openBrowserPage(t)
    const authenticator = await addAuthenticator(page)
    t.is((await createPasskey(page, rest, 'Bob')).status, 201)
    const [passkeyOfBob] = await credentialsOf(authenticator)
    await signOut(page)

    // Without verification of the user, the browser refuses; with it, the button tries again.
    await setVerified(authenticator, false)
    await page.goto(app)
    await page.getByRole('link', { name: 'Sign in with daikon' }).click()
    await page.getByRole('link', { name: /passkey/ }).click()
    await page.getByText('No passkey was used').waitFor()
    await setVerified(authenticator, true)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await greets(t, page, 'Bob')

    // A passkey of another person in the same browser.
    await signOut(page)
    t.is((await createPasskey(page, rest, 'Alice')).status, 201)
    const credentials = await credentialsOf(authenticator)
    t.is(credentials.length, 2)
    t.is(new Set(credentials.map(({ userHandle }) => userHandle)).size, 2)
    t.true(credentials.every(({ isResidentCredential }) => isResidentCredential))

    // Only Alice's passkey remains in the browser, and opens the console.
    await authenticator.session.send('WebAuthn.removeCredential', {
      authenticatorId: authenticator.id,
      credentialId: passkeyOfBob?.credentialId ?? '',
    })
    await page.goto(`${rest}/auth/admin/login/passkey`)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  test('the address field offers passkeys, and a removed one is refused and forgotten', async (t) => {
    t.timeout(600_000)
    const { rest, app } = await startDevServer(t)
    const page = await openBrowserPage(t)
    const authenticator = await addAuthenticator(page)
    const { token, body } = await createPasskey(page, rest, 'Bob')
    await signOut(page)
    await page.goto(app)
    await page.getByRole('link', { name: 'Sign in with daikon' }).click()
    // The browser chooses the only passkey of its authenticator by itself.
    await greets(t, page, 'Bob')

    const removed = await fetch(`${rest}/users/me/passkeys/${body.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    })
    t.is(removed.status, 204)
    await signOut(page)
    await page.goto(`${rest}/auth/admin/login/passkey`)
    await page.getByText('The passkey is not known here').waitFor()
    t.is((await credentialsOf(authenticator)).length, 0)
  })

  test('the field for an address of a connection offers passkeys, without codes', async (t) => {
    t.timeout(600_000)
    const fixture = await startConsole({ SIGN_IN_METHODS: 'google,passkey' })
    t.teardown(() => fixture.stop())
    const { restUrl, consoleUrl, seed, pool, browser } = fixture
    const workspace = await seed.workspace('Northwind')
    await pool.query("update workspaces set slug = 'demo' where id = $1", [workspace])
    await seed.member(workspace, await seed.user(member.name, { email: member.email }), 'owner')
    const connection = await seed.connection(workspace, await startStubIssuer())
    await seed.connectionDomain(connection, workspace, 'corp.example')
    await pool.query('update connection_domains set verified_at = now()')
    const page = await (await openContext(browser)).newPage()
    const authenticator = await addAuthenticator(page)
    t.is((await createPasskey(page, restUrl, 'Bob')).status, 201)
    t.is((await credentialsOf(authenticator)).length, 1)
    await signOut(page)
    await page.goto(`${consoleUrl}/w/demo`)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    // The browser chooses the only passkey of its authenticator by itself.
    await page.waitForURL(`${consoleUrl}/w/demo`)
    await page.getByText('Owner of the workspace Northwind').waitFor()
  })
}
