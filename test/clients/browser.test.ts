// Tests the browser client in Chromium with a real server.
import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { sealActivity } from '../../src/activity/seal.ts'
import { createInProcessRateLimiter } from '../../src/rate-limit/in-process.ts'
import { createStores } from '../../src/server/stores.ts'
import { hasBrowser, launchBrowser, prepareContext, waitTimeout } from '../support/browser.ts'
import { type BrowserApp, startBrowserApp } from '../support/browser-app.ts'
import { type OAuthIssuer, startIssuer } from '../support/oauth-issuer.ts'
import { expectOk } from '../support/outcome.ts'
import type { Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'

const browserTest = hasBrowser ? test.serial : test.skip
if (!hasBrowser) console.info('Chromium is not installed: the browser client is not tested')

let daikon: OAuthIssuer
let app: BrowserApp
let browser: Browser

test.before(async () => {
  if (!hasBrowser) return
  // All tests share one address and would exceed its rate limits, so the clock of the limits runs
  // 10,000 times as fast.
  const rateLimiter = createInProcessRateLimiter({ now: () => performance.now() * 10_000 })
  daikon = await startIssuer({ rateLimiter })
  app = await startBrowserApp(daikon.issuer)
  browser = await launchBrowser()
})

test.after.always(async () => {
  await browser?.close()
  await app?.stop()
  await daikon?.stop()
})

/** An application in a browser context with separate cookies and storage. */
type Application = {
  name: string
  email: string
  context: BrowserContext
  clientId: string
  /** Opens a tab, which runs the script before those of the page. */
  open(path?: string, script?: string): Promise<Page>
  /** Opens another tab, which receives the session from the others. */
  openAnother(script?: string): Promise<Page>
  /** Returns the number of requests to a path so far with a body that contains the text. */
  requests(path: string, body?: string): number
}

async function createApplication(t: ExecutionContext, options = {}): Promise<Application> {
  const name = `app-${randomUUID()}`
  const { client_id: clientId } = await daikon.createClient(`${app.url}/${name}/callback`, {
    post_logout_redirect_uris: [`${app.url}/${name}/bye`],
  })
  const postLogoutRedirectUri = `${app.url}/${name}/bye`
  const timeoutMs = waitTimeout
  app.configure(name, { clientId, postLogoutRedirectUri, service: 'docs', timeoutMs, ...options })
  const context = await browser.newContext()
  prepareContext(context)
  t.teardown(() => context.close())
  const sent: { path: string; body: string }[] = []
  context.on('request', (request) => {
    const { origin, pathname } = new URL(request.url())
    if (origin === daikon.issuer)
      sent.push({ path: pathname, body: `${request.method()} ${request.postData() ?? ''}` })
  })
  const open = async (path = '', script = '') => {
    const page = await context.newPage()
    await page.addInitScript(script)
    page.on('pageerror', (error) => t.fail(`an error or rejection was not handled: ${error}`))
    await page.goto(`${app.url}/${name}/${path}`)
    await started(page)
    return page
  }
  return {
    name,
    email: daikon.environment.addProviderUser(),
    context,
    clientId,
    open,
    openAnother: (script = '') => open('', patience + script),
    requests: (path, body = '') =>
      sent.filter((request) => request.path === path && request.body.includes(body)).length,
  }
}

/** Makes a page wait for messages of other tabs 20 times as long. On a busy machine, they take longer. */
const patience = `{
  const { setTimeout } = window
  window.setTimeout = (run, delay, ...rest) => setTimeout(run, delay * 20, ...rest)
};`

function started(page: Page): Promise<unknown> {
  return page.waitForFunction('window.isStarted')
}

/**
 * Runs code in the page, in which `daikon` is the client. Returns an error of the client with its
 * fields. Code that leaves the page must not wait for it: the page is gone when it is done.
 */
function run(page: Page, code: string): Promise<any> {
  return page.evaluate(`(async () => {
    try { ${code} }
    catch (error) {
      const { name, code, reason, message, fields, retryAfterMs } = error
      return { error: { name, code, reason, message, fields, retryAfterMs } }
    }
  })()`)
}

const describeEvents = 'events.map(({ type }) => type)'

async function signIn(application: Application, page: Page, path = 'documents?page=2#top') {
  const returnTo = `${app.url}/${application.name}/${path}`
  const options = { loginHint: application.email, returnTo }
  await Promise.all([
    page.waitForURL(returnTo),
    run(page, `daikon.signIn(${JSON.stringify(options)})`),
  ])
  await started(page)
}

async function openSignedIn(application: Application): Promise<Page> {
  const page = await application.open()
  await signIn(application, page)
  return page
}

/** Advances the clock of the browser until the access tokens have expired. */
function expireTokens({ context }: Application): Promise<void> {
  return context.clock.setFixedTime(Date.now() + 16 * 60_000)
}

/** Waits until a tab has the access token of another tab, which arrives later. */
function waitForToken(page: Page, token: string): Promise<unknown> {
  return page.waitForFunction(`daikon.getAccessToken().then((own) => own === '${token}')`)
}

/** Registers a document of the page's user in the user's workspace. */
async function registerDocument(
  page: Page,
  resource_id: string = randomUUID(),
  resource_type = 'document',
) {
  const user = await run(page, 'return daikon.user')
  const [transport] = daikon.environment.transports as [Transport]
  const resource = { service_name: 'docs', resource_type, resource_id }
  expectOk(
    await transport.call('Register', {
      ...resource,
      workspace_id: user.workspace.id,
      owner_id: user.id,
    }),
  )
  return resource_id
}

browserTest(
  'signing in returns to the same URL, and signing out applies to all tabs',
  async (t) => {
    const application = await createApplication(t)
    const page = await application.open()
    t.is(await run(page, 'return daikon.user'), null)
    t.deepEqual(await run(page, `return ${describeEvents}`), ['signedOut'])
    const { error } = await run(page, 'return await daikon.getAccessToken()')
    t.like(error, { name: 'UnauthenticatedError', reason: 'NOT_SIGNED_IN' })

    await signIn(application, page)
    const user = await run(page, 'return daikon.user')
    t.is(user.email, application.email)
    t.truthy(user.id && user.workspace.id && user.workspace.slug)
    t.false(await page.evaluate('location.href.includes("code=")'))
    t.deepEqual(await run(page, `return ${describeEvents}`), ['signedIn'])
    const storage = await page.evaluate('JSON.stringify([localStorage, sessionStorage])')
    t.notRegex(String(storage), /eyJ/, 'no token is stored')

    const other = await application.openAnother()
    t.deepEqual(await run(other, 'return daikon.user'), user, 'another tab has the session')
    const before = application.requests('/oauth/token')
    t.is(before, 1)

    const bye = `${app.url}/${application.name}/bye`
    await Promise.all([page.waitForURL(bye), run(page, 'daikon.signOut()')])
    await other.waitForFunction('daikon.user === null')
    t.is((await run(other, `return ${describeEvents}`)).at(-1), 'signedOut')
    await started(page)
    t.is(await run(page, 'return daikon.user'), null, 'the session of daikon has ended, too')
  },
)

browserTest('a reloaded page signs in silently or from storage', async (t) => {
  const memory = await createApplication(t)
  const page = await openSignedIn(memory)
  const user = await run(page, 'return daikon.user')
  await page.reload()
  await started(page)
  t.deepEqual(await run(page, 'return daikon.user'), user)
  t.is(memory.requests('/oauth/token', 'authorization_code'), 2, 'by the cookie of daikon')

  for (const storage of ['sessionStorage', 'localStorage']) {
    const application = await createApplication(t, { storage, silentSignIn: false })
    const page = await openSignedIn(application)
    await page.reload()
    await started(page)
    t.is((await run(page, 'return daikon.user')).email, application.email, storage)
    t.is(application.requests('/oauth/token'), 1, storage)
    await expireTokens(application)
    t.is(typeof (await run(page, 'return await daikon.getAccessToken()')), 'string')
    await run(page, 'await daikon.signOut({ redirect: false })')
    await page.reload()
    await started(page)
    t.is(await run(page, 'return daikon.user'), null, storage)
  }
})

for (const storage of ['memory', 'localStorage']) {
  browserTest(`tabs share one refresh of an expired token (${storage})`, async (t) => {
    const application = await createApplication(t, { storage })
    const first = await openSignedIn(application)
    const tabs = [first, await application.openAnother(), await application.openAnother()]
    const old = await run(first, 'return await daikon.getAccessToken()')
    await expireTokens(application)
    const getTokens = 'return await Promise.all([1, 2, 3].map(() => daikon.getAccessToken()))'
    const tokens = (await Promise.all(tabs.map((tab) => run(tab, getTokens)))).flat()
    t.is(application.requests('/oauth/token', 'refresh_token'), 1)
    t.is(new Set(tokens).size, 1)
    t.not(tokens[0], old)
    for (const tab of tabs) {
      t.is((await run(tab, `return ${describeEvents}`)).at(-1), 'refreshed')
      const { error } = await run(tab, 'return await daikon.workspaces()')
      t.is(error, undefined, 'the token works in every tab')
    }
    // Each tab continues the refresh-token family of another tab.
    for (const tab of tabs) {
      const token = await run(tab, 'return await daikon.getAccessToken({ forceRefresh: true })')
      t.is(typeof token, 'string')
      for (const other of tabs) await waitForToken(other, token)
    }
    t.is(application.requests('/oauth/token', 'refresh_token'), 4)
  })
}

browserTest('tabs also share a refresh without Web Locks and BroadcastChannel', async (t) => {
  const application = await createApplication(t, { storage: 'localStorage' })
  await application.context.addInitScript(
    `Object.defineProperty(navigator, 'locks', { value: undefined }); delete window.BroadcastChannel`,
  )
  const first = await openSignedIn(application)
  const second = await application.open()
  await expireTokens(application)
  const token = await run(first, 'return await daikon.getAccessToken()')
  // setItem() returns before the processes of other tabs have the value.
  await second.waitForFunction((value) => JSON.stringify(localStorage).includes(value), token)
  t.is(await run(second, 'return await daikon.getAccessToken()'), token)
  t.is(application.requests('/oauth/token', 'refresh_token'), 1)
})

browserTest(
  'a tab that messages have not reached yet does not reuse a refresh token',
  async (t) => {
    const application = await createApplication(t)
    const first = await openSignedIn(application)
    // From the call of `detach`, the tab sees an old marker, and receives messages only after it has asked for them.
    const second = await application.openAnother(`{
      const { getItem } = Storage.prototype
      const messages = []
      let isDetached = false
      window.detach = () => {
        const old = { ...localStorage }
        Storage.prototype.getItem = function (key) {
          return this === localStorage ? (old[key] ?? null) : getItem.call(this, key)
        }
        isDetached = true
      }
      window.BroadcastChannel = class extends BroadcastChannel {
        set onmessage(listener) {
          this.listener = listener
          super.onmessage = (event) => (isDetached ? messages.push(event) : listener?.(event))
        }
        postMessage(message) {
          super.postMessage(message)
          if (message.type !== 'ask') return
          isDetached = false
          for (const event of messages.splice(0)) this.listener?.(event)
        }
      }
    }`)
    await second.evaluate('detach()')
    const refresh = 'return await daikon.getAccessToken({ forceRefresh: true })'
    const token = await run(first, refresh)
    t.is(await run(second, refresh), token)
    t.is(application.requests('/oauth/token', 'refresh_token'), 1)
  },
)

browserTest('a token that the server rejects is refreshed once', async (t) => {
  const application = await createApplication(t)
  const page = await openSignedIn(application)
  await daikon.environment.pool.query(
    `insert into denied_tokens (token_id, expires_at)
     select access_token_id, access_expires_at from refresh_tokens`,
  )
  const workspaces = await run(page, 'return await daikon.workspaces()')
  t.is(workspaces.length, 1)
  t.is(application.requests('/oauth/token', 'refresh_token'), 1)
})

/** Makes a page's own API respond with the next of the responses. Returns the tokens and bodies that it got. */
async function serveApi(page: Page, responses: { status: number; challenge?: string }[]) {
  const received: { token: string; body: string | null }[] = []
  await page.route('**/api/**', async (route) => {
    const { status = 200, challenge } = responses[received.length] ?? {}
    const { authorization = '' } = await route.request().allHeaders()
    const token = authorization.replace('Bearer ', '')
    received.push({ token, body: route.request().postData() })
    const headers: Record<string, string> = challenge ? { 'www-authenticate': challenge } : {}
    await route.fulfill({ status, headers, body: '{}' })
  })
  return received
}

const callApi = `const { status } = await daikon.fetch('/api/documents', { method: 'PUT', body: 'text' })
  return status`
const insufficient = 'Bearer error="insufficient_user_authentication", error_description="x"'

browserTest('fetch refreshes the token once after a 401', async (t) => {
  const page = await openSignedIn(await createApplication(t))
  const token = await run(page, 'return await daikon.getAccessToken()')
  const invalid = { status: 401, challenge: 'Bearer error="invalid_token"' }
  const received = await serveApi(page, [
    { status: 201 },
    invalid,
    { status: 200 },
    invalid,
    invalid,
  ])
  t.is(await run(page, callApi), 201)
  t.is(await run(page, callApi), 200)
  t.is(await run(page, callApi), 401)
  const refreshed = received[2]?.token
  t.not(refreshed, token)
  const tokens = [token, token, refreshed, refreshed, received[4]?.token]
  t.deepEqual(
    received,
    tokens.map((token) => ({ token, body: 'text' })),
  )
  t.not(received[4]?.token, refreshed)
  const { error } = await run(page, `await daikon.fetch('https://other.example/api')`)
  t.like(error, { name: 'InvalidArgumentError', fields: [{ field: 'input' }] })
  t.is(received.length, 5)
})

browserTest('fetch signs the user in again when the API asks for it', async (t) => {
  const application = await createApplication(t)
  const page = await openSignedIn(application)
  const challenge = `${insufficient}, max_age="300", acr_values="urn:mfa"`
  const received = await serveApi(page, [{ status: 401, challenge }])
  const [request] = await Promise.all([
    page.waitForRequest((request) => request.url().startsWith(`${daikon.issuer}/oauth/authorize`)),
    run(page, `void daikon.fetch('/api/documents')`),
  ])
  const { searchParams } = new URL(request.url())
  t.is(searchParams.get('max_age'), '300')
  t.is(searchParams.get('acr_values'), 'urn:mfa')
  t.is(received.length, 1, 'no refresh makes a sign-in more recent')
})

browserTest('an application decides what happens when its API asks for a sign-in', async (t) => {
  const page = await openSignedIn(await createApplication(t))
  await serveApi(page, [
    { status: 401, challenge: `${insufficient}, max_age=60` },
    { status: 401, challenge: `${insufficient}, acr_values=phr` },
    { status: 403, challenge: `${insufficient}, max_age=60` },
  ])
  const code = `
    const asked = []
    const own = client.createDaikonBrowser({ ...options, onStepUp: (stepUp) => void asked.push(stepUp) })
    await own.start()
    const statuses = []
    for (let n = 0; n < 3; n += 1) statuses.push((await own.fetch('/api/x')).status)
    own.close()
    return { statuses, asked }`
  const { statuses, asked } = await run(page, code)
  t.deepEqual(statuses, [401, 401, 403])
  t.deepEqual(asked, [{ maxAge: 60 }, { acrValues: 'phr' }])
})

browserTest('tabs share one connection, which makes them check again after changes', async (t) => {
  const application = await createApplication(t)
  const owner = await openSignedIn(await createApplication(t))
  const first = await openSignedIn(application)
  const { environment } = daikon
  const [transport] = environment.transports as [Transport]
  const { workspace } = await run(owner, 'return daikon.user')
  const member = await run(first, 'return daikon.user')
  await environment.pool.query(
    "insert into members (workspace_id, user_id, role, joined_at) values ($1, $2, 'viewer', now())",
    [workspace.id, member.id],
  )
  await run(first, `await daikon.switchWorkspace("${workspace.id}")`)
  const second = await application.openAnother()
  const resourceId = await registerDocument(owner)
  const resource = { service_name: 'docs', resource_type: 'document', resource_id: resourceId }
  const token = await run(owner, 'return await daikon.getAccessToken()')
  const record = expectOk(await transport.call('GetResource', resource))
  const grantee = { grantee_type: 'user', grantee_id: member.id }
  const share = async (method: string) => {
    const message = { permission_id: record.id, ...grantee, permission: 'view' }
    expectOk(await transport.call(method, message, { token }))
    while ((await sealActivity(createStores(environment.database.fork()))) > 0);
  }
  const watch = `window.seen = []
    daikon.watchCan('view', { type: 'document', id: '${resourceId}' }, (is) => seen.push(is))`
  for (const tab of [first, second]) await run(tab, watch)
  for (const tab of [first, second]) await tab.waitForFunction('seen.at(-1) === false')
  await waitUntil(() => application.requests('/users/me/changes', 'GET') === 1)
  await share('Share')
  for (const tab of [first, second]) await tab.waitForFunction('seen.at(-1) === true')
  t.is(application.requests('/users/me/changes', 'GET'), 1, 'one connection for both tabs')

  await first.close()
  await waitUntil(() => application.requests('/users/me/changes', 'GET') === 2)
  await share('RevokeShare')
  await second.waitForFunction('seen.at(-1) === false')

  const removal = { workspace_id: workspace.id, user_id: member.id }
  expectOk(await transport.call('RemoveMember', removal, { token }))
  await second.waitForFunction('events.at(-1).type === "sessionEnded"')
  t.is(await run(second, 'return daikon.user'), null)
})

browserTest('every tab reports the end of the session', async (t) => {
  const application = await createApplication(t)
  const first = await openSignedIn(application)
  const second = await application.openAnother()
  const { id } = await run(first, 'return daikon.user')
  await daikon.environment.pool.query('update users set is_active = false where id = $1', [id])
  const { error } = await run(
    first,
    'return await daikon.can("view", { type: "document", id: "1" })',
  )
  t.like(error, { name: 'SessionEndedError', code: 'unauthenticated', reason: 'INVALID_GRANT' })
  await second.waitForFunction('daikon.user === null')
  for (const tab of [first, second])
    t.is((await run(tab, `return ${describeEvents}`)).at(-1), 'sessionEnded')
  const after = await run(first, 'return await daikon.getAccessToken()')
  t.is(after.error.reason, 'NOT_SIGNED_IN')
  t.is(application.requests('/oauth/token', 'refresh_token'), 1)
})

browserTest(
  'if tokens are lost with another tab, the session ends without reusing a refresh token',
  async (t) => {
    const application = await createApplication(t)
    const page = await openSignedIn(application)
    // Simulates another tab that refreshed and was closed before this one noticed.
    await page.evaluate(`(() => {
    const key = Object.keys(localStorage).find((key) => key.endsWith(':latest'))
    const marker = JSON.parse(localStorage.getItem(key))
    localStorage.setItem(key, JSON.stringify({ ...marker, sequence: marker.sequence + 1 }))
  })()`)
    await expireTokens(application)
    const { error } = await run(page, 'return await daikon.getAccessToken()')
    t.like(error, { name: 'SessionEndedError', reason: 'TOKENS_LOST' })
    t.is(application.requests('/oauth/token', 'refresh_token'), 0)
  },
)

browserTest('the client recovers after the server was unreachable', async (t) => {
  const application = await createApplication(t)
  const page = await openSignedIn(application)
  await expireTokens(application)
  await application.context.route(`${daikon.issuer}/**`, (route) => route.abort())
  // Together, because the client tries again after half a second.
  const [{ name, code, reason }, ...paused] = await run(
    page,
    `const attempt = () => daikon.getAccessToken().catch(
      ({ name, code, reason, retryAfterMs }) => ({ name, code, reason, retryAfterMs }))
    return [await attempt(), ...await Promise.all(Array.from({ length: 50 }, attempt))]`,
  )
  t.deepEqual([name, code, reason], ['UnavailableError', 'unavailable', 'UNREACHABLE'])
  t.true(paused.every(({ retryAfterMs }: { retryAfterMs: number }) => retryAfterMs > 0))
  t.true(application.requests('/oauth/token', 'refresh_token') < 50, 'no busy loop')
  await application.context.unroute(`${daikon.issuer}/**`)
  await page.waitForFunction('events.at(-1).type === "refreshed"')
  t.is(typeof (await run(page, 'return await daikon.getAccessToken()')), 'string')
  const types: string[] = await run(page, `return ${describeEvents}`)
  t.deepEqual([...new Set(types)], ['signedIn', 'unavailable', 'refreshed'])
  const [event] = await run(page, 'return events.filter(({ type }) => type === "unavailable")')
  t.true(event.retryInMs >= 500 && event.retryInMs <= 1000)
})

browserTest('rate limits and responses of captive portals are treated as temporary', async (t) => {
  const application = await createApplication(t)
  const page = await openSignedIn(application)
  const respond = async (response: { status: number; body: string; retryAfter?: string }) => {
    const { status, body, retryAfter = '' } = response
    const headers = {
      'access-control-allow-origin': app.url,
      'access-control-expose-headers': 'retry-after',
      ...(retryAfter && { 'retry-after': retryAfter }),
    }
    const fulfill = { status, body, headers }
    await application.context.route('**/oauth/token', (route) => route.fulfill(fulfill))
    const forced = await run(page, 'return await daikon.getAccessToken({ forceRefresh: true })')
    const [event] = await run(page, 'return events.slice(-1)')
    await application.context.unroute('**/oauth/token')
    return { error: forced.error, event }
  }
  const captivePortal = await respond({ status: 200, body: '<h1>Welcome to the airport</h1>' })
  t.like(captivePortal.error, { name: 'UnavailableError', reason: 'UNEXPECTED_RESPONSE' })
  t.is(captivePortal.event.type, 'unavailable')
  t.is(typeof (await run(page, 'return await daikon.getAccessToken()')), 'string', 'still valid')
  await page.waitForFunction('events.at(-1).type === "refreshed"')

  const limited = { error: 'temporarily_unavailable', error_description: 'Too many requests' }
  const rateLimited = await respond({ status: 429, body: JSON.stringify(limited), retryAfter: '7' })
  t.like(rateLimited.error, { code: 'resource_exhausted', retryAfterMs: 7000 })
  t.true(rateLimited.event.retryInMs >= 7000)
  t.is(typeof (await run(page, 'return await daikon.getAccessToken()')), 'string')
})

browserTest('a list of workspaces that is none is an error', async (t) => {
  const application = await createApplication(t)
  const page = await openSignedIn(application)
  const headers = { 'access-control-allow-origin': app.url }
  for (const body of ['', '{}', 'null']) {
    await application.context.route('**/workspaces', (route) =>
      route.request().method() === 'GET' ? route.fulfill({ body, headers }) : route.continue(),
    )
    const { error } = await run(page, 'return await daikon.workspaces()')
    t.like(error, { name: 'UnavailableError', reason: 'UNEXPECTED_RESPONSE' }, body)
    await application.context.unroute('**/workspaces')
  }
})

browserTest('a response without results is an error, and not a denial', async (t) => {
  const application = await createApplication(t)
  const page = await openSignedIn(application)
  const headers = { 'access-control-allow-origin': app.url }
  for (const body of ['', '{}', 'null', '{"results":[]}', '{"results":[{"allowed":"true"}]}']) {
    await application.context.route('**/permissions/check', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ body, headers }) : route.continue(),
    )
    const { error } = await run(
      page,
      `return await daikon.can('view', { type: 'document', id: 'x' })`,
    )
    t.like(error, { name: 'UnavailableError', reason: 'UNEXPECTED_RESPONSE' }, body)
    await application.context.unroute('**/permissions/check')
  }
})

