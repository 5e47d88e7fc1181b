import { Migrator } from '@mikro-orm/migrations'
import { type EntityManager, MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
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
import { WorkspaceSearch } from './migrations/006-workspace-search.ts'
import { createStatementPool, type StatementPool } from './statement-pool.ts'

/** PostgreSQL, as the rooms see it. */
export type Database = {
  /** A fork of its own for each call. */
  fork(): EntityManager
  /** The prepared statements that every call waits for. */
  statements: StatementPool
  close(): Promise<void>
}

const entities = [
  ...[User, LinkedAccount, Workspace, Member, Group, GroupMember],
  ...[ResourceKind, Resource, Share, ServiceApp, ServiceKey, ServiceAction],
  ...[CustomRole, CustomRoleAction, CustomRoleMember, DeniedToken, Activity],
  ...[ClientApp, ClientRedirectUri, AuthorizationCode, RefreshFamily, RefreshToken],
]

/** Milliseconds until a connection, and until an answer on it, counts as not to be had. */
const timeouts = { connectionTimeoutMillis: 3000, query_timeout: 10_000 }

/** Opens the database at `url`; connects at the first use. `warn` hears of connections lost. */
export async function openDatabase(url: string, warn: (text: string) => void): Promise<Database> {
  const orm = await openOrm(url)
  const config = { connectionString: url, max: 3, ...timeouts }
  const statements = createStatementPool(config, (error) => warn(error.message))
  return {
    fork: () => orm.em.fork(),
    statements,
    async close() {
      await statements.close()
      await orm.close(true)
    },
  }
}

/** Brings the schema up to date; answers what was run. Two at once wait for each other. */
export async function migrate(url: string): Promise<string[]> {
  const lock = new pg.Client({ connectionString: url })
  await lock.connect()
  const orm = await openOrm(url)
  try {
    await lock.query("select pg_advisory_lock(hashtext('daikon migrate'))")
    const applied = await orm.migrator.up()
    return applied.map(({ name }) => name)
  } finally {
    await orm.close(true)
    await lock.end()
  }
}

function openOrm(url: string): Promise<MikroORM> {
  return MikroORM.init({
    clientUrl: url,
    entities,
    extensions: [Migrator],
    pool: { min: 0, max: 10 },
    driverOptions: { ...timeouts, onPoolCreated: returnLostClients },
    // What matters of it arrives as errors.
    logger: () => {},
    migrations: {
      migrationsList: [
        { name: '001-first', class: First },
        { name: '002-sign-in', class: SignIn },
        { name: '003-search', class: Search },
        { name: '004-apps', class: Apps },
        { name: '005-activity', class: ActivityLog },
        { name: '006-workspace-search', class: WorkspaceSearch },
      ],
      tableName: 'migrations',
      snapshot: false,
    },
  })
}
