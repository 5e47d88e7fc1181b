import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { findFreePort } from '../../src/core/free-port.ts'
import { createLogger } from '../../src/core/logger.ts'
import { createKeyFiles } from '../../src/identity/keys.ts'
import { readConfig } from '../../src/server/config.ts'
import { start } from '../../src/server/start.ts'
import { launchBrowser } from '../../test/support/browser.ts'
import { openContext, signIn } from '../../test/support/console.ts'
import { administrator, type ConsoleDataSize, fillDatabase, registerResources } from './data.ts'

/** A server with its console and a large data set, and a browser on a slow CPU. */
export type ConsoleEnvironment = {
  size: ConsoleDataSize
  databaseUrl: string
  consoleUrl: string
  /** Opens a page with a signed-in administrator and an empty cache. */
  openPage(): Promise<Page>
  /** The origins of requests that went to neither the console nor the REST API. */
  foreignOrigins(): string[]
  requestCount(): number
  stop(): Promise<void>
}

/**
 * Starts the environment. Its data is kept in BENCH_FOLDER, or in a temporary folder, for the next
 * run.
 */
export async function startConsoleEnvironment(
  people: number,
  cpuSlowdown: number,
): Promise<ConsoleEnvironment> {
  const size = { people, entries: people }
  const folder = process.env.BENCH_FOLDER ?? join(tmpdir(), `daikon-bench-console-${people}`)
  mkdirSync(folder, { recursive: true })
  const keys = { privatePath: join(folder, 'private.pem'), publicPath: join(folder, 'public.pem') }
  if (!existsSync(keys.privatePath)) createKeyFiles(keys)
  const [httpPort, consolePort] = [await findFreePort(), await findFreePort()]
  const restUrl = `http://localhost:${httpPort}`
  const consoleUrl = `http://localhost:${consolePort}`
  const config = readConfig({
    DATA_DIR: folder,
    HTTP_PORT: String(httpPort),
    CONSOLE_PORT: String(consolePort),
    GRPC_PORT: '0',
    METRICS_PORT: '0',
    BASE_URL: restUrl,
    ADMIN_URL: consoleUrl,
    RATE_LIMIT_ENABLED: 'false',
    JWT_PRIVATE_KEY_PATH: keys.privatePath,
    JWT_PUBLIC_KEY_PATH: keys.publicPath,
  })
  const log = createLogger('error', 'json')
  const server = await start(config, log, { prepare: (url) => fillDatabase(url, size) })
  await registerResources(restUrl)
  const browser = await launchBrowser()
  const requests = new Map<string, number>()

  async function openSignedInContext(): Promise<BrowserContext> {
    const context = await openContext(browser)
    const claims = {
      sub: administrator.id,
      jti: randomUUID(),
      ...administrator,
      admin: true as const,
    }
    await signIn(context, await server.application.tokens.sign('admin_access', claims, 3600))
    context.on('request', (request) => {
      const { origin } = new URL(request.url())
      requests.set(origin, (requests.get(origin) ?? 0) + 1)
    })
    return context
  }

  return {
    size,
    databaseUrl: server.databaseUrl,
    consoleUrl,
    async openPage() {
      const context = await openSignedInContext()
      const page = await context.newPage()
      const session = await context.newCDPSession(page)
      await session.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown })
      return page
    },
    foreignOrigins: () =>
      [...requests.keys()].filter((url) => url !== restUrl && url !== consoleUrl),
    requestCount: () => [...requests.values()].reduce((sum, count) => sum + count, 0),
    async stop() {
      await browser.close()
      await server.stop()
    },
  }
}
