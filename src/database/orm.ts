import { Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import type { Pool } from 'pg'
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
import { releaseBrokenClients } from './lost-clients.ts'
import { First } from './migrations/001-first.ts'
import { SignIn } from './migrations/002-sign-in.ts'
import { Search } from './migrations/003-search.ts'
import { Apps } from './migrations/004-apps.ts'
import { ActivityLog } from './migrations/005-activity.ts'
import { ClientOrigins } from './migrations/006-client-origins.ts'
import { WorkspaceSearch } from './migrations/007-workspace-search.ts'
import { AdminTokens } from './migrations/008-admin-tokens.ts'
import { ActivityIndexes } from './migrations/009-activity-indexes.ts'
import { timeouts } from './timeouts.ts'

const entities = [
  ...[User, LinkedAccount, Workspace, Member, Group, GroupMember],
  ...[ResourceKind, Resource, Share, ServiceApp, ServiceKey, ServiceAction],
  ...[CustomRole, CustomRoleAction, CustomRoleMember, DeniedToken, Activity],
  ...[ClientApp, ClientRedirectUri, AuthorizationCode, RefreshFamily, RefreshToken],
]

/** In their order; each has the name of its file, by which `migrate` knows what has been applied. */
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

/** The entities over a pool of their own, which `onPool` hears of; connects at the first use. */
export function openOrm(url: string, onPool?: (pool: Pool) => void): Promise<MikroORM> {
  return MikroORM.init({
    clientUrl: url,
    entities,
    extensions: [Migrator],
    pool: { min: 0, max: 10 },
    driverOptions: {
      ...timeouts,
      onPoolCreated: (pool: Pool) => {
        releaseBrokenClients(pool)
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