browserTest('a callback is accepted once, in the tab that started it', async (t) => {
  const application = await createApplication(t)
  const page = await application.open('callback?code=stolen&state=unknown')
  const failure = 'const { name, reason } = failure; return { name, reason }'
  t.deepEqual(await run(page, failure), { name: 'SignInError', reason: 'STATE_MISMATCH' })
  t.is(await run(page, 'return daikon.user'), null)
  t.is(application.requests('/oauth/token'), 0, 'the code is not used')
  t.is(await page.evaluate('location.search'), '')

  // Simulates responses with the state of this sign-in that are invalid in other ways.
  const start = async (parameters: string) => {
    await application.context.route('**/oauth/authorize?*', async (route) => {
      const state = new URL(route.request().url()).searchParams.get('state')
      const location = `${app.url}/${application.name}/callback?state=${state}&${parameters}`
      await route.fulfill({ status: 302, headers: { location } })
    })
    // Another address each time, for which the test can wait.
    const returnTo = `${app.url}/${application.name}/${randomUUID()}`
    await Promise.all([
      page.waitForURL(returnTo),
      run(page, `daikon.signIn({ returnTo: '${returnTo}' })`),
    ])
    await started(page)
    await application.context.unroute('**/oauth/authorize?*')
    return run(page, 'return failure && { reason: failure.reason, message: failure.message }')
  }
  const denied = await start('error=access_denied&error_description=Not+verified')
  t.deepEqual(denied, { reason: 'ACCESS_DENIED', message: 'Not verified' })
  t.is((await start('code=a&iss=https://evil.example.com')).reason, 'ISSUER_MISMATCH')
  t.is((await start('code=unknown')).reason, 'INVALID_GRANT')

  const rejected = await run(page, 'await daikon.signIn({ returnTo: "https://evil.example.com" })')
  t.like(rejected.error, { name: 'InvalidArgumentError', fields: [{ field: 'returnTo' }] })
  // Without a session, `prompt: none` results in neither a user nor an error.
  const returnTo = `${app.url}/${application.name}/silent`
  await Promise.all([
    page.waitForURL(returnTo),
    run(page, `daikon.signIn({ prompt: 'none', returnTo: '${returnTo}' })`),
  ])
  await started(page)
  t.deepEqual(await run(page, 'return [daikon.user, window.failure]'), [null, undefined])
})

