import type { ActivityStore } from '../activity/store/activity-store.ts'
import { ServiceError } from '../core/errors.ts'
import type { Reach, SessionReach, SignedIn } from '../identity/ports.ts'
import { readConnectionId } from '../identity/providers/connection.ts'
import { connectionSession } from '../identity/user-errors.ts'
import { reasons } from './reasons.ts'
import type { ConnectionStore } from './store/connection-store.ts'

export type ReachStores = { activity: ActivityStore; connections: ConnectionStore }

/**
 * Decides which workspaces a session may reach. One that began by a connection reaches only its
 * workspace, if the connection still has the user. Where a connection is enforced, others do not reach
 * the workspace, unless they are of an owner who may break the glass, which is recorded.
 */
export function createSessionReach(tx: ReachStores): SessionReach {
  const find = (session: SignedIn, workspaceId: string) => findReach(tx, session, workspaceId)
  return {
    async filter({ userId, provider }, workspaces) {
      const connectionId = readConnectionId(provider)
      if (connectionId === undefined) return workspaces
      const reach = await tx.connections.findReach(connectionId, userId)
      return workspaces.filter(({ id }) => id === reach)
    },
    find,
    async require(session, workspaceId) {
      const reach = await find(session, workspaceId)
      if (!reach.isReachable)
        throw reach.requiredConnection
          ? new ServiceError(reasons.CONNECTION_REQUIRED)
          : connectionSession()
      if (reach.breaksGlassOf === undefined) return
      const { userId, provider } = session
      await tx.activity.record(
        { actorId: userId },
        {
          action: 'connection.break_glass_used',
          targetId: userId,
          workspaceId,
          detail: { connection_id: reach.breaksGlassOf, provider },
        },
      )
    },
  }
}

async function findReach(
  { connections }: ReachStores,
  { userId, provider }: SignedIn,
  workspaceId: string,
): Promise<Reach & { breaksGlassOf?: string }> {
  const connectionId = readConnectionId(provider)
  if (connectionId !== undefined) {
    const reach = await connections.findReach(connectionId, userId)
    return { isReachable: reach === workspaceId }
  }
  const enforced = await connections.findEnforced({ workspaceId, userId })
  if (!enforced) return { isReachable: true }
  const { id, breakGlass, isOwner } = enforced
  if (breakGlass && isOwner) return { isReachable: true, breaksGlassOf: id }
  return { isReachable: false, requiredConnection: id }
}
