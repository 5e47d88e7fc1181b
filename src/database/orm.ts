import { Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import type { Client, Pool } from 'pg'
import { createClientClass } from './client.ts'
import { CustomRole, CustomRoleAction, CustomRoleMember } from './entities/custom-roles.ts'
import { Group, GroupMember, LinkedAccount, Member, User, Workspace } from './entities/people.ts'
import { Activity, DeniedToken } from './entities/records.ts'
import { Resource, ResourceKind, Share } from './entities/resources.ts'
import { ServiceAction, ServiceApp, ServiceKey } from './entities/service-apps.ts'
import {
  AuthorizationCode,
  BrowserSession,
  ClientApp,
  ClientRedirectUri,
  ClientSecret,
  RefreshFamily,
  RefreshToken,
} from './entities/sign-in.ts'
import { First } from './migrations/001-first.ts'
import { SignIn } from './migrations/002-sign-in.ts'
import { Search } from './migrations/003-search.ts'
import { Apps } from './migrations/004-apps.ts'
import { ActivityLog } from './migrations/005-activity.ts'
import { ClientOrigins } from './migrations/006-client-origins.ts'
import { WorkspaceSearch } from './migrations/007-workspace-search.ts'
import { AdminTokens } from './migrations/008-admin-tokens.ts'
import { ActivityIndexes } from './migrations/009-activity-indexes.ts'
import { ResourceParents } from './migrations/010-resource-parents.ts'
import { NestedGroups } from './migrations/011-nested-groups.ts'
import { AccountLinks } from './migrations/013-account-links.ts'
import { ExternalIds } from './migrations/014-external-ids.ts'
import { ShareExpiry } from './migrations/015-share-expiry.ts'
import { Audit } from './migrations/016-audit.ts'
import { ClientApps } from './migrations/018-client-apps.ts'
import { OAuthSessions } from './migrations/019-oauth-sessions.ts'
import { Quotas } from './migrations/021-quotas.ts'
import { MemberRoles } from './migrations/022-member-roles.ts'
import { ShareQuotaLock } from './migrations/023-share-quota-lock.ts'
import { AccessChanges } from './migrations/024-access-changes.ts'
import { maxEntityConnections, poolTimeouts } from './pool.ts'

const entities = [
  Activity,
  AuthorizationCode,
  BrowserSession,
  ClientApp,
  ClientRedirectUri,
  ClientSecret,
  CustomRole,
  CustomRoleAction,
  CustomRoleMember,
  DeniedToken,
  Group,
  GroupMember,
  LinkedAccount,
  Member,
  RefreshFamily,
  RefreshToken,
  Resource,
  ResourceKind,
  ServiceAction,
  ServiceApp,
  ServiceKey,
  Share,
  User,
  Workspace,
]

/**
 * The migrations in order. The name of each matches its file, because `migrate` compares file names
 * with the applied migrations.
 */
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
  { name: '010-resource-parents', class: ResourceParents },
  { name: '011-nested-groups', class: NestedGroups },
  { name: '013-account-links', class: AccountLinks },
  { name: '014-external-ids', class: ExternalIds },
  { name: '015-share-expiry', class: ShareExpiry },
  { name: '016-audit', class: Audit },
  { name: '018-client-apps', class: ClientApps },
  { name: '019-oauth-sessions', class: OAuthSessions },
  { name: '021-quotas', class: Quotas },
  { name: '022-member-roles', class: MemberRoles },
  { name: '023-share-quota-lock', class: ShareQuotaLock },
  { name: '024-access-changes', class: AccessChanges },
]

type OrmOptions = {
  /**
   * The client class of the pool. By default, statements run to their end even if their caller is
   * gone.
   */
  Client?: new () => Client
  onPoolCreated?: (pool: Pool) => void
  /** The settings of pg.Pool for timeouts. */
  timeouts?: { connectionTimeoutMillis: number; query_timeout?: number; lock_timeout: number }
}

/** Opens the entities on their own pool, which is created and connects at the first use. */
export function openOrm(url: string, options: OrmOptions = {}): Promise<MikroORM> {
  const { Client = createClientClass(), onPoolCreated, timeouts = poolTimeouts } = options
  return MikroORM.init({
    clientUrl: url,
    entities,
    extensions: [Migrator],
    pool: { min: 0, max: maxEntityConnections },
    driverOptions: { ...timeouts, Client, onPoolCreated },
    // Failures are reported to the caller as errors.
    logger: () => {},
    migrations: {
      migrationsList: migrations,
      tableName: 'migrations',
      snapshot: false,
    },
  })
}
