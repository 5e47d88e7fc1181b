import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { ConnectionDomainStore } from '../connections/store/connection-domain-store.ts'
import type { ConnectionStore, StoredConnection } from '../connections/store/connection-store.ts'
import { changedFields } from '../core/changed-fields.ts'
import { ServiceError } from '../core/errors.ts'
import type { Quotas } from '../core/quotas.ts'
import type { Principal } from '../core/request-context.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import { recordStandings, requireGuestSupport, type Standing } from '../workspaces/guests.ts'
import { removeEndedMembersOf } from '../workspaces/member-expiry.ts'
import { requireAnotherOwner } from '../workspaces/member-rules.ts'
import { requireWorkspaceQuota } from '../workspaces/quotas.ts'
import { reasons as workspaceReasons } from '../workspaces/reasons.ts'
import type { GroupHierarchyStore } from '../workspaces/store/group-hierarchy-store.ts'
import type { MemberId, MemberStore, WorkspaceMember } from '../workspaces/store/member-store.ts'
import type { WorkspaceStore } from '../workspaces/store/workspace-store.ts'
import { requireConnection } from './addresses.ts'
import { countEndedMember } from './guard.ts'
import type { Attributes } from './resource.ts'
import { readStanding, roleValues } from './standing.ts'
import type { ScimGroupStore } from './store/scim-group-store.ts'
import type { ScimGuardStore } from './store/scim-guard-store.ts'
import type { ScimUserStore } from './store/scim-user-store.ts'

/** The stores of a change to memberships. */
export type MembershipStores = {
  activity: ActivityStore
  connections: ConnectionStore
  connectionDomains: ConnectionDomainStore
  groupHierarchy: GroupHierarchyStore
  members: MemberStore
  rollout: RolloutStore
  scimGroups: ScimGroupStore
  scimGuards: ScimGuardStore
  scimUsers: ScimUserStore
  sessions: SessionStore
  workspaces: WorkspaceStore
}

/** The transaction of a change, for which the workspace is locked. */
export type ScimTransaction = {
  tx: MembershipStores
  principal: Principal
  quotas: Quotas
  now: Date
}

/**
 * Makes a person a member with the role that their attributes give, and puts them into the groups of
 * the directory. An existing member keeps their role unless the attributes name one.
 */
export async function provision(
  change: ScimTransaction,
  id: MemberId,
  connection: StoredConnection,
  email: string,
  attributes: Attributes,
): Promise<void> {
  const { tx, principal, quotas, now } = change
  const { workspaceId, userId } = id
  await removeEndedMembersOf(tx, [workspaceId], now, userId)
  const member = await tx.members.find(id)
  if (member && member.supportReason !== null) throw supportAccess()
  const standing = readStanding(connection, attributes)
  if (!member) {
    await requireWorkspaceQuota(tx.workspaces, quotas, workspaceId, 'MAX_MEMBERS_PER_WORKSPACE')
    if (standing.isGuest) await requireGuestSupport(tx.rollout)
    await tx.members.add(id, standing.role, now, standing.isGuest)
  } else if (member.joinedAt === null) await tx.members.join(id, now)
  const groupIds = await tx.scimGroups.listGroupIds(id)
  if (groupIds.length > 0)
    await tx.groupHierarchy.addMembers(groupIds.map((groupId) => ({ groupId, ...id })))
  await tx.activity.record(actorOf(principal), {
    action: 'scim.user_provisioned',
    targetId: userId,
    workspaceId,
    detail: { email, role: member?.role ?? standing.role },
  })
  if (member && roleValues(attributes).length > 0) await changeStanding(change, member, standing)
}

/** Gives a member the role that their attributes name after a change. Owners keep theirs. */
export async function updateRole(
  change: ScimTransaction,
  id: MemberId,
  email: string,
  attributes: Attributes,
): Promise<void> {
  const member = await change.tx.members.find(id)
  if (!member) return
  const connection = await requireConnection(change.tx, id.workspaceId, email)
  await changeStanding(change, member, readStanding(connection, attributes))
}

async function changeStanding(
  { tx, principal }: ScimTransaction,
  member: WorkspaceMember,
  standing: Standing,
): Promise<void> {
  const changes = changedFields(standing, member)
  if (member.role === 'owner' || !changes) return
  if (changes.isGuest) await requireGuestSupport(tx.rollout)
  await tx.members.update(member, changes)
  await recordStandings(tx.activity, actorOf(principal), { before: member, after: standing })
}

/** Ends a membership with its sessions. The person keeps the resources that they own. */
export async function deprovision(
  { tx, principal, now }: ScimTransaction,
  id: MemberId,
): Promise<void> {
  const member = await tx.members.find(id)
  if (!member) return
  const { workspaceId, userId, email, role } = member
  if (role === 'owner') await requireAnotherOwner(tx.members, member)
  await countEndedMember(tx, workspaceId, now)
  // A concurrent code exchange either commits before this lock, so that its session is ended below,
  // or fails.
  await tx.members.lock(member)
  await tx.sessions.end({ userId, workspaceId }, now)
  await tx.members.remove(member)
  const resources = String(await tx.scimUsers.countResources(id))
  await tx.activity.record(actorOf(principal), {
    action: 'scim.user_deprovisioned',
    targetId: userId,
    workspaceId,
    detail: { email, role, resources },
  })
}

function supportAccess(): ServiceError {
  return new ServiceError(
    workspaceReasons.SUPPORT_ACCESS,
    'The person has support access to the workspace. Provision them when it has ended.',
  )
}
