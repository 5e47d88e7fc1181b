import { existsSync } from 'node:fs'
import { warnOfDevelopmentMode } from './admin/development-mode.ts'
import { type App, createApp } from './app.ts'
import type { Config } from './config.ts'
import { makeKeys, readKeys } from './identity/keys.ts'
import { createProviders } from './identity/providers/providers.ts'
import { createFallbackWindows } from './limits/fallback.ts'
import { createInProcessWindows } from './limits/in-process.ts'
import { createRedisWindows } from './limits/redis.ts'
import type { Windows } from './limits/windows.ts'
import type { Logger } from './log.ts'
import { repeat } from './repeat.ts'
import { type Database, migrate, openDatabase } from './storage/database.ts'
import { startEmbedded } from './storage/embedded.ts'
import { startSweeping } from './storage/sweep.ts'

/** A server that answers at both doors. */
export type Running = {
  app: App
  database: Database
  databaseUrl: string
  grpcPort: number
  httpPort: number
  /** Drains the doors, then lets go of storage. */
  stop(): Promise<void>
}

/** Settings → adapters → app → listening. */
export async function start(config: Config, log: Logger): Promise<Running> {
  const providers = createProviders(config)
  const embedded = config.DATABASE_URL
    ? undefined
    : await startEmbedded({ dataDir: config.DATA_DIR, log: (text) => log.info(text) })
  const databaseUrl = embedded?.url ?? config.DATABASE_URL
  const warn = (text: string) => log.warn(text)
  const database = await openDatabase(databaseUrl, warn)
  const windows = createWindows(config, log)
  const closeStorage = async () => {
    await windows.close()
    await database.close()
    await embedded?.stop()
  }
  try {
    for (const name of await migrate(databaseUrl)) log.info(`Migration ${name} applied`)
    const app = createApp({
      ...{ database, windows, now: () => new Date() },
      keys: await readOrMakeKeys(config, log),
      providers,
      warn,
      onFailure: (fault, { requestId }) =>
        log.error({ request_id: requestId, reason: fault.reason, err: fault.cause }, fault.message),
      options: {
        baseUrl: config.BASE_URL,
        adminUrl: config.ADMIN_URL,
        adminEmails: config.ADMIN_EMAILS,
        personalWorkspaces: config.PERSONAL_WORKSPACES,
        lifetimes: {
          access: config.ACCESS_TOKEN_EXPIRE_MINUTES * 60,
          refresh: config.REFRESH_TOKEN_EXPIRE_DAYS * 86_400,
          admin: config.ADMIN_TOKEN_EXPIRE_MINUTES * 60,
        },
        sessionSecret: config.SESSION_SECRET_KEY,
        secureCookies: config.COOKIE_SECURE,
        debug: config.DEBUG,
        keysRequired: config.SERVICE_KEYS_REQUIRED,
        globalLimit: config.RATE_LIMIT_ENABLED ? config.RATE_LIMIT_PER_MINUTE : undefined,
        trustedProxies: config.TRUSTED_PROXIES,
      },
    })
    if (!config.RATE_LIMIT_ENABLED) log.warn('RATE_LIMIT_ENABLED=false: nothing is limited')
    const options = { keysRequired: config.SERVICE_KEYS_REQUIRED }
    await warnOfDevelopmentMode(database.fork(), { warn, identity: { options } })
    const ports = await app.listen({
      grpcHost: config.GRPC_HOST,
      grpcPort: config.GRPC_PORT,
      httpHost: config.HTTP_HOST,
      httpPort: config.HTTP_PORT,
    })
    const sweeping = startSweeping(database, (error) =>
      log.error({ err: error }, 'Sweeping failed'),
    )
    const writeKeyUses = () => app.writeKeyUses().then(() => false)
    const onUnwritten = (error: unknown) =>
      log.error({ err: error }, 'Writing when keys were used failed')
    const keyUses = repeat(writeKeyUses, 60_000, onUnwritten)
    return {
      ...{ app, database, databaseUrl, ...ports },
      async stop() {
        await app.drain()
        await sweeping.stop()
        await keyUses.stop()
        await writeKeyUses().catch(onUnwritten)
        await closeStorage()
      },
    }
  } catch (error) {
    await closeStorage()
    throw error
  }
}

/** Limits are counted in Redis where there is one, in this process otherwise and meanwhile. */
function createWindows({ REDIS_URL: nodes }: Config, log: Logger): Windows {
  const local = createInProcessWindows()
  if (nodes.length > 0) {
    return createFallbackWindows({
      shared: createRedisWindows({ url: nodes.join(',') }),
      local,
      onDegraded: (reason) =>
        log.warn({ reason }, 'Redis fails: limits are counted in this process'),
      onRecovered: () => log.info('Redis is back: limits are counted there again'),
    })
  }
  log.info('REDIS_URL is empty: limits are counted in this process')
  return local
}

async function readOrMakeKeys(config: Config, log: Logger) {
  const paths = {
    privatePath: config.JWT_PRIVATE_KEY_PATH,
    publicPath: config.JWT_PUBLIC_KEY_PATH,
  }
  if (config.DEBUG && !existsSync(paths.privatePath) && !existsSync(paths.publicPath)) {
    makeKeys(paths)
    log.info(`New signing keys in ${paths.privatePath} and ${paths.publicPath}`)
  }
  return readKeys(paths)
}
