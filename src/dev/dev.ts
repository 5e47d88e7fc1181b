import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { exitAfterFailure } from '../cli/failure.ts'
import { onParentExit } from '../cli/parent-exit.ts'
import { signDemoToken } from '../cli/token.ts'
import { findMisspeltSettings } from '../config/misspelt-settings.ts'
import { createLogger } from '../core/logger.ts'
import { isLoopbackUrl } from '../core/loopback.ts'
import { openDatabase } from '../database/database.ts'
import { providerNames } from '../identity/providers/provider.ts'
import { titleOf } from '../identity/providers/sign-in-methods.ts'
import { createSecret } from '../identity/secret.ts'
import { createServiceKey } from '../identity/service-keys.ts'
import { createMissingKeys } from '../server/bootstrap.ts'
import { readConfig, settings } from '../server/config.ts'
import { signInMethods } from '../server/features.ts'
import { pickPorts, portSettings } from '../server/ports.ts'
import { start } from '../server/start.ts'
import { createStores } from '../server/stores.ts'
import { buildOutdatedConsole } from './console-build.ts'
import { startDemoApp } from './demo-app.ts'
import { demo, seedDemoData } from './demo-data.ts'
import { startDocsSite } from './docs-site.ts'
import { startMockMailbox } from './mock-mailbox.ts'
import { startMockProviders } from './mock-providers.ts'
import { createDemoStores } from './store/demo-store.ts'
import { renderWelcome } from './welcome.ts'

/**
 * `npm run dev`: runs the server with demo data, mock identity providers and a demo application.
 */
async function dev(): Promise<void> {
  // Reports mistakes in the environment before anything starts.
  const environment = process.env
  const wanted = readConfig(environment)
  // The sign-in URLs contain the ports, so the ports must be known before the server starts.
  const ports = await pickPorts(wanted)
  const { BASE_URL, ADMIN_URL } = environment
  const daikonUrl = findUrl(BASE_URL, wanted.HTTP_PORT, ports.HTTP_PORT)
  const adminUrl = findUrl(ADMIN_URL, wanted.CONSOLE_PORT, ports.CONSOLE_PORT)
  const client = { id: 'daikon', secret: createSecret(), redirectUris: listRedirectUris(daikonUrl) }
  const people = Object.values(demo.people).map(({ name, email }) => ({
    name,
    email,
    // Lets each person sign in with all providers.
    hostedDomain: 'example.com',
  }))
  const providers = await startMockProviders({ port: ports.MOCK_PROVIDERS_PORT, people, client })
  const mailbox = await startMockMailbox({ port: ports.MOCK_MAILBOX_PORT })
  const mockProviders = providerNames.filter(
    (name) => !environment[`${name.toUpperCase()}_CLIENT_ID`],
  )

  const config = readConfig({
    ADMIN_EMAILS: demo.people.alice.email,
    LOG_FORMAT: 'pretty',
    // The demo application, the browser and pasted commands share an IP address.
    RATE_LIMIT_PER_MINUTE: '300',
    RATE_LIMIT_ADMIN_PER_MINUTE: '1000',
    SERVICE_RATE_LIMIT_PER_MINUTE: '6000',
    ...mailbox.environment,
    SIGN_IN_METHODS: listDevMethods(daikonUrl).join(','),
    ...environment,
    ...selectProviders(providers.environment, mockProviders),
    ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, `${port}`])),
    BASE_URL: daikonUrl,
    ADMIN_URL: adminUrl,
  })
  const log = createLogger(config.LOG_LEVEL, config.LOG_FORMAT)
  for (const { detail } of findMisspeltSettings(environment, Object.keys(settings)))
    log.warn(detail)
  for (const name of portSettings) {
    if (wanted[name] === 0 || wanted[name] === ports[name]) continue
    log.warn(`Port ${wanted[name]} is in use: ${name} is ${ports[name]}`)
  }
  createMissingKeys(config, log)
  const stopConsoleBuild = config.CONSOLE_ENABLED
    ? buildOutdatedConsole(log, config.ADMIN_URL)
    : undefined
  const serviceKey = loadServiceKey(config.DATA_DIR)
  const consoleUrl = config.CONSOLE_ENABLED ? config.ADMIN_URL : undefined
  const app = await startDemoApp({ port: ports.DEMO_PORT, daikonUrl, consoleUrl, serviceKey })
  const docs = await startDocsSite({ port: ports.DOCS_PORT })
  const server = await start(config, log, {
    isConsoleBeingBuilt: stopConsoleBuild !== undefined,
    async prepare(databaseUrl) {
      const database = await openDatabase(databaseUrl, () => {})
      await seedDemoData(createDemoStores(database.fork()), serviceKey, `${app.url}/callback`)
      await database.close()
    },
  })
  const stores = createStores(server.database.fork())
  process.stdout.write(
    renderWelcome({
      config,
      server,
      serviceKey,
      appUrl: app.url,
      docsUrl: docs?.url,
      providersUrl: providers.url,
      mailboxUrl: mailbox.url,
      mockProviders: mockProviders.map((name) => titleOf(config, name)),
      isConsoleBeingBuilt: stopConsoleBuild !== undefined,
      token: await signDemoToken(stores, config, demo.people.bob.email, demo.slug),
    }),
  )

  let isStopping = false
  const stop = async () => {
    if (isStopping) return
    isStopping = true
    stopConsoleBuild?.()
    await Promise.all([app.close(), docs?.close(), providers.close(), server.stop()])
    await mailbox.close()
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop)
  onParentExit(stop)
}

/**
 * Returns the URL of a server: of its port on this machine, unless the environment sets another
 * address.
 */
function findUrl(setting: string | undefined, wantedPort: number, port: number): string {
  const url = new URL(setting || `http://localhost:${wantedPort}`)
  if (isLoopbackUrl(url.href) && Number(url.port) === wantedPort) url.port = `${port}`
  return url.href.replace(/\/$/, '')
}

/** Returns every sign-in method that works on this machine: passkeys need a host with a name. */
function listDevMethods(daikonUrl: string): string[] {
  const isAddress = isIP(new URL(daikonUrl).hostname.replace(/^\[|\]$/g, '')) !== 0
  const own = signInMethods.map(({ name }) => name)
  return [...providerNames, ...own.filter((name) => name !== 'passkey' || !isAddress)]
}

function listRedirectUris(daikonUrl: string): string[] {
  return providerNames.flatMap((name) => [
    `${daikonUrl}/auth/callback/${name}`,
    `${daikonUrl}/auth/admin/callback/${name}`,
  ])
}

/** Returns the settings of the named providers. The environment configures the others. */
function selectProviders(settings: Record<string, string>, names: string[]) {
  const prefixes = names.map((name) => `${name.toUpperCase()}_`)
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => prefixes.some((prefix) => name.startsWith(prefix))),
  )
}

/** Loads or creates the demo's service key, which stays the same across restarts. */
function loadServiceKey(dataDir: string): string {
  const path = join(dataDir, 'demo-service-key')
  if (!existsSync(path)) {
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(path, createServiceKey(), { mode: 0o600 })
  }
  return readFileSync(path, 'utf8').trim()
}

dev().catch(exitAfterFailure)
