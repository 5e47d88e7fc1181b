import { randomUUID } from 'node:crypto'
import type { Browser, BrowserContext, Locator, Page, Request } from 'playwright-core'
import { findFreePort } from '../../src/core/free-port.ts'
import { createLogger } from '../../src/core/logger.ts'
import { type MockPerson, startMockProviders } from '../../src/dev/mock-providers.ts'
import { providerNames } from '../../src/identity/providers/provider.ts'
import { readConfig } from '../../src/server/config.ts'
import { type RunningServer, start } from '../../src/server/start.ts'
import { prepareContext, shareBrowser } from './browser.ts'
import { cloneDatabase } from './database.ts'
import { startDatabaseProxy } from './proxy.ts'
import { createSeed, testEncryptionKey } from './seed.ts'
import { findTestKeys } from './test-keys.ts'
import { waitUntil } from './wait-until.ts'

/** The administrator of every console fixture. */
export const administrator = { name: 'Alice Lindqvist', email: 'alice@example.com' }

/** A user who can sign in at the provider but is not an administrator. */
export const member = { name: 'Bob Okafor', email: 'bob@example.com' }

/** A server with its console, a separate database and a browser. */
export type ConsoleFixture = Awaited<ReturnType<typeof startConsole>>

/** Starts the server that production runs, with the admin console and mock identity providers. */
export async function startConsole(
  settings: Record<string, string> = {},
  users: { name: string; email: string }[] = [],
) {
  const database = await cloneDatabase()
  const databaseProxy = await startDatabaseProxy(database.url)
  const keys = await findTestKeys()
  const [httpPort, consolePort] = [await findFreePort(), await findFreePort()]
  const restUrl = `http://localhost:${httpPort}`
  const consoleUrl = `http://localhost:${consolePort}`
  const people: MockPerson[] = [administrator, member, ...users].map((person) => ({
    ...person,
    hostedDomain: 'example.com',
  }))
  const redirectUris = providerNames.flatMap((name) =>
    ['auth/admin', 'auth'].map((flow) => `${restUrl}/${flow}/callback/${name}`),
  )
  const providers = await startMockProviders({
    people,
    client: { id: 'daikon', secret: 'secret', redirectUris },
  })
  const config = readConfig({
    ...providers.environment,
    DATABASE_URL: databaseProxy.url,
    HTTP_PORT: String(httpPort),
    CONSOLE_PORT: String(consolePort),
    GRPC_PORT: '0',
    METRICS_PORT: '0',
    BASE_URL: restUrl,
    ADMIN_URL: consoleUrl,
    ADMIN_EMAILS: administrator.email,
    RATE_LIMIT_ENABLED: 'false',
    SECRETS_ENCRYPTION_KEY: testEncryptionKey.toString('base64'),
    JWT_PRIVATE_KEY_PATH: keys.privatePath,
    JWT_PUBLIC_KEY_PATH: keys.publicPath,
    ...settings,
  })
  const log = createLogger('error', 'json')
  const seed = createSeed(database.pool)
  const adminId = await seed.user(administrator.name, {
    email: administrator.email,
    is_admin: true,
  })
  const { browser, leave: leaveBrowser } = await shareBrowser()
  let server: RunningServer | undefined = await start(config, log)

  /** Signs an admin token that is valid for `seconds`. */
  async function signAdminToken(seconds = 3600): Promise<string> {
    const claims = { sub: adminId, jti: randomUUID(), ...administrator, admin: true as const }
    const tokens = server?.application.tokens
    if (!tokens) throw new Error('The server has been stopped')
    return tokens.sign('admin_access', claims, seconds)
  }

  return {
    pool: database.pool,
    /** The server's connection to the database, which can be cut. */
    databaseProxy,
    seed,
    browser,
    restUrl,
    consoleUrl,
    adminId,
    signAdminToken,
    /** Stops the server. `startServer` reuses its ports. */
    async stopServer() {
      await server?.stop()
      server = undefined
    },
    async startServer() {
      server = await start(config, log)
    },
    /** Calls the API as the administrator. */
    async call(method: string, path: string, body?: unknown): Promise<any> {
      const response = await fetch(`${restUrl}${path}`, {
        method,
        headers: {
          cookie: `admin_token=${await signAdminToken()}`,
          origin: consoleUrl,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return text ? JSON.parse(text) : undefined
    },
    /** Opens a page at a path of the console, signed in as the administrator. */
    async openPage(path: string, options: ContextOptions = {}): Promise<Page> {
      const context = await openContext(browser, options)
      await signIn(context, await signAdminToken())
      const page = await context.newPage()
      await page.goto(`${consoleUrl}${path}`)
      return page
    },
    async stop() {
      await leaveBrowser()
      await server?.stop()
      await providers.close()
      await databaseProxy.close()
      await database.drop()
    },
  }
}

/** The requests of each context that have no response yet. */
const pendingRequests = new WeakMap<BrowserContext, Set<Request>>()

type ContextOptions = NonNullable<Parameters<Browser['newContext']>[0]>

/** Opens a context without cookies. */
export async function openContext(
  browser: Browser,
  options: ContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({
    locale: 'en-GB',
    timezoneId: 'Europe/Stockholm',
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 860 },
    ...options,
  })
  prepareContext(context)
  const pending = new Set<Request>()
  pendingRequests.set(context, pending)
  context.on('request', (request) => pending.add(request))
  context.on('requestfinished', (request) => pending.delete(request))
  context.on('requestfailed', (request) => pending.delete(request))
  // The console does not read this response, so it may never be finished.
  context.on('response', (response) => {
    if (response.status() === 401) pending.delete(response.request())
  })
  // Nothing is reported of the requests of a page that has closed, such as the one for its icon.
  context.on('page', (page) =>
    page.on('close', () => {
      for (const request of pending) if (request.frame().page() === page) pending.delete(request)
    }),
  )
  return context
}

/**
 * Waits until a page has rendered everything and sends no requests. Before, the tab that is left is dimmed, and the
 * first request after the session has ended would open a dialog above what a test is about to click.
 */
export async function waitUntilIdle(page: Page): Promise<void> {
  const pending = pendingRequests.get(page.context())
  await waitUntil(async () => {
    if (pending?.size !== 0) return false
    // Without the limit, a page that paints nothing might never be idle.
    await page.evaluate('new Promise((done) => requestIdleCallback(done, { timeout: 1000 }))')
    const unfinished = await page.locator('[data-stale], [aria-label="Loading"]').count()
    return pending.size === 0 && unfinished === 0
  })
}

/**
 * Opens another screen without reloading the console, like a click on a link, after the current one has loaded, and
 * waits until it has loaded: texts that both contain would otherwise be found on the old one. A list or the page of an
 * object that is opened again with other parameters remains.
 */
export async function navigate(page: Page, path: string): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.evaluate(`{
    const readScreen = (path) => {
      const [, section, object] = path.split('?')[0].split('/')
      return [section, object !== undefined].join()
    }
    if (readScreen(${JSON.stringify(path)}) !== readScreen(location.pathname))
      for (const heading of document.querySelectorAll('h1')) heading.dataset.left = ''
    history.pushState({}, '', ${JSON.stringify(path)})
  }`)
  await page.locator('h1[data-left]').waitFor({ state: 'detached' })
  await waitUntilIdle(page)
}

/** Waits until a field shows a value, which can follow the URL or the answer of the server. */
export function waitForValue(field: Locator, value: string): Promise<void> {
  return waitUntil(async () => (await field.inputValue()) === value)
}

/** Replaces the session of a browser context. */
export function signIn(context: BrowserContext, token: string): Promise<void> {
  return context.addCookies([
    {
      name: 'admin_token',
      value: token,
      domain: 'localhost',
      path: '/',
      httpOnly: true,
      sameSite: 'Strict',
    },
  ])
}
