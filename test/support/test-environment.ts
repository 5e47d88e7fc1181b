import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { ServiceError } from '../../src/core/errors.ts'
import { type Database, openDatabase, type ReplicaSettings } from '../../src/database/database.ts'
import { poolTimeouts } from '../../src/database/pool.ts'
import { logoutFailure } from '../../src/identity/jobs.ts'
import { type Keys, readKeys } from '../../src/identity/keys.ts'
import { createInProcessRateLimiter } from '../../src/rate-limit/in-process.ts'
import {
  type Application,
  type ApplicationDependencies,
  createApplication,
} from '../../src/server/application.ts'
import { type Config, readConfig } from '../../src/server/config.ts'
import { createTransports } from './create-transports.ts'
import { cloneDatabase } from './database.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'
import { createSeed, type Seed, testEncryptionKey } from './seed.ts'
import { findTestKeys } from './test-keys.ts'
import type { Transport } from './transports.ts'

/** One node: the application that production runs, on free ports. */
export type Node = {
  app: Application
  database: Database
  transports: Transport[]
  grpcPort: number
  httpPort: number
  failures: ServiceError[]
  /** Warnings for the operator. */
  warnings: string[]
  stop(): Promise<void>
}

/** The settings of a node that differ from those of tests, and what else it is given. */
export type NodeOptions = Partial<
  Config &
    Pick<
      ApplicationDependencies,
      'connectionTimeout' | 'encryptionKeys' | 'grpcKeepalive' | 'grpcTls' | 'listBudgetsOf'
    >
>

/** A separate database and one or more nodes that use it. */
export type TestEnvironment = Node & {
  pool: Pool
  seed: Seed
  /** The DNS server that the nodes ask about connections. */
  dns: DnsServer
  clock: { now: Date | undefined }
  databaseUrl: string
  /** Signs an access token of the user for the workspace, for everything or for an API. */
  token(
    userId: string,
    workspaceId: string,
    overrides?: { jti?: string; seconds?: number; resource?: { uri: string; scopes: string[] } },
  ): Promise<string>
  /** Starts another node on the same database, with other replicas if given. */
  addNode(options?: NodeOptions, replicas?: ReplicaSettings): Promise<Node>
}

/**
 * Starts a test environment. `stop` stops all its nodes and drops its database. `replicas` contains
 * the URLs of standbys of the PostgreSQL server. `databaseUrl`, or what it returns for the URL of the
 * new database, is what nodes connect to. `template` is the database that is cloned.
 */
export async function startTestEnvironment(
  options: NodeOptions = {},
  databaseUrl?: string | ((url: string) => string),
  dependencies: Partial<ApplicationDependencies> = {},
  replicas: ReplicaSettings = { urls: [] },
  template?: string,
): Promise<TestEnvironment> {
  const database = await cloneDatabase(template)
  const nodeUrl = typeof databaseUrl === 'function' ? databaseUrl(database.url) : databaseUrl
  const keys = await readKeys(await findTestKeys())
  const clock: TestEnvironment['clock'] = { now: undefined }
  const nodes: Node[] = []
  const dns = await startDnsServer()
  const { pathname } = new URL(database.url)
  const addNode: TestEnvironment['addNode'] = async (more = {}, of = replicas) => {
    const urls = of.urls.map((url) => Object.assign(new URL(url), { pathname }).href)
    // Not every copy of the repository has the setting (test/architecture/left-out.test.ts).
    const dnsSettings = { DNS_SERVERS: [dns.address] }
    const node = await startNode(
      nodeUrl ?? database.url,
      nodeUrl ? poolTimeouts : longTimeouts,
      keys,
      clock,
      { ...dnsSettings, ...options, ...more },
      dependencies,
      { ...of, urls },
    )
    nodes.push(node)
    return node
  }
  const first = await addNode()
  return {
    ...first,
    addNode,
    dns,
    clock,
    pool: database.pool,
    databaseUrl: database.url,
    seed: createSeed(database.pool),
    token: (sub, wid, { jti = randomUUID(), seconds = 900, resource } = {}) => {
      if (resource) {
        const { uri, scopes } = resource
        const claims = { sub, jti, wid, client_id: randomUUID(), scope: scopes.join(' ') }
        return first.app.tokens.signForResource(claims, uri, seconds, clock.now ?? new Date())
      }
      const userClaims = { sub, jti, email: 'someone@example.com', name: 'someone' }
      const workspaceClaims = { wid, wslug: 'w', wrole: 'viewer' as const, groups: [] }
      return first.app.tokens.sign('access', { ...userClaims, ...workspaceClaims }, seconds)
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()))
      dns.stop()
      await database.drop()
    },
  }
}

/**
 * Timeouts for a busy machine, on which several test files connect concurrently and concurrent changes of
 * the same rows take longer. Environments behind a proxy use the timeouts of production, because
 * they test those.
 */
export const longTimeouts = {
  connectionTimeoutMillis: 30_000,
  query_timeout: 31_000,
  statement_timeout: 30_000,
  lock_timeout: 8000,
}

/** Milliseconds that identity providers have on a busy machine, on which the default of ten seconds is too short. */
export const providerTimeout = 60_000

async function startNode(
  url: string,
  timeouts: typeof poolTimeouts,
  keys: Keys,
  clock: TestEnvironment['clock'],
  options: NodeOptions,
  dependencies: Partial<ApplicationDependencies>,
  replicas: ReplicaSettings,
): Promise<Node> {
  const database = await openDatabase(url, () => {}, timeouts, replicas)
  const failures: ServiceError[] = []
  const warnings: string[] = []
  const app = createApplication({
    database,
    currentKeys: () => keys,
    // A window does not end while a slow test counts its requests.
    rateLimiter: createInProcessRateLimiter({ now: () => 0 }),
    providers: new Map(),
    now: () => clock.now ?? new Date(),
    warn: (text) => warnings.push(text),
    onFailure: (error) => {
      failures.push(error)
      if (error.code === 'internal') console.error(error.cause)
    },
    logFailure: (text) => (error) =>
      text === logoutFailure ? failures.push(ServiceError.from(error)) : console.error(text, error),
    encryptionKeys: [testEncryptionKey],
    connectionTimeout: providerTimeout,
    ...options,
    settings: {
      ...readConfig({}),
      SESSION_SECRET_KEY: 'a secret of the tests',
      RATE_LIMIT_ENABLED: options.RATE_LIMIT_PER_MINUTE !== undefined,
      ALLOWED_HOSTS: ['*'],
      CORS_ORIGINS: [],
      ...options,
    },
    ...dependencies,
  })
  const host = '127.0.0.1'
  const ports = {
    grpcPort: await app.listenGrpc(host, 0),
    httpPort: await app.listenHttp(host, 0),
  }
  const transports = createTransports(app, ports)
  return {
    app,
    database,
    transports,
    failures,
    warnings,
    ...ports,
    async stop() {
      for (const transport of transports) transport.close()
      await app.drain()
      await app.stop()
      await database.close()
    },
  }
}
