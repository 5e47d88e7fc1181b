import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { ConnectionStore } from '../connections/store/connection-store.ts'
import { ServiceError } from '../core/errors.ts'
import { readConnectionId } from './providers/connection.ts'
import { reasons } from './reasons.ts'
import { connectionSession } from './user-errors.ts'

/** Who signed in, and by which provider. */
type SignedIn = { userId: string; provider: string }

type ReachStores = { connections: ConnectionStore }

/**
 * Returns the items that a session may reach: all of them, or the workspace of the connection by which
 * it began, if the connection still has the user.
 */
export async function filterReachable<Workspace extends { id: string }>(
  { connections }: ReachStores,
  { userId, provider }: SignedIn,
  workspaces: Workspace[],
): Promise<Workspace[]> {
  const connectionId = readConnectionId(provider)
  if (connectionId === undefined) return workspaces
  const reach = await connections.findReach(connectionId, userId)
  return workspaces.filter(({ id }) => id === reach)
}

/** How a session may reach a workspace. */
export type Reach =
  | { isReachable: true; breaksGlassOf?: string }
  /** `requiredConnection` is the one by which the user must sign in, if there is one. */
  | { isReachable: false; requiredConnection?: string }

/**
 * Decides whether a session may reach a workspace. One that began by a connection reaches only its
 * workspace. Where a connection is enforced, others do not reach the workspace, unless they are of an
 * owner who may break the glass.
 */
export async function findReach(
  { connections }: ReachStores,
  { userId, provider }: SignedIn,
  workspaceId: string,
): Promise<Reach> {
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

/** Throws unless a session may begin in a workspace. Records an owner who breaks the glass. */
export async function requireReach(
  tx: ReachStores & { activity: ActivityStore },
  signedIn: SignedIn,
  workspaceId: string,
): Promise<void> {
  const reach = await findReach(tx, signedIn, workspaceId)
  if (!reach.isReachable)
    throw reach.requiredConnection ? connectionRequired() : connectionSession()
  if (reach.breaksGlassOf === undefined) return
  const { userId, provider } = signedIn
  await tx.activity.record(
    { actorId: userId },
    {
      action: 'connection.break_glass_used',
      targetId: userId,
      workspaceId,
      detail: { connection_id: reach.breaksGlassOf, provider },
    },
  )
}

function connectionRequired(): ServiceError {
  return new ServiceError(reasons.CONNECTION_REQUIRED)
}
