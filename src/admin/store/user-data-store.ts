import type { EntityManager } from '@mikro-orm/postgresql'
import type {
  ExportedConnectionSubject,
  ExportedResource,
  ExportedShare,
  UserExport,
} from '../../../gen/daikon/v1/admin_user_data.ts'
import { isLiveResource } from '../../database/deleted-rows.ts'
import { User, Workspace } from '../../database/entities/people.ts'
import { query } from '../../database/query.ts'
import { isoTime, type Timestamp } from '../../database/sql-values.ts'
import { shownProvider } from '../../identity/session-provider.ts'
import { isLive, sharePermission, shareRole } from '../../permissions/engine/grants/live-share.ts'

/** A user who is to be deleted, or the administrator who deletes them. */
export type UserToDelete = {
  id: string
  email: string
  name: string
  isActive: boolean
  isAdmin: boolean
  externalId: string | null
}

/**
 * A workspace that a user leaves. `needsOwner` means that it has other members but no other active
 * owner.
 */
export type WorkspaceToLeave = {
  id: string
  slug: string
  hasOthers: boolean
  needsOwner: boolean
}

/** The data about a user in all tables, which is exported and erased. */
export class UserDataStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Returns the resources that a user owns. */
  async listResources(ownerId: string): Promise<ExportedResource[]> {
    type Row = Omit<ExportedResource, 'created_at'> & { created_at: Timestamp }
    const rows = await query<Row>(this.#em, resourcesSql, [ownerId])
    return rows.map((row) => ({ ...row, created_at: isoTime(row.created_at) }))
  }

  /** Returns how connections of workspaces know a user. */
  async listConnectionSubjects(userId: string): Promise<ExportedConnectionSubject[]> {
    type Row = Omit<ExportedConnectionSubject, 'last_sign_in_at'> & { last_sign_in_at: Timestamp }
    const rows = await query<Row>(this.#em, connectionSubjectsSql, [userId])
    return rows.map((row) => ({ ...row, last_sign_in_at: isoTime(row.last_sign_in_at) }))
  }

  /** Returns the shares granted to or by a user. */
  async listShares(userId: string): Promise<ExportedShare[]> {
    const rows = await query<ShareRow>(this.#em, sharesSql, [userId])
    return rows.map(
      ({ permission, role, condition, granted_by, granted_at, expires_at, ...row }) => ({
        ...row,
        permission: permission ?? '',
        ...(role && { role }),
        ...(condition && { condition }),
        ...(granted_by && { granted_by }),
        granted_at: isoTime(granted_at),
        ...(expires_at && { expires_at: isoTime(expires_at) }),
      }),
    )
  }

  /** Returns the browser sessions of a user, newest first. */
  async listBrowserSessions(userId: string): Promise<UserExport['browser_sessions']> {
    const rows = await query<BrowserSessionRow>(this.#em, browserSessionsSql, [userId])
    return rows.map(({ provider, authenticated_at, expires_at, ...row }) => ({
      ...row,
      provider: shownProvider(provider),
      authenticated_at: isoTime(authenticated_at),
      expires_at: isoTime(expires_at),
    }))
  }

  /**
   * Returns the texts that name a user in daikon: names, addresses and identifiers, also earlier ones in
   * the activity log, and the slugs of workspaces that are deleted with the user.
   */
  async listTexts(userId: string, workspaceIds: string[]): Promise<string[]> {
    const rows = await query<{ text: string }>(this.#em, textsSql, [userId, workspaceIds])
    return rows.map(({ text }) => text)
  }

  /** Locks the workspaces of a user in a fixed order until the end of the transaction. */
  async lockWorkspaces(userId: string): Promise<void> {
    await query(this.#em, lockWorkspacesSql, [userId])
  }

  /**
   * Locks users until the end of the transaction. Until then, no row that refers to them can be
   * added.
   */
  lockUsers(ids: string[]): Promise<UserToDelete[]> {
    return query(this.#em, lockUsersSql, [ids])
  }

  /** Returns the workspaces of a user, by slug. */
  listWorkspacesToLeave(userId: string): Promise<WorkspaceToLeave[]> {
    return query(this.#em, workspacesToLeaveSql, [userId])
  }

  async deleteWorkspaces(ids: string[]): Promise<void> {
    await this.#em.nativeDelete(Workspace, { id: { $in: ids } })
  }

  /** Returns the names of the services that have resources in workspaces of a user. */
  async findServices(userId: string): Promise<string[]> {
    const rows = await query<{ name: string }>(this.#em, servicesSql, [userId])
    return rows.map(({ name }) => name)
  }

  /** Counts the resources that a user owns in workspaces, by service. */
  countResources(
    ownerId: string,
    workspaceIds: string[],
  ): Promise<{ service_name: string; resources: number }[]> {
    return query(this.#em, countResourcesSql, [ownerId, workspaceIds])
  }

  /** Returns the IDs of the workspaces in which a user owns resources. */
  async findWorkspacesOfResources(ownerId: string): Promise<string[]> {
    const rows = await query<{ id: string }>(this.#em, workspacesOfResourcesSql, [ownerId])
    return rows.map(({ id }) => id)
  }

  /** Locks and counts the memberships of a user in these workspaces. */
  async lockMemberships(userId: string, workspaceIds: string[]): Promise<number> {
    const rows = await query(this.#em, lockMembershipsSql, [userId, workspaceIds])
    return rows.length
  }

  /** Transfers all resources of a user to another user. Returns the number of resources. */
  async transferResources(fromId: string, toId: string): Promise<number> {
    const rows = await query(this.#em, transferSql, [fromId, toId])
    return rows.length
  }

  /** Deletes a user with everything that belongs to them, except entries of the activity log. */
  async deleteUser(id: string): Promise<void> {
    await this.#em.nativeDelete(User, { id })
  }
}

type ShareRow = Omit<
  ExportedShare,
  'permission' | 'role' | 'condition' | 'granted_by' | 'granted_at' | 'expires_at'
> & {
  permission: string | null
  role: string | null
  condition: string | null
  granted_by: string | null
  granted_at: Timestamp
  expires_at: Timestamp | null
}

type BrowserSessionRow = {
  id: string
  provider: string
  authenticated_at: Timestamp
  expires_at: Timestamp
}

/** $1 user ID. */
const connectionSubjectsSql = `
  select connection_id, workspace_id, subject, email, last_sign_in_at from connection_subjects
  where user_id = $1 order by created_at, connection_id`

/** $1 user ID, $2 IDs of workspaces. */
const textsSql = `
  select distinct text from (
    select unnest(array[email, name, btrim(given_name || ' ' || family_name), external_id]) as text
    from users where id = $1
    union all select unnest(array[subject, email]) from linked_accounts where user_id = $1
    union all select unnest(array[subject, email]) from connection_subjects where user_id = $1
    union all select unnest(array[user_name, external_id]) from scim_users where user_id = $1
    union all select slug from workspaces where id = any($2::uuid[])
    union all select detail ->> field
      from activity, unnest(array['email', 'subject']) field
      where target_type = 'user' and target_id = $1
    union all select detail ->> field from activity, unnest(array['from', 'to']) field
      where target_id = $1 and action = 'user.renamed'
  ) t where text <> ''`

/** $1 ID of the owner. */
const resourcesSql = `
  select r.id as permission_id, k.service_name, k.resource_type, r.resource_id, r.workspace_id,
    r.visibility, r.created_at
  from resources r join resource_kinds k on k.id = r.kind_id
  where r.owner_id = $1 and ${isLiveResource('r')} order by r.id`

/** $1 user ID. */
const sharesSql = `
  select r.id as permission_id, k.service_name, k.resource_type, r.resource_id, r.workspace_id,
    ${sharePermission} as permission, ${shareRole} as role, s.condition,
    case when s.user_id is null then 'group' else 'user' end as grantee_type,
    coalesce(s.user_id, s.group_id) as grantee_id, s.granted_by, s.granted_at,
    s.expires_at
  from shares s
  join resources r on r.kind_id = s.kind_id and r.resource_id = s.resource_id
  join resource_kinds k on k.id = s.kind_id
  where (s.user_id = $1 or s.granted_by = $1) and ${isLive('s')} and ${isLiveResource('r')} order by s.id`

/** $1 user ID. */
const browserSessionsSql = `
  select id, provider, authenticated_at, expires_at from browser_sessions
  where user_id = $1 order by authenticated_at desc, id`

/** $1 user ID. */
const lockWorkspacesSql = `
  select from workspaces where id in (select workspace_id from live_members where user_id = $1)
  order by id for no key update`

/** $1 user IDs. */
const lockUsersSql = `
  select id, email, name, is_active as "isActive", is_admin as "isAdmin",
    external_id as "externalId" from users
  where id = any($1::uuid[]) and workspace_id is null order by id for update`

/**
 * Returns whether the workspace of `m` has another member who is a user. The order and `offset 0` make
 * the planner look up members and users by index without statistics.
 */
const hasOther = (ofMember = 'true', ofUser = 'true') => `exists (
    select from (
      select user_id from live_members
      where workspace_id = m.workspace_id and user_id <> m.user_id and ${ofMember}
      order by user_id offset 0
    ) o cross join lateral (
      select from users where id = o.user_id and workspace_id is null and ${ofUser} offset 0
    ) u
  )`

const hasOtherOwner = hasOther(
  `role = 'owner' and joined_at is not null and expires_at is null`,
  'is_active',
)

/** $1 user ID. Only members who have joined, are active and stay count as owners. */
const workspacesToLeaveSql = `
  select w.id, w.slug, "hasOthers",
    m.role = 'owner' and "hasOthers" and not ${hasOtherOwner} as "needsOwner"
  from live_members m join workspaces w on w.id = m.workspace_id
  cross join lateral (select ${hasOther()} as "hasOthers" offset 0) others
  where m.user_id = $1 order by w.slug`

/** $1 ID of the owner, $2 IDs of workspaces. */
const countResourcesSql = `
  select k.service_name, count(*)::int as resources
  from resources r join resource_kinds k on k.id = r.kind_id
  where r.owner_id = $1 and r.workspace_id = any($2::uuid[]) and ${isLiveResource('r')}
  group by k.service_name order by k.service_name`

/** $1 ID of the owner. */
const workspacesOfResourcesSql = `
  select distinct workspace_id as id from resources where owner_id = $1 and ${isLiveResource('resources')}`

/** $1 user ID, $2 IDs of workspaces. */
const lockMembershipsSql = `
  select workspace_id from live_members where user_id = $1 and workspace_id = any($2::uuid[])
  order by workspace_id for share`

/**
 * $1 user ID. Probes the index for each kind, because a workspace may have many resources. A
 * semi-join would read all of them.
 */
const servicesSql = `
  select distinct k.service_name as name from live_members m cross join resource_kinds k
  cross join lateral (
    select from resources r where r.workspace_id = m.workspace_id and r.kind_id = k.id limit 1
  ) found
  where m.user_id = $1
  order by name`

/** $1 ID of the owner, $2 ID of the new owner. */
const transferSql = 'update resources set owner_id = $2 where owner_id = $1 returning id'
