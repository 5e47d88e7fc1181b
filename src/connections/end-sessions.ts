import { connectionName } from '../identity/providers/connection.ts'
import type { ConnectionStores } from './connection-context.ts'
import type { StoredConnection } from './store/connection-store.ts'

type EndStores = Pick<ConnectionStores, 'browserSessions' | 'codes' | 'sessions'>

/**
 * Ends all sessions and sign-ins through a connection. The caller has locked or deleted the connection, so
 * that no session by it can begin at the same time.
 */
export async function endConnectionSessions(
  tx: EndStores,
  connectionId: string,
  now: Date,
): Promise<void> {
  const provider = connectionName(connectionId)
  await tx.codes.consumeOfProvider(provider, now)
  await tx.browserSessions.endOfProvider(provider)
  await tx.sessions.end({ provider }, now)
}

/** Ends the sessions in the workspace of an enforced connection that began otherwise. */
export async function endOtherwiseBegun(
  tx: EndStores & Pick<ConnectionStores, 'connectionDomains'>,
  { id, workspaceId, isActive, enforced, breakGlass }: StoredConnection,
  now: Date,
): Promise<void> {
  if (!isActive || !enforced) return
  const domains = await tx.connectionDomains.list([id])
  const verified = domains.filter(({ verifiedAt }) => verifiedAt !== null)
  const ids = await tx.sessions.findOtherwise({
    workspaceId,
    provider: connectionName(id),
    domains: verified.map(({ domain }) => domain),
    sparesOwners: breakGlass,
  })
  await tx.sessions.revoke(ids, now)
}
