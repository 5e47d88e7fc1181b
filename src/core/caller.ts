import type { Role } from './roles.ts'

/** Identifies the caller whose status to load, by verified credentials. */
export type Caller = {
  userId?: string | undefined
  /** The ID of the access token. Once it is revoked, every check is denied. */
  tokenId?: string | undefined
  /** The workspace of the access token. */
  workspaceId?: string | undefined
  /** The delegation by which an agent acts for the user. */
  delegationId?: string | undefined
  /**
   * SHA-256 of the service key, hex. Empty if the required key is missing; undefined if no key is
   * required.
   */
  keyHash?: string | undefined
}

/** The current status of the caller. */
export type PrincipalStatus = {
  /** The service of the key, or undefined unless the key is valid and its service app active. */
  service: string | undefined
  /** The version of the routes of the service, or undefined if it has never had routes. */
  routesVersion: string | undefined
  /**
   * Whether an active service app exists. If none does, service keys are required only if
   * `SERVICE_KEYS_REQUIRED` is set.
   */
  keysRequired: boolean
  tokenDenied: boolean
  userActive: boolean
  userAdmin: boolean
  isServiceAccount: boolean
  /** The user's role in the workspace of the token. */
  role: Role | undefined
  /** Whether the user is a guest of the workspace of the token. */
  isGuest: boolean
}
