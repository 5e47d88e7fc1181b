import type { Actor } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import type { ConsentStore, Grant } from './store/consent-store.ts'

type Stores = { activity: ActivityStore; consents: ConsentStore; sessions: SessionStore }

/**
 * Ends grants with their sessions, codes and access tokens, which every node refuses as soon as the
 * transaction has committed. Returns the number of those that still existed.
 */
export async function endGrants(
  tx: Stores,
  actor: Actor,
  ids: string[],
  now: Date,
): Promise<number> {
  // Waits for concurrent exchanges of codes, whose sessions then end below. Later ones fail.
  const grants = await tx.consents.lockAll(ids)
  if (grants.length === 0) return 0
  const grantIds = grants.map(({ id }) => id)
  await tx.sessions.end({ grantIds }, now)
  await tx.consents.delete(grantIds)
  await tx.activity.record(actor, ...grants.map((grant) => grantEvent('grant.revoked', grant)))
  return grants.length
}

/** Returns the event of a grant. */
export function grantEvent<Action extends 'grant.created' | 'grant.extended' | 'grant.revoked'>(
  action: Action,
  grant: Grant,
) {
  const { id, userId, workspaceId, clientId, host, resource, scopes } = grant
  const detail = {
    user_id: userId,
    client: clientId,
    host,
    resource: resource ?? 'none',
    scopes: scopes.join(' '),
  }
  return { action, targetId: id, workspaceId, detail }
}