browserTest('switching the workspace applies to every tab', async (t) => {
  const application = await createApplication(t)
  const first = await openSignedIn(application)
  const second = await application.openAnother()
  const user = await run(first, 'return daikon.user')
  const { seed } = daikon.environment
  const workspace = await seed.workspace('Second')
  await seed.member(workspace, user.id, 'editor')
  const workspaces = await run(first, 'return await daikon.workspaces()')
  t.deepEqual(workspaces.find(({ id }: { id: string }) => id === workspace)?.role, 'editor')
  const id = await registerDocument(first)
  const can = `return await daikon.can('view', { type: 'document', id: '${id}' })`
  t.is(await run(second, can), true)

  const switched = await run(second, `return await daikon.switchWorkspace('${workspace}')`)
  t.is(switched.workspace.id, workspace)
  await first.waitForFunction(`daikon.user.workspace.id === '${workspace}'`)
  t.is((await run(first, `return ${describeEvents}`)).at(-1), 'workspaceSwitched')
  t.is(await run(first, can), false, 'the document is in the other workspace')

  const foreign = await seed.workspace('Foreign')
  const { error } = await run(first, `return await daikon.switchWorkspace('${foreign}')`)
  t.like(error, { name: 'PermissionDeniedError', code: 'permission_denied' })
  t.is(await run(first, 'return daikon.user.workspace.id'), workspace, 'the session remains')
  t.is(
    await run(first, `return (await daikon.switchWorkspace('${user.workspace.id}')).workspace.id`),
    user.workspace.id,
  )
  await second.waitForFunction(`daikon.user.workspace.id === '${user.workspace.id}'`)
  t.is(await run(second, can), true)
})

