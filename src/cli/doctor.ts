import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { Command } from 'commander'
import type { Client } from 'pg'
import { type Config, ConfigError, readConfig } from '../config/config.ts'
import { loadKeys } from '../identity/key-source.ts'
import { explainFailure } from './failure.ts'
import { print } from './output.ts'
import { openPostgres } from './session.ts'

/** The result of one check of a deployment. */
type Finding = { check: string; ok: boolean; detail: string }

/**
 * Returns a description of what is correct. Throws an Error that describes the problem and how to
 * fix it.
 */
type Check = () => string | Promise<string>

const day = 86_400_000

/** In milliseconds. */
const maxClockDifference = 1000

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check a deployment against the production checklist; status 1 if it falls short')
    .action(async (_options, command) => {
      const findings = await examine(process.env)
      const lines = findings.map(
        ({ check, ok, detail }) => `${ok ? 'ok  ' : 'FAIL'}  ${check.padEnd(16)}  ${detail}`,
      )
      const failed = findings.filter(({ ok }) => !ok).length
      print(command, { ok: failed === 0, findings }, [
        ...lines,
        '',
        failed === 0 ? 'Nothing falls short.' : `${failed} of ${findings.length} checks failed.`,
      ])
      if (failed > 0) process.exitCode = 1
    })
}

async function examine(environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { config, mistakes } = readSettings(environment)
  const settings = mistakes.map((detail) => ({ check: 'settings', ok: false, detail }))
  if (!config) return settings
  if (mistakes.length === 0) settings.push({ check: 'settings', ok: true, detail: 'valid' })
  return [
    ...settings,
    ...(await runChecks(configurationChecks(config))),
    ...(await examineRedis(config)),
    ...(await examineDatabase(config)),
  ]
}

/** Falls back to DEBUG=true if the settings are invalid, so that the other checks can still run. */
function readSettings(environment: NodeJS.ProcessEnv): { config?: Config; mistakes: string[] } {
  try {
    return { config: readConfig(environment), mistakes: [] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const mistakes = error.message.split('\n')
    try {
      const config = readConfig({ ...environment, DEBUG: 'true' })
      return { config: { ...config, DEBUG: false }, mistakes }
    } catch {
      return { mistakes }
    }
  }
}

function configurationChecks(config: Config): Record<string, Check> {
  return {
    debug: () => expect(!config.DEBUG, 'DEBUG is false', 'DEBUG is true: set it to false'),
    https: () =>
      expect(
        config.BASE_URL.startsWith('https:') && config.COOKIE_SECURE,
        'the public URL and cookies use https',
        'BASE_URL must be https and COOKIE_SECURE true',
      ),
    proxies: () =>
      expect(
        config.TRUSTED_PROXIES > 0,
        `${config.TRUSTED_PROXIES} trusted`,
        'TRUSTED_PROXIES is 0: behind a proxy, all clients share one address and its rate limit',
      ),
    'service keys': () =>
      expect(
        config.SERVICE_KEYS_REQUIRED,
        'required',
        'SERVICE_KEYS_REQUIRED is false: without an active service app, every caller is accepted',
      ),
    providers: () => {
      const names = ['GOOGLE', 'MICROSOFT', 'GITHUB'] as const
      const configured = names.filter((name) => config[`${name}_CLIENT_ID`] !== '')
      return expect(
        configured.length > 0,
        configured.map((name) => name.toLowerCase()).join(', '),
        'nobody can sign in: set GOOGLE_CLIENT_ID, MICROSOFT_CLIENT_ID or GITHUB_CLIENT_ID',
      )
    },
    'signing keys': async () => {
      const keys = await loadKeys(config)
      const createdAt = keys.createdAt ?? statSync(config.JWT_PRIVATE_KEY_PATH).mtime
      const age = Math.floor((Date.now() - createdAt.getTime()) / day)
      return expect(
        age < 365,
        `${keys.verifying.size} for verification, the newest ${age} days old`,
        `the signing key is ${age} days old: run \`daikon keys rotate --schedule\` regularly`,
      )
    },
    'gRPC certificate': () => {
      if (config.GRPC_TLS_CERT_PATH === '') return 'none: gRPC is plain text, for a private network'
      const { validToDate } = new X509Certificate(readFileSync(config.GRPC_TLS_CERT_PATH))
      const days = Math.floor((validToDate.getTime() - Date.now()) / day)
      return expect(days >= 14, `valid for ${days} days`, `expires in ${days} days: renew it`)
    },
  }
}

async function examineRedis({ REDIS_URL: nodes }: Config): Promise<Finding[]> {
  const redis: Check = async () => {
    const [url] = nodes
    if (url === undefined) {
      throw new Error('REDIS_URL is empty: every node counts rate limits by itself')
    }
    const { Redis } = await import('ioredis')
    const client = new Redis(url, { lazyConnect: true, connectTimeout: 2000, retryStrategy: null })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.ping()
      return 'reachable'
    } catch (error) {
      throw new Error(`Redis does not respond: ${(error as Error).message}`)
    } finally {
      client.disconnect()
    }
  }
  return runChecks({ redis })
}

