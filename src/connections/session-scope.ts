import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { SessionScope, SignedIn, WorkspaceAccess } from '../identity/ports.ts'
import { readConnectionId } from '../identity/providers/connection.ts'
import type { EnforcementStore } from '../identity/store/enforcement-store.ts'
import { connectionRequired, connectionSession } from '../identity/user-errors.ts'
import { refuseWeakSessions } from '../identity/weak-sessions.ts'
import type { ConnectionStore } from './store/connection-store.ts'

export type ScopeStores = {
  activity: ActivityStore
  connections: ConnectionStore
  enforcements: EnforcementStore
}

/**
 * Decides which workspaces a session may be used in:
 *
 * - A session that began with a connection: only the workspace of the connection, while the connection
 *   still has the user.
 * - Any other session: every workspace of the user, except those that enforce a connection. There, only
 *   an owner may break the glass, which is recorded.
 */
export function createSessionScope(tx: ScopeStores): SessionScope {
  const find = (session: SignedIn, workspaceId: string) => findAccess(tx, session, workspaceId)
  const scope: SessionScope = {
    async filter({ userId, provider }, workspaces) {
      const connectionId = readConnectionId(provider)
      if (connectionId === undefined) return workspaces
      const workspaceId = await tx.connections.findWorkspaceOfSession(connectionId, userId)
      return workspaces.filter(({ id }) => id === workspaceId)
    },
    find,
    async require(session, workspaceId) {
      const access = await find(session, workspaceId)
      if (!access.isAllowed)
        throw access.requiredConnection ? connectionRequired() : connectionSession()
      if (access.bypassedConnection === undefined) return
      const { userId, provider } = session
      await tx.activity.record(
        { actorId: userId },
        {
          action: 'connection.break_glass_used',
          targetId: userId,
          workspaceId,
          detail: { connection_id: access.bypassedConnection, provider },
        },
      )
    },
  }
  return refuseWeakSessions(scope, tx.enforcements)
}

async function findAccess(
  { connections, enforcements }: ScopeStores,
  { userId, provider }: SignedIn,
  workspaceId: string,
): Promise<WorkspaceAccess & { bypassedConnection?: string }> {
  const connectionId = readConnectionId(provider)
  if (connectionId !== undefined) {
    const ofSession = await connections.findWorkspaceOfSession(connectionId, userId)
    return { isAllowed: ofSession === workspaceId }
  }
  const enforced = await enforcements.find(workspaceId, userId)
  if (!enforced) return { isAllowed: true }
  const { id, breakGlass, isOwner } = enforced
  if (breakGlass && isOwner) return { isAllowed: true, bypassedConnection: id }
  return { isAllowed: false, requiredConnection: id }
}