browserTest('checks of one turn share a request, and results are not cached', async (t) => {
  const application = await createApplication(t)
  const page = await openSignedIn(application)
  const id = await registerDocument(page)
  const path = '/users/me/permissions/check'
  const code = `
    const own = { type: 'document', id: '${id}' }
    const one = daikon.can('view', own)
    await Promise.resolve()
    const actions = ['view', 'edit', 'manage', 'unknown']
    const many = daikon.canMany(actions.map((action) => ({ action, resource: own })))
    const other = daikon.can('view', { type: 'document', id: 'any text' })
    const invalid = daikon.can('view', { type: 'document\\n', id: 'x' }).catch(({ reason, fields }) => ({ reason, fields }))
    return [await one, await many, await other, await invalid]`
  const [one, many, other, invalid] = await run(page, code)
  t.is(one, true)
  t.deepEqual(many, [true, true, true, false])
  t.is(other, false)
  t.is(invalid.fields?.[0]?.field, 'resource_type')
  t.is(application.requests(path, 'POST'), 2, 'the valid ones once more, without the invalid one')

  const items = `Array.from({ length: 250 }, (_, index) => ({ action: 'view', resource: { type: 'document', id: String(index) } }))`
  t.is((await run(page, `return await daikon.canMany(${items})`)).length, 250)
  t.is(application.requests(path, 'POST'), 5, '100 in a request')
  t.deepEqual(await run(page, 'return await daikon.canMany([])'), [])

  await daikon.environment.pool.query('delete from resources where resource_id = $1', [id])
  t.is(await run(page, `return await daikon.can('view', { type: 'document', id: '${id}' })`), false)

  const { error } = await run(page, `return await daikon.can('', { type: 'document' })`)
  t.like(error, { name: 'InvalidArgumentError', reason: 'INVALID_REQUEST' })
  t.deepEqual(
    error.fields.map(({ field }: { field: string }) => field),
    ['action', 'resource.id'],
  )
})

