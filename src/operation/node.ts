import { setTimeout as sleep } from 'node:timers/promises'
import { warnOfDevelopmentMode } from '../admin/development-mode.ts'
import { type App, createApp } from '../app.ts'
import type { Config } from '../config.ts'
import { createProviders } from '../identity/providers/providers.ts'
import type { Windows } from '../limits/windows.ts'
import type { Logger } from '../log.ts'
import { repeat } from '../repeat.ts'
import type { Ending } from '../rpc/pipeline.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import { startSweeping } from '../storage/sweep.ts'
import { createCallLog } from './call-log.ts'
import { readOrMakeKeys } from './ground.ts'
import { readGrpcTls } from './grpc-tls.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { createReadiness, type Readiness } from './readiness.ts'
import { startTracing } from './tracing.ts'

/** One process that answers at both doors. */
export type Node = {
  app: App
  database: Database
  grpcPort: number
  httpPort: number
  metrics: Metrics
  readReadiness(): Promise<Readiness>
  /** Not ready from now on; drains the doors, then lets go of storage. */
  stop(): Promise<void>
}

/** Milliseconds between looks at what health says. */
const healthInterval = 2000

const minute = 60_000

/**
 * Milliseconds for checks that have waited for the gRPC door: to read entities, façade and the other
 * use cases takes this thread longer than it took to get here.
 */
const headStart = 150

/** Settings → adapters → app → listening, over a database that is migrated. */
export async function startNode(config: Config, log: Logger, windows: Windows): Promise<Node> {
  const warn = (text: string) => log.warn(text)
  const keysRequired = config.SERVICE_KEYS_REQUIRED
  const database = openDatabase(config.DATABASE_URL, warn)
  const readiness = createReadiness({
    ...{ windows, keysRequired, control: database.control },
    hasRedis: config.REDIS_URL.length > 0,
  })
  const metrics = createMetrics(database.counts, readiness.read)
  const writeLine = createCallLog(log)
  const onEnd = (ending: Ending) => {
    metrics.noteCall(ending)
    writeLine(ending)
  }
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT
  const tracing = endpoint ? await startTracing(endpoint) : undefined
  const close = async () => {
    await tracing?.stop().catch((error) => log.warn({ err: error }, 'Spans were not sent'))
    await windows.close()
    await database.close()
  }
  try {
    const app = createApp({
      ...{ database, windows, warn, now: () => new Date() },
      keys: await readOrMakeKeys(config, log),
      providers: createProviders(config),
      onFailure: (fault, { requestId }) =>
        log.error({ request_id: requestId, reason: fault.reason, err: fault.cause }, fault.message),
      watch: { onEnd, onBatch: metrics.noteBatch, trace: tracing?.trace },
      options: readOptions(config),
    })
    const grpcPort = await app.openInside(config.GRPC_HOST, config.GRPC_PORT)
    await sleep(headStart)
    const em = await database.fork()
    await warnOfDevelopmentMode(em, { warn, identity: { options: { keysRequired } } })
    const httpPort = await app.openOutside(config.HTTP_HOST, config.HTTP_PORT)

    const failed = (text: string) => (error: unknown) => log.error({ err: error }, text)
    const onUnwritten = failed('Writing when keys were used failed')
    const writeKeyUses = () => app.writeKeyUses().then(() => false)
    const followReadiness = async () => {
      app.setServing((await readiness.read()).ready)
      return false
    }
    const chores = [
      startSweeping(database, failed('Sweeping failed')),
      repeat(writeKeyUses, minute, onUnwritten),
      repeat(followReadiness, healthInterval, failed('Readiness is unknown')),
    ]
    return {
      ...{ app, database, metrics, grpcPort, httpPort },
      readReadiness: readiness.read,
      async stop() {
        readiness.drain()
        await Promise.all(chores.map((chore) => chore.stop()))
        await app.drain()
        await writeKeyUses().catch(onUnwritten)
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

function readOptions(config: Config): Parameters<typeof createApp>[0]['options'] {
  return {
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
    allowedHosts: config.ALLOWED_HOSTS,
    corsOrigins: config.CORS_ORIGINS,
    grpcTls: readGrpcTls(config),
  }
}
