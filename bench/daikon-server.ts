import { openDatabase } from '../src/database/database.ts'
import { poolTimeouts } from '../src/database/pool.ts'
import type { Statements } from '../src/database/statement-pool.ts'
import { readKeys } from '../src/identity/keys.ts'
import { createInProcessRateLimiter } from '../src/rate-limit/in-process.ts'
import { createApplication } from '../src/server/application.ts'
import { readConfig } from '../src/server/config.ts'
import { serveState } from './child-process.ts'
import { benchEncryptionKey } from './data-set.ts'

/**
 * The application with every security check enabled. Only rate limits and the quota of shares are
 * disabled. With `feed`, it also seals the activity log and sends webhooks, to loopback addresses, too.
 * `maxListFolders` is the number of folders above which lists check children instead. With `constant`,
 * the positions of changes are not read from the database.
 */
const [
  url = '',
  privatePath = '',
  publicPath = '',
  replicaUrls = '',
  feed = '',
  maxFactsCacheBytes = '0',
  maxListFolders = '',
  positions = '',
] = process.argv.slice(2)
const hasFeed = feed === 'feed'
const urls = replicaUrls.split(',').filter((url) => url !== '')
const opened = await openDatabase(url, () => {}, poolTimeouts, { urls })
let statements = 0
const database = {
  ...opened,
  statements: { ...opened.statements, ...countStatements(opened.statements) },
  reads: countStatements(opened.reads),
}

function countStatements({ rows }: Statements): Statements {
  return {
    rows: <Row extends unknown[]>(name: string, sql: string, values: unknown[]) => {
      if (positions === 'constant' && name === 'position')
        return Promise.resolve([['', 1]] as unknown[][] as Row[])
      statements += 1
      return rows<Row>(name, sql, values)
    },
  }
}

const keys = await readKeys({ privatePath, publicPath })
const app = createApplication({
  database,
  rateLimiter: createInProcessRateLimiter(),
  providers: new Map(),
  now: () => new Date(),
  currentKeys: () => keys,
  onFailure: (error) => process.stderr.write(`${error.message}: ${error.cause}\n`),
  logFailure: () => () => {},
  warn: () => {},
  encryptionKeys: hasFeed ? [benchEncryptionKey] : [],
  ...(maxListFolders && {
    listBudgetsOf: () => [{ folders: Number(maxListFolders), children: 4000 }],
  }),
  settings: {
    ...readConfig({}),
    PERSONAL_WORKSPACES: false,
    DEBUG: hasFeed,
    SERVICE_KEYS_REQUIRED: true,
    RATE_LIMIT_ENABLED: false,
    MAX_FACTS_CACHE_BYTES: Number(maxFactsCacheBytes),
    // `writes` shares one resource with thousands of users.
    MAX_SHARES_PER_RESOURCE: 1_000_000,
    ALLOWED_HOSTS: ['*'],
    CORS_ORIGINS: [],
  },
})
if (hasFeed) {
  const { startFeedJobs } = await import('./feed-jobs.ts')
  startFeedJobs(app, database)
}
const host = '127.0.0.1'
const ports = {
  grpcPort: await app.listenGrpc(host, 0),
  httpPort: await app.listenHttp(host, 0),
}
serveState({ port: ports.grpcPort, httpPort: ports.httpPort }, () => statements)