async function examineDatabase(config: Config): Promise<Finding[]> {
  try {
    const { Client } = (await import('pg')).default
    const { url, stop } = await openPostgres(config)
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 3000 })
    try {
      await client.connect()
      return await runChecks(databaseChecks(client, config))
    } finally {
      await client.end()
      await stop()
    }
  } catch (error) {
    return [{ check: 'database', ok: false, detail: (await explainFailure(error)).message }]
  }
}

function databaseChecks(client: Client, config: Config): Record<string, Check> {
  const read = async <Row>(sql: string): Promise<Row> => (await client.query(sql)).rows[0]
  return {
    database: async () => {
      const { version } = await read<{ version: string }>(
        "select current_setting('server_version_num') as version",
      )
      const major = Math.floor(Number(version) / 10_000)
      return expect(
        config.DATABASE_URL !== '' && major >= 15,
        `PostgreSQL ${major}`,
        config.DATABASE_URL === ''
          ? 'DATABASE_URL is empty: the bundled PostgreSQL is for development'
          : `PostgreSQL ${major} is older than 15`,
      )
    },
    migrations: async () => {
      const { pendingMigrations } = await import('../database/migrate.ts')
      const pending = await pendingMigrations(client)
      return expect(
        pending.length === 0,
        'all applied',
        `${pending.length} pending: run \`daikon migrate\``,
      )
    },
    durability: async () => {
      const { fsync, commit } = await read<{ fsync: string; commit: string }>(
        "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit",
      )
      return expect(
        fsync === 'on' && commit !== 'off',
        'commits are durable',
        `fsync=${fsync}, synchronous_commit=${commit}: a crash loses acknowledged revocations`,
      )
    },
    connections: async () => {
      const { max } = await read<{ max: string }>(
        "select current_setting('max_connections') as max",
      )
      const { maxEntityConnections, maxStatementConnections } = await import('../database/pool.ts')
      // In addition to its pools, a worker uses 2 connections for readiness and cancellation, and 2
      // more while it starts.
      const needed = (maxEntityConnections + maxStatementConnections + 4) * config.WORKERS
      return expect(
        Number(max) >= needed,
        `max_connections ${max}, this node uses up to ${needed}`,
        `max_connections is ${max}, but this node alone uses up to ${needed}`,
      )
    },
    clock: async () => {
      const before = Date.now()
      const { now } = await read<{ now: number }>(
        'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
      )
      const difference = Math.round(Math.abs(now - (before + Date.now()) / 2))
      return expect(
        difference <= maxClockDifference,
        `${difference} ms from PostgreSQL`,
        `the clock differs from PostgreSQL by ${difference} ms: synchronize both`,
      )
    },
    'service apps': async () => {
      const { count } = await read<{ count: number }>(
        'select count(*)::int as count from service_apps where is_active',
      )
      return expect(
        count > 0,
        `${count} active`,
        'none is active: create one with `daikon service-app create`',
      )
    },
    administrators: async () => {
      const { count } = await read<{ count: number }>(
        'select count(*)::int as count from users where is_admin and is_active',
      )
      return expect(
        count > 0,
        `${count} active`,
        'none is active: run `daikon admin promote <email>` or set ADMIN_EMAILS',
      )
    },
  }
}

async function runChecks(checks: Record<string, Check>): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [check, run] of Object.entries(checks)) {
    try {
      findings.push({ check, ok: true, detail: await run() })
    } catch (error) {
      findings.push({ check, ok: false, detail: (await explainFailure(error)).message })
    }
  }
  return findings
}

function expect(isRight: boolean, detail: string, advice: string): string {
  if (!isRight) throw new Error(advice)
  return detail
}
