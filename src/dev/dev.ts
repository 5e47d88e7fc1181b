import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exitAfterFailure } from '../cli/failure.ts'
import { onParentExit } from '../cli/parent-exit.ts'
import { signDemoToken } from '../cli/token.ts'
import { readConfig } from '../config/config.ts'
import { findFreePort } from '../core/free-port.ts'
import { createLogger } from '../core/logger.ts'
import { openDatabase } from '../database/database.ts'
import { providerNames, providerTitles } from '../identity/providers/provider.ts'
import { createSecret } from '../identity/secret.ts'
import { createServiceKey } from '../identity/service-keys.ts'
import { createMissingKeys } from '../server/bootstrap.ts'
import { start } from '../server/start.ts'
import { buildOutdatedConsole } from './console-build.ts'
import { startDemoApp } from './demo-app.ts'
import { demo, seedDemoData } from './demo-data.ts'
import { startMockProviders } from './mock-providers.ts'
import { renderWelcome } from './welcome.ts'

/**
 * `npm run dev`: runs the server with demo data, mock identity providers and a demo application.
 */
async function dev(): Promise<void> {
  // Reports mistakes in the environment before anything starts.
  const environment = process.env
  const { HTTP_PORT, CONSOLE_PORT, DEMO_PORT, MOCK_PROVIDERS_PORT } = readConfig(environment)

  // The sign-in URLs contain the ports, so the ports must be known before the server starts.
  const httpPort = HTTP_PORT || (await findFreePort())
  const daikonUrl = environment.BASE_URL || `http://localhost:${httpPort}`
  const consolePort = CONSOLE_PORT || (await findFreePort())
  const client = { id: 'daikon', secret: createSecret(), redirectUris: listRedirectUris(daikonUrl) }
  const people = Object.values(demo.people).map(({ name, email }) => ({
    name,
    email,
    // Lets each person sign in with all three providers.
    hostedDomain: 'example.com',
  }))
  const providers = await startMockProviders({ port: MOCK_PROVIDERS_PORT, people, client })
  const mockProviders = providerNames.filter(
    (name) => !environment[`${name.toUpperCase()}_CLIENT_ID`],
  )

  const config = readConfig({
    ADMIN_URL: `http://localhost:${consolePort}`,
    ADMIN_EMAILS: demo.people.alice.email,
    LOG_FORMAT: 'pretty',
    // The demo application, the browser and pasted commands share an IP address.
    RATE_LIMIT_PER_MINUTE: '300',
    RATE_LIMIT_ADMIN_PER_MINUTE: '1000',
    ...environment,
    ...selectProviders(providers.environment, mockProviders),
    HTTP_PORT: `${httpPort}`,
    CONSOLE_PORT: `${consolePort}`,
    BASE_URL: daikonUrl,
  })
  const log = createLogger(config.LOG_LEVEL, config.LOG_FORMAT)
  createMissingKeys(config, log)
  const stopConsoleBuild = config.CONSOLE_ENABLED
    ? buildOutdatedConsole(log, config.ADMIN_URL)
    : undefined
  const serviceKey = loadServiceKey(config.DATA_DIR)
  const consoleUrl = config.CONSOLE_ENABLED ? config.ADMIN_URL : undefined
  const app = await startDemoApp({ port: DEMO_PORT, daikonUrl, consoleUrl, serviceKey })
  const server = await start(config, log, {
    isConsoleBeingBuilt: stopConsoleBuild !== undefined,
    async prepare(databaseUrl) {
      const database = await openDatabase(databaseUrl, () => {})
      const context = { principal: {}, em: database.fork() }
      await seedDemoData(context, serviceKey, `${app.url}/callback`)
      await database.close()
    },
  })
  const em = server.database.fork()
  process.stdout.write(
    renderWelcome({
      config,
      server,
      serviceKey,
      appUrl: app.url,
      mockProviders: mockProviders.map((name) => providerTitles[name]),
      isConsoleBeingBuilt: stopConsoleBuild !== undefined,
      token: await signDemoToken(em, config, demo.people.bob.email, demo.slug),
    }),
  )

  let isStopping = false
  const stop = async () => {
    if (isStopping) return
    isStopping = true
    stopConsoleBuild?.()
    await Promise.all([app.close(), providers.close(), server.stop()])
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop)
  onParentExit(stop)
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