browserTest('conditions read the context of a check', async (t) => {
  const application = await createApplication(t)
  const page = await openSignedIn(application)
  const [transport] = daikon.environment.transports as [Transport]
  expectOk(
    await transport.call('PutResourceType', {
      service_name: 'docs',
      resource_type: 'vault',
      roles: [],
      conditions: [{ name: 'in_office', expression: "context.network == 'office'" }],
      requirements: [{ action: 'view', condition: 'in_office' }],
    }),
  )
  const id = await registerDocument(page, randomUUID(), 'vault')
  const code = `
    const resource = { type: 'vault', id: '${id}' }
    const [office, home] = [{ context: { network: 'office' } }, { context: { network: 'home' } }]
    const isAllowed = new Promise((resolve) =>
      daikon.watchCan('view', resource, (is) => is !== undefined && resolve(is), office))
    const many = daikon.canMany([
      { action: 'view', resource, ...home },
      { action: 'view', resource, ...office },
      { action: 'view', resource },
    ])
    return [await daikon.can('view', resource, office), await many, await isAllowed]`
  t.deepEqual(await run(page, code), [true, [false, true, false], true])
})

browserTest('unknown options are refused, with the nearest name', async (t) => {
  const application = await createApplication(t)
  const page = await openSignedIn(application)
  const resource = `{ type: 'document', id: '1' }`
  for (const [code, message] of [
    ['signIn({ returnto: "/" })', 'returnto is not an option of signIn; did you mean returnTo?'],
    [
      'signOut({ redirects: false })',
      'redirects is not an option of signOut; did you mean redirect?',
    ],
    ['getAccessToken({ force: true })', 'force is not an option of getAccessToken'],
    [
      `can('view', ${resource}, { contxt: {} })`,
      'contxt is not an option of a check; did you mean context?',
    ],
    [
      `canMany([{ action: 'view', resource: ${resource}, contxt: {} }])`,
      'checks[0].contxt is not an option of canMany; did you mean context?',
    ],
    [
      `watchCan('view', ${resource}, () => {}, { contxt: {} })`,
      'contxt is not an option of a check; did you mean context?',
    ],
  ] as const) {
    const { error } = await run(page, `await daikon.${code}`)
    t.like(error, { name: 'InvalidArgumentError', message }, code)
  }
  const options = JSON.stringify({
    issuer: 'http://127.0.0.1:1',
    clientId: 'c',
    redirectUri: page.url(),
    timeoutMS: 5,
  })
  const { error } = await run(page, `client.createDaikonBrowser(${options})`)
  t.regex(
    error.message,
    /^timeoutMS is not an option of createDaikonBrowser; did you mean timeoutMs/,
  )
  // A button may pass its event.
  t.falsy((await run(page, 'await daikon.signOut(new Event("click"))'))?.error)
})

browserTest('errors for invalid options name the options', async (t) => {
  const application = await createApplication(t)
  const page = await application.open()
  const create = (options: object) =>
    run(page, `client.createDaikonBrowser(${JSON.stringify(options)})`)
  const { error } = await create({
    issuer: 'auth',
    redirectUri: 'https://elsewhere.example.com/',
    storage: 'cookie',
    scope: 'email',
    apiOrigins: ['https://api.example.com/'],
  })
  t.like(error, { name: 'InvalidArgumentError', code: 'invalid_argument' })
  t.deepEqual(
    error.fields.map(({ field }: { field: string }) => field),
    ['issuer', 'clientId', 'redirectUri', 'scope', 'storage', 'apiOrigins[0]'],
  )
})
