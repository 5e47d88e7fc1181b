import { Migrator } from '@mikro-orm/migrations'
import { type EntityManager, MikroORM } from '@mikro-orm/postgresql'
import pg, { type Client, type Pool } from 'pg'
import { followAskers } from './asked-clients.ts'
import { type Control, createControl } from './control.ts'
import { CustomRole, CustomRoleAction, CustomRoleMember } from './entities/custom-roles.ts'
import { Group, GroupMember, LinkedAccount, Member, User, Workspace } from './entities/people.ts'
import { Activity, DeniedToken } from './entities/records.ts'
import { Resource, ResourceKind, Share } from './entities/resources.ts'
import { ServiceAction, ServiceApp, ServiceKey } from './entities/service-apps.ts'
import {
  AuthorizationCode,
  ClientApp,
  ClientRedirectUri,
  RefreshFamily,
  RefreshToken,
} from './entities/sign-in.ts'
import { returnLostClients } from './lost-clients.ts'
import { First } from './migrations/001-first.ts'
import { SignIn } from './migrations/002-sign-in.ts'
import { Search } from './migrations/003-search.ts'
import { Apps } from './migrations/004-apps.ts'
import { ActivityLog } from './migrations/005-activity.ts'
import { ClientOrigins } from './migrations/006-client-origins.ts'
import { WorkspaceSearch } from './migrations/007-workspace-search.ts'
import { AdminTokens } from './migrations/008-admin-tokens.ts'
import { ActivityIndexes } from './migrations/009-activity-indexes.ts'
import { type PoolCounts, poolCounts } from './pool-counts.ts'
import { createStatementPool, type StatementPool } from './statement-pool.ts'
import { lacksMigrations } from './storage-fault.ts'

/** PostgreSQL, as the rooms see it. */
export type Database = {
  /** A fork of its own for each call. */
  fork(): EntityManager
  /** The prepared statements that every call waits for. */
  statements: StatementPool
  /** For the operator's questions. */
  control: Control
  /** The pools by name. */
  counts(): { statements: PoolCounts; entities: PoolCounts }
  close(): Promise<void>
}

const entities = [
  ...[User, LinkedAccount, Workspace, Member, Group, GroupMember],
  ...[ResourceKind, Resource, Share, ServiceApp, ServiceKey, ServiceAction],
  ...[CustomRole, CustomRoleAction, CustomRoleMember, DeniedToken, Activity],
  ...[ClientApp, ClientRedirectUri, AuthorizationCode, RefreshFamily, RefreshToken],
]

const migrations = [
  { name: '001-first', class: First },
  { name: '002-sign-in', class: SignIn },
  { name: '003-search', class: Search },
  { name: '004-apps', class: Apps },
  { name: '005-activity', class: ActivityLog },
  { name: '006-client-origins', class: ClientOrigins },
  { name: '007-workspace-search', class: WorkspaceSearch },
  { name: '008-admin-tokens', class: AdminTokens },
  { name: '009-activity-indexes', class: ActivityIndexes },
]

/** Milliseconds until a connection, and until an answer on it, counts as not to be had. */
const timeouts = { connectionTimeoutMillis: 3000, query_timeout: 10_000 }

/** Opens the database at `url`; connects at the first use. `warn` hears of connections lost. */
export async function openDatabase(url: string, warn: (text: string) => void): Promise<Database> {
  const onError = (error: Error) => warn(error.message)
  const control = createControl({ connectionString: url }, onError)
  let pool: Pool | undefined
  const orm = await openOrm(url, (created) => {
    pool = created
    followAskers(created, control.cancel)
  })
  const config = { connectionString: url, max: 3, ...timeouts }
  const statements = createStatementPool(config, onError, control.cancel)
  return {
    ...{ statements, control },
    fork: () => orm.em.fork(),
    counts: () => ({
      statements: statements.counts(),
      entities: pool ? poolCounts(pool) : { used: 0, idle: 0, waiting: 0 },
    }),
    async close() {
      await statements.close()
      await control.close()
      await orm.close(true)
    },
  }
}

/** Brings the schema up to date; answers what was run. Two at once wait for each other. */
export async function migrate(url: string): Promise<string[]> {
  const lock = new pg.Client({ connectionString: url })
  await lock.connect()
  try {
    if (await isMigrated(lock)) return []
    await lock.query("select pg_advisory_lock(hashtext('daikon migrate'))")
    const orm = await openOrm(url)
    try {
      const applied = await orm.migrator.up()
      return applied.map(({ name }) => name)
    } finally {
      await orm.close(true)
    }
  } finally {
    await lock.end()
  }
}

/** Whether nothing is left to do, which is so at nearly every start. */
async function isMigrated(client: Client): Promise<boolean> {
  try {
    const { rows } = await client.query<{ name: string }>('select name from migrations')
    const applied = new Set(rows.map(({ name }) => name))
    return migrations.every(({ name }) => applied.has(name))
  } catch (error) {
    if (lacksMigrations(error)) return false
    throw error
  }
}

function openOrm(url: string, onPool?: (pool: Pool) => void): Promise<MikroORM> {
  return MikroORM.init({
    clientUrl: url,
    entities,
    extensions: [Migrator],
    pool: { min: 0, max: 10 },
    driverOptions: {
      ...timeouts,
      onPoolCreated: (pool: Pool) => {
        returnLostClients(pool)
        onPool?.(pool)
      },
    },
    // What matters of it arrives as errors.
    logger: () => {},
    migrations: {
      migrationsList: migrations,
      tableName: 'migrations',
      snapshot: false,
    },
  })
}
