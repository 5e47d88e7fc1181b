import { ServiceError } from '../../core/errors.ts'
import { reasons } from '../reasons.ts'
import type { ClientStore } from '../store/client-store.ts'

/** The client apps of a code or of a session. */
type ClientIds = { clientId: string | undefined; loginClientId: string | undefined }

/**
 * Returns the only workspace that the client app of a code or session may have tokens for, if it is
 * bound to one.
 *
 * Throws if the client app is confidential, or if it is inactive and the sign-in began at
 * `/oauth/authorize`. The codes and refresh tokens of a confidential client can be used only at
 * `/oauth/token`, where it must authenticate.
 */
export async function requireSessionClient(
  clients: ClientStore,
  { clientId, loginClientId }: ClientIds,
): Promise<string | null> {
  const id = clientId ?? loginClientId
  if (!id) return null
  const client = await clients.findOfSession(id)
  const isUsable = client?.type === 'public' && client.isActive
  if (isUsable || !clientId) return client?.workspaceId ?? null
  throw new ServiceError(
    reasons.CLIENT_AUTHENTICATION_REQUIRED,
    client?.type === 'confidential'
      ? 'The client app is confidential: use /oauth/token with its client secret'
      : 'The client app is not active',
  )
}

/** Returns the workspace that the client app of a code is bound to, whatever its type. */
export async function findBoundWorkspace(
  clients: ClientStore,
  { clientId, loginClientId }: ClientIds,
): Promise<string | null> {
  const id = clientId ?? loginClientId
  return id ? ((await clients.findOfSession(id))?.workspaceId ?? null) : null
}

/** Throws if a client app is bound to a different workspace. */
export function requireBoundWorkspace(boundTo: string | null, workspaceId: string): void {
  if (boundTo === null || boundTo === workspaceId) return
  throw new ServiceError(reasons.WORKSPACE_REFUSED)
}
