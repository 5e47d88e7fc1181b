import type { ActivityStore } from '../activity/store/activity-store.ts'
import { domainOf } from '../core/email.ts'
import type { QuotaContext } from '../core/quotas.ts'
import type { ConnectedMember } from '../identity/ports.ts'
import type { Identity } from '../identity/providers/provider.ts'
import { failure, recordedFailure, type SignInResult, success } from '../identity/sign-in-result.ts'
import type { AccountStore } from '../identity/store/account-store.ts'
import type { ClaimsStore } from '../identity/store/claims-store.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import type { UserStore } from '../identity/store/user-store.ts'
import type { Standing } from '../workspaces/guests.ts'
import { removeEndedMembersOf } from '../workspaces/member-expiry.ts'
import { lockWorkspace } from '../workspaces/member-rules.ts'
import type { MemberId } from '../workspaces/store/member-store.ts'
import type { WorkspaceStore } from '../workspaces/store/workspace-store.ts'
import { applyMapping, type MappingStores, recordMissingClaims } from './apply-mapping.ts'
import { findPerson } from './find-person.ts'
import { mapClaims } from './mapping.ts'
import type { ConnectionPorts } from './ports.ts'
import type { ConnectionDomainStore } from './store/connection-domain-store.ts'
import type { ConnectionStore, StoredConnection } from './store/connection-store.ts'
import type { ConnectionSubjectStore } from './store/connection-subject-store.ts'

export type JoinStores = MappingStores &
  ConnectionPorts & {
    accounts: AccountStore
    activity: ActivityStore
    claims: ClaimsStore
    connectionDomains: ConnectionDomainStore
    connections: ConnectionStore
    connectionSubjects: ConnectionSubjectStore
    sessions: SessionStore
    users: UserStore
    workspaces: WorkspaceStore
  }

/**
 * Returns the member that a sign-in through a connection identifies (`findPerson`), who joins if they
 * have not yet. Locks their user until the end of the transaction.
 *
 * The provider is trusted only within its verified domains: the address in the token, the address of the
 * user and the `userName` in the directory must each be in one. No account is linked, so the sign-in
 * proves nothing outside this workspace.
 */
export async function joinByConnection(
  tx: JoinStores,
  { now, quotas }: QuotaContext & { now: Date },
  connectionId: string,
  { subject, email, emailVerified, emailProblem, claims = {}, provider }: Identity,
): Promise<SignInResult<ConnectedMember>> {
  const connection = await tx.connections.findActive(connectionId)
  if (!connection) return failure('access_denied', 'the connection is not active')
  if (!email || !emailVerified) return failure(emailProblem ?? 'email_not_verified')
  if (!(await isTrusted(tx, connection, email))) return failure('domain_not_verified')
  const workspaceId = await lockWorkspace(tx.workspaces, connection.workspaceId)
  const person = await findPerson(tx, connection, { subject, email, claims })
  if (!person) return failure('account_conflict', 'the provider and the directory disagree')
  const { userId, userName, isKnown } = person
  const { isActive } = await tx.users.lock(userId)
  if (!isActive) return failure('user_inactive')
  const user = await tx.users.requireProfile(userId)
  for (const own of [user.email, userName ?? user.email])
    if (!(await isTrusted(tx, connection, own))) return failure('domain_not_verified')
  if (!isKnown && (await tx.connectionSubjects.findOfUser(connectionId, userId))) {
    // The address has passed to another account of the provider, and perhaps to another person.
    const detail = { provider, subject }
    const refusal = { action: 'user.link_refused', targetId: userId, detail } as const
    await tx.activity.record({ actorId: undefined }, refusal)
    return recordedFailure('account_conflict')
  }
  const member = { workspaceId, userId }
  const mapped = mapClaims(connection.mapping, connection.defaultRole, claims)
  await removeEndedMembersOf(tx, [workspaceId], now, userId)
  if (await isDeprovisioned(tx, member))
    return failure('access_denied', 'the directory has deactivated the person')
  const standing = mapped.standing ?? { role: connection.defaultRole, isGuest: false }
  if (!(await join(tx, { now, quotas }, member, standing, email, connectionId)))
    return failure('access_denied', 'the workspace has reached its maximum number of members')
  await tx.connectionSubjects.link({ connectionId, subject, email, ...member }, now)
  await tx.connectionSubjects.recordSignIn(connectionId, subject, now)
  await tx.connections.recordSignIn(connectionId, now)
  await applyMapping(tx, member, mapped)
  await recordMissingClaims(tx, connection, mapped.missing, now)
  const workspaces = await tx.claims.listWorkspaces(userId)
  const isOnlyHere = workspaces.length === 1 && (await tx.accounts.list(userId)).length === 0
  const isNamed = user.name !== '' || user.givenName !== '' || user.familyName !== ''
  return success({ userId, mayName: isOnlyHere && !isNamed })
}

/** Makes a user a member who has joined. Returns false if the workspace is full. */
async function join(
  tx: JoinStores,
  { now, quotas }: QuotaContext & { now: Date },
  id: MemberId,
  standing: Standing,
  email: string,
  connectionId: string,
): Promise<boolean> {
  const member = await tx.members.find(id)
  if (member && member.joinedAt !== null) return true
  if (!member) {
    const count = await tx.workspaces.count(id.workspaceId, 'members')
    if (count >= quotas.MAX_MEMBERS_PER_WORKSPACE) return false
    await tx.members.add(id, standing.role, now, standing.isGuest)
  } else {
    await tx.members.join(id, now)
  }
  const { role, isGuest } = member ?? standing
  await tx.activity.record(
    { actorId: id.userId },
    {
      action: 'connection.member_joined',
      targetId: id.userId,
      workspaceId: id.workspaceId,
      detail: { email, role, guest: String(isGuest), connection_id: connectionId },
    },
  )
  return true
}

/** Whether a person would join a workspace whose directory has ended their membership. */
async function isDeprovisioned({ members, directory }: JoinStores, id: MemberId): Promise<boolean> {
  const member = await members.find(id)
  return (member?.joinedAt ?? null) === null && (await directory.isBlocked(id))
}

/** Whether the connection has verified the domain of an address. */
async function isTrusted(
  { connectionDomains }: JoinStores,
  { id }: StoredConnection,
  email: string,
): Promise<boolean> {
  const domain = await connectionDomains.find(id, domainOf(email))
  return domain !== undefined && domain.verifiedAt !== null
}
