import type { PresentedDelegation, Principal } from '../core/request-context.ts'

/** What can cause an event. */
export type ActorType = 'user' | 'service_account' | 'management_app' | 'scim'

/** Who caused an event. */
export type Actor = {
  /** Undefined if unknown. */
  actorId: string | undefined
  /** A user by default. */
  actorType?: ActorType
  /** The first characters of the API key of a service account. */
  apiKeyPrefix?: string | undefined
  /** The delegation by which an agent acted for the user. */
  delegation?: PresentedDelegation | undefined
}

/** Returns the actor of a call. Backend services are not recorded as actors. */
export function actorOf({ user, admin, managementApp, scim }: Principal): Actor {
  if (scim) return { actorId: scim.tokenId, actorType: 'scim' }
  if (managementApp) return { actorId: managementApp.id, actorType: 'management_app' }
  if (!user?.isServiceAccount)
    return { actorId: user?.id ?? admin?.id, delegation: user?.delegation }
  return { actorId: user.id, actorType: 'service_account', apiKeyPrefix: user.apiKeyPrefix }
}

/** Returns the ID of the person or service account that makes a change, for columns of users. */
export function userIdOf({ actorId, actorType }: Actor): string | undefined {
  return actorType === 'management_app' || actorType === 'scim' ? undefined : actorId
}
