import type { PresentedDelegation } from '../core/request-context.ts'
import type { Role } from '../core/roles.ts'
import type { AuthenticationClaims } from './authentication.ts'

/**
 * The header `typ` and the audience `aud` of each token `type`. They differ between types, so that
 * a verifier that checks them cannot mistake one kind of token for another (RFC 8725, 3.11 and
 * 3.12; RFC 9068, 2.1).
 */
export const tokenKinds = {
  access: { typ: 'at+jwt', audience: 'daikon' },
  refresh: { typ: 'refresh+jwt', audience: 'daikon:refresh' },
  admin_access: { typ: 'admin+jwt', audience: 'daikon:admin' },
  management: { typ: 'management+jwt', audience: 'daikon:management' },
} as const

/** The claims of each token `type`, in addition to `type`, `iss`, `aud`, `iat` and `exp`. */
export type Claims = {
  access: {
    sub: string
    jti: string
    email: string
    name: string
    wid: string
    wslug: string
    wrole: Role
    /** Present for guests of the workspace, whose role is viewer. */
    guest?: true
    /** The ids of the user's groups; absent if there are more than `maxGroups`. */
    groups?: string[]
    /** Present if the user is in more than `maxGroups` groups. */
    groups_overage?: true
    /**
     * The client app and the granted scope. A sign-in that began at `/auth/login` has no scope, and
     * a client app only if it is confidential.
     */
    client_id?: string
    scope?: string
    /** The connection of the workspace that the session began through, if any. */
    connection_id?: string
    /** Present if the account page asked for the sign-in, in its own tokens. */
    step_up?: true
  } & AuthenticationClaims
  refresh: { sub: string; jti: string; wid: string }
  admin_access: { sub: string; jti: string; email: string; name: string; admin: true }
  /** The management app, and the requested scopes if it requested fewer than it has. */
  management: { sub: string; jti: string; scope?: string }
}

/**
 * The maximum number of group ids in an access token. Clients send the token in a header of every
 * request, so its size matters.
 */
export const maxGroups = 100

/**
 * The claims of an access token that is limited to an API (RFC 9068, 2.2), whose URI is its only
 * audience. It says nothing about the person: the service of the API learns more by introspection.
 */
export type ResourceClaims = {
  sub: string
  jti: string
  wid: string
  client_id: string
  scope: string
  /** The consent of the user, if the client app requires one. */
  gid?: string
} & Pick<AuthenticationClaims, 'auth_time' | 'auth_time_unconfirmed' | 'acr'>

/** The `type` of these tokens. */
export const resourceType = 'resource_access'

export type ResourceToken = ResourceClaims & {
  type: typeof resourceType
  aud: string
  iat: number
  exp: number
}

/**
 * The kind of access tokens by which agents act for users. It differs from all other kinds in `typ`, `type`
 * and audience, so that no verifier takes such a token for one of the user's.
 */
export const delegatedKind = {
  typ: 'dt+jwt',
  type: 'delegated',
  /** The audience of tokens that are not limited to an API. */
  audience: 'daikon:delegated',
} as const

/** The claims of a delegated token (RFC 8693, 4.1). It says nothing else about the person. */
export type DelegatedClaims = {
  /** The user for whom the agent acts. */
  sub: string
  jti: string
  wid: string
  /** The agent: its ID and type. */
  act: { sub: string; typ: PresentedDelegation['agent']['type'] }
  delegation_id: string
  /** Present if the token is limited to an API. */
  scope?: string
  /** Present if the agent is a client app. */
  client_id?: string
}

export type DelegatedToken = DelegatedClaims & {
  type: typeof delegatedKind.type
  aud: string
  iat: number
  exp: number
}

export type TokenType = keyof Claims

/** The claims of a token with its times, in seconds since the epoch. */
export type Token<Type extends TokenType> = {
  [Kind in Type]: Claims[Kind] & { type: Kind; iat: number; exp: number }
}[Type]

/** The claims that are UUIDs. SQL relies on their format. */
const ids: Record<TokenType, string[]> = {
  access: ['sub', 'jti', 'wid'],
  refresh: ['sub', 'jti', 'wid'],
  admin_access: ['sub', 'jti'],
  management: ['sub', 'jti'],
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Returns the expiry of a token that is issued at `issuedAt` and valid for `seconds`, in whole
 * seconds like `exp`.
 */
export function expiryOf(issuedAt: Date, seconds: number): Date {
  return new Date((Math.floor(issuedAt.getTime() / 1000) + seconds) * 1000)
}

/** Returns the payload as a token that is limited to an API, or undefined if it is not one. */
export function readResourceClaims(payload: Record<string, unknown>): ResourceToken | undefined {
  const { type, exp, aud, client_id, scope } = payload
  const isOne = type === resourceType && typeof exp === 'number' && hasIds(payload, ids.access)
  const isWellFormed = [aud, client_id, scope].every((value) => typeof value === 'string')
  return isOne && isWellFormed ? (payload as unknown as ResourceToken) : undefined
}

/** Returns the payload as a delegated token, or undefined if it is not one. */
export function readDelegatedClaims(payload: Record<string, unknown>): DelegatedToken | undefined {
  const { type, exp, aud, act } = payload
  const { sub, typ } = (act ?? {}) as Record<string, unknown>
  const isOne = type === delegatedKind.type && typeof exp === 'number' && typeof aud === 'string'
  const hasAgent = (typ === 'client' || typ === 'service_account') && hasIds({ sub }, ['sub'])
  const areIds = hasIds(payload, [...ids.access, 'delegation_id'])
  return isOne && hasAgent && areIds ? (payload as unknown as DelegatedToken) : undefined
}

/** Returns the payload as a token of this type, or undefined if it is not one. */
export function readClaims<Type extends TokenType>(
  type: Type,
  payload: Record<string, unknown>,
): Token<Type> | undefined {
  if (payload.type !== type || typeof payload.exp !== 'number') return undefined
  return hasIds(payload, ids[type]) ? (payload as unknown as Token<Type>) : undefined
}

function hasIds(payload: Record<string, unknown>, names: string[]): boolean {
  return names.every((name) => {
    const id = payload[name]
    return typeof id === 'string' && uuid.test(id)
  })
}
