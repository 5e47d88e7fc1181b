import type { EntityManager } from '@mikro-orm/postgresql'
import { type QuotaName, type Quotas, quotaExceeded } from '../core/quotas.ts'
import { query } from '../database/query.ts'

/** The name under which PostgreSQL counts the rows of a workspace, by quota. */
const countedByQuota = {
  MAX_MEMBERS_PER_WORKSPACE: 'members',
  MAX_PENDING_INVITATIONS_PER_WORKSPACE: 'invitations',
  MAX_GROUPS_PER_WORKSPACE: 'groups',
} as const satisfies { [Name in QuotaName]?: string }

/**
 * Throws if one more member, invitation or group would exceed a quota of a workspace. The caller
 * must hold the lock from `lockWorkspace`, so that concurrent calls cannot exceed the quota
 * together.
 */
export async function requireWorkspaceQuota(
  em: EntityManager,
  quotas: Quotas,
  workspaceId: string,
  ...names: (keyof typeof countedByQuota)[]
): Promise<void> {
  for (const name of names) {
    const values = [workspaceId, countedByQuota[name]]
    const [row] = await query<{ count: number }>(
      em,
      'select read_workspace_count($1, $2)::int as count',
      values,
    )
    if ((row?.count ?? 0) >= quotas[name]) throw quotaExceeded(quotas, name)
  }
}

/**
 * Throws if one more workspace would exceed its owner's quota. Locks the user until the end of the
 * transaction. Invitations do not count, because other users could use up the quota with them.
 */
export async function requireUserQuota(
  em: EntityManager,
  quotas: Quotas,
  userId: string,
): Promise<void> {
  const name = 'MAX_WORKSPACES_PER_USER'
  await query(em, 'select from users where id = $1 for no key update', [userId])
  const [row] = await query<{ count: number }>(
    em,
    `select count(*)::int as count from members
     where user_id = $1 and role = 'owner' and joined_at is not null`,
    [userId],
  )
  if ((row?.count ?? 0) >= quotas[name]) throw quotaExceeded(quotas, name)
}

/** Throws if more resources would exceed the quota of a workspace. Requires a transaction. */
export async function requireResourceQuota(
  em: EntityManager,
  quotas: Quotas,
  workspaceId: string,
  added: number,
): Promise<void> {
  const name = 'MAX_RESOURCES_PER_WORKSPACE'
  const [row] = await query<{ count: number }>(
    em,
    'select count_resources_for_quota($1, $2)::int as count',
    [workspaceId, quotas[name]],
  )
  if ((row?.count ?? 0) + added > quotas[name]) throw quotaExceeded(quotas, name)
}
