import { type QuotaName, type Quotas, quotaExceeded } from '../core/quotas.ts'
import type { MemberStore } from './store/member-store.ts'
import type { WorkspaceCount, WorkspaceStore } from './store/workspace-store.ts'

/** What each quota of a workspace limits. */
const countedByQuota = {
  MAX_MEMBERS_PER_WORKSPACE: 'members',
  MAX_PENDING_INVITATIONS_PER_WORKSPACE: 'invitations',
  MAX_GROUPS_PER_WORKSPACE: 'groups',
} as const satisfies { [Name in QuotaName]?: WorkspaceCount }

/**
 * Throws if one more member, invitation or group would exceed a quota of a workspace. The caller
 * must hold the lock from `lockWorkspace`, so that concurrent calls cannot exceed the quota
 * together.
 */
export async function requireWorkspaceQuota(
  workspaces: WorkspaceStore,
  quotas: Quotas,
  workspaceId: string,
  ...names: (keyof typeof countedByQuota)[]
): Promise<void> {
  for (const name of names) {
    const count = await workspaces.count(workspaceId, countedByQuota[name])
    if (count >= quotas[name]) throw quotaExceeded(quotas, name)
  }
}

/**
 * Throws if one more workspace would exceed its owner's quota. Locks the user until the end of the
 * transaction. Invitations do not count, because other users could use up the quota with them.
 */
export async function requireUserQuota(
  members: MemberStore,
  quotas: Quotas,
  userId: string,
): Promise<void> {
  const name = 'MAX_WORKSPACES_PER_USER'
  const count = await members.countOwnedWorkspaces(userId)
  if (count >= quotas[name]) throw quotaExceeded(quotas, name)
}

/** Throws if more resources would exceed the quota of a workspace. Requires a transaction. */
export async function requireResourceQuota(
  workspaces: WorkspaceStore,
  quotas: Quotas,
  workspaceId: string,
  added: number,
): Promise<void> {
  const name = 'MAX_RESOURCES_PER_WORKSPACE'
  const count = await workspaces.countResources(workspaceId, quotas[name])
  if (count + added > quotas[name]) throw quotaExceeded(quotas, name)
}
