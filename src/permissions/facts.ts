import type { RequestScope } from '../core/request-scope.ts'
import type { Role } from '../core/roles.ts'

/** Asks whether a user may perform an action on a resource. */
export type PermissionCheck = {
  service_name: string
  resource_type: string
  resource_id: string
  action: string
}

/** Whose status to load, as claimed by verified credentials, and for which checks. Ids must be UUIDs. */
export type FactsQuery = {
  /** SHA-256 of the service key, hex. */
  keyHash: string | undefined
  tokenId: string | undefined
  userId: string | undefined
  workspaceId: string | undefined
  checks: PermissionCheck[]
}

/** The current status of the caller. */
export type PrincipalStatus = {
  /** The service name of the key; undefined when no active service app has this key. */
  service: string | undefined
  /** An active service app exists, so development mode is over. */
  keysRequired: boolean
  tokenDenied: boolean
  userActive: boolean
  userAdmin: boolean
  /** The user's role in the workspace of the token. */
  role: Role | undefined
}

/** The status of the caller, and for each check its grants (`access.ts`), in order. */
export type Facts = { status: PrincipalStatus; grants: number[] }

/** Loads current facts; stops waiting when the scope is cancelled. */
export type LoadFacts = (query: FactsQuery, scope?: RequestScope) => Promise<Facts>
