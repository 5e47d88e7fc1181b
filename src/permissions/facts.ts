import type { RequestScope } from '../core/request-scope.ts'
import type { Role } from '../core/roles.ts'

/** A check of whether a user may perform an action on a resource. */
export type PermissionCheck = {
  service_name: string
  resource_type: string
  resource_id: string
  action: string
}

/**
 * The caller whose status to load, as identified by verified credentials, and the checks whose
 * facts to load. IDs must be UUIDs.
 */
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
  /** The service of the key, or undefined unless the key is valid and its service app active. */
  service: string | undefined
  /**
   * Whether an active service app exists. If none does, service keys are required only if
   * `SERVICE_KEYS_REQUIRED` is set.
   */
  keysRequired: boolean
  tokenDenied: boolean
  userActive: boolean
  userAdmin: boolean
  /** The user's role in the workspace of the token. */
  role: Role | undefined
}

/** The status of the caller, and the bits of `grant` and `actionFact` for each check, in order. */
export type Facts = { status: PrincipalStatus; grants: number[] }

/** Loads the current facts. Stops waiting when the scope is cancelled. */
export type LoadFacts = (query: FactsQuery, scope?: RequestScope) => Promise<Facts>
