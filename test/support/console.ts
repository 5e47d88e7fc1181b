import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { readConfig } from '../../src/config/config.ts'
import { findFreePort } from '../../src/core/free-port.ts'
import { createLogger } from '../../src/core/logger.ts'
import { type MockPerson, startMockProviders } from '../../src/dev/mock-providers.ts'
import { createKeyFiles } from '../../src/identity/keys.ts'
import { providerNames } from '../../src/identity/providers/provider.ts'
import { type RunningServer, start } from '../../src/server/start.ts'
import { launchBrowser } from './browser.ts'
import { cloneDatabase } from './database.ts'
import { createSeed } from './seed.ts'

/** The administrator of every console fixture. */
export const administrator = { name: 'Alice Lindqvist', email: 'alice@example.com' }

/** A user who can sign in at the provider but is not an administrator. */
export const member = { name: 'Bob Okafor', email: 'bob@example.com' }

/** A server with its console, a separate database and a browser. */
export type ConsoleFixture = Awaited<ReturnType<typeof startConsole>>

/** Starts the server that production runs, with the admin console and mock identity providers. */
export async function startConsole(settings: Record<string, string> = {}) {
  const database = await cloneDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'daikon-console-'))
  const keys = { privatePath: join(folder, 'private.pem'), publicPath: join(folder, 'public.pem') }
  createKeyFiles(keys)
  const [httpPort, consolePort] = [await findFreePort(), await findFreePort()]
  const restUrl = `http://localhost:${httpPort}`
  const consoleUrl = `http://localhost:${consolePort}`
  const people: MockPerson[] = [administrator, member].map((person) => ({
    ...person,
    hostedDomain: 'example.com',
  }))
  const redirectUris = providerNames.map((name) => `${restUrl}/auth/admin/callback/${name}`)
  const providers = await startMockProviders({
    people,
    client: { id: 'daikon', secret: 'secret', redirectUris },
  })
  const config = readConfig({
    ...providers.environment,
    DATABASE_URL: database.url,
    HTTP_PORT: String(httpPort),
    CONSOLE_PORT: String(consolePort),
    GRPC_PORT: '0',
    METRICS_PORT: '0',
    BASE_URL: restUrl,
    ADMIN_URL: consoleUrl,
    ADMIN_EMAILS: administrator.email,
    RATE_LIMIT_ENABLED: 'false',
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
  const browser = await launchBrowser()
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
      await browser.close()
      await server?.stop()
      await providers.close()
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

type ContextOptions = NonNullable<Parameters<Browser['newContext']>[0]>

/** Opens a context without cookies. The timeout is generous, because tests wait for conditions. */
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
  context.setDefaultTimeout(60_000)
  return context
}

/** Opens another screen without reloading the console, like a click on a link. */
export async function navigate(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`)
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
