import type { EntityManager } from '@mikro-orm/postgresql'
import type { ExportedResource, ExportedShare } from '../../gen/daikon/v1/admin_user_data.ts'
import { query } from '../database/query.ts'
import type { Timestamp } from '../database/sql-values.ts'
import { isLive } from '../permissions/grants-query.ts'
import type { LockedUser } from './queries.ts'

/**
 * Locks users that are to be deleted until the end of the transaction. Until then, no row that
 * refers to them can be added.
 */
export function lockUsersForDeletion(em: EntityManager, ids: string[]): Promise<LockedUser[]> {
  return query(
    em,
    `select id, email, name, is_active, is_admin from users
     where id = any($1::uuid[]) order by id for update`,
    [ids],
  )
}

/** Locks the workspaces of a user in a fixed order until the end of the transaction. */
export async function lockWorkspacesOfUser(em: EntityManager, userId: string): Promise<void> {
  await query(
    em,
    `select from workspaces where id in (select workspace_id from members where user_id = $1)
     order by id for no key update`,
    [userId],
  )
}

export type UserWorkspace = { id: string; slug: string; hasOthers: boolean; needsOwner: boolean }

/**
 * Returns the workspaces of a user. `needsOwner` means that the workspace has other members but no
 * other active owner.
 */
export function findWorkspacesToLeave(em: EntityManager, userId: string): Promise<UserWorkspace[]> {
  return query(
    em,
    `select w.id, w.slug, others.count > 0 as "hasOthers",
       m.role = 'owner' and others.count > 0 and others.owners = 0 as "needsOwner"
     from members m join workspaces w on w.id = m.workspace_id
     cross join lateral (
       select count(*),
         count(*) filter (where o.role = 'owner' and o.joined_at is not null and u.is_active)
           as owners
       from members o join users u on u.id = o.user_id
       where o.workspace_id = m.workspace_id and o.user_id <> m.user_id
     ) others
     where m.user_id = $1 order by w.slug`,
    [userId],
  )
}

/** Returns the workspaces in which a user owns resources. */
export async function findWorkspacesOfResources(
  em: EntityManager,
  ownerId: string,
): Promise<string[]> {
  const rows = await query<{ id: string }>(
    em,
    'select distinct workspace_id as id from resources where owner_id = $1',
    [ownerId],
  )
  return rows.map(({ id }) => id)
}

/** Locks and counts the memberships of a user in these workspaces. */
export async function lockMemberships(
  em: EntityManager,
  userId: string,
  workspaceIds: string[],
): Promise<number> {
  const rows = await query(
    em,
    `select workspace_id from members where user_id = $1 and workspace_id = any($2::uuid[])
     order by workspace_id for share`,
    [userId, workspaceIds],
  )
  return rows.length
}

/** Transfers all resources of a user to another user. Returns the number of resources. */
export async function transferResources(
  em: EntityManager,
  fromId: string,
  toId: string,
): Promise<number> {
  const rows = await query(
    em,
    'update resources set owner_id = $2 where owner_id = $1 returning id',
    [fromId, toId],
  )
  return rows.length
}

export type ResourceRow = Omit<ExportedResource, 'created_at'> & { created_at: Timestamp }

export function findOwnedResources(em: EntityManager, ownerId: string): Promise<ResourceRow[]> {
  return query(
    em,
    `select r.id as permission_id, k.service_name, k.resource_type, r.resource_id, r.workspace_id,
       r.visibility, r.created_at
     from resources r join resource_kinds k on k.id = r.kind_id
     where r.owner_id = $1 order by r.id`,
    [ownerId],
  )
}

export type BrowserSessionRow = {
  id: string
  provider: string
  authenticated_at: Timestamp
  expires_at: Timestamp
}

export function findBrowserSessions(
  em: EntityManager,
  userId: string,
): Promise<BrowserSessionRow[]> {
  return query(
    em,
    `select id, provider, authenticated_at, expires_at from browser_sessions
     where user_id = $1 order by authenticated_at desc, id`,
    [userId],
  )
}

export type ShareRow = Omit<ExportedShare, 'granted_by' | 'granted_at' | 'expires_at'> & {
  granted_by: string | null
  granted_at: Timestamp
  expires_at: Timestamp | null
}

/** Returns the shares granted to or by a user. */
export function findSharesOfUser(em: EntityManager, userId: string): Promise<ShareRow[]> {
  return query(
    em,
    `select r.id as permission_id, k.service_name, k.resource_type, r.resource_id, r.workspace_id,
       s.permission, case when s.user_id is null then 'group' else 'user' end as grantee_type,
       coalesce(s.user_id, s.group_id) as grantee_id, s.granted_by, s.granted_at,
       s.expires_at
     from shares s
     join resources r on r.kind_id = s.kind_id and r.resource_id = s.resource_id
     join resource_kinds k on k.id = s.kind_id
     where (s.user_id = $1 or s.granted_by = $1) and ${isLive('s')} order by s.id`,
    [userId],
  )
}

export async function findUserIdByEmail(
  em: EntityManager,
  email: string,
): Promise<string | undefined> {
  const [row] = await query<{ id: string }>(em, 'select id from users where email = $1', [email])
  return row?.id
}
