import type { AccessTokenClaims } from '../results.ts'
import { type AcceptedTokens, requireAccepted, toClaims } from '../token-audience.ts'
import { decodeToken, tokenExpired, tokenInvalid } from '../token-format.ts'
import type { FakeDelegation } from './state.ts'

/** The API that a token is limited to, and what its client app may do there. */
export type FakeResourceAccess = { uri: string; scopes: readonly string[]; clientId?: string }

/** The issuer of fake tokens. They are not signed, so no server accepts them. */
export const issuer = 'daikon-fake'

/** The signature of fake tokens. */
const signature = 'fake'

/** Creates an access token that the fake accepts until it expires. */
export function createFakeToken(
  userId: string,
  workspaceId: string,
  {
    seconds,
    isGuest,
    signedInAt,
    resource,
    delegation,
  }: {
    seconds: number
    isGuest: boolean
    signedInAt: Date
    resource?: FakeResourceAccess | undefined
    delegation?: FakeDelegation | undefined
  },
): string {
  const now = Math.floor(Date.now() / 1000)
  const claims: AccessTokenClaims = {
    sub: userId,
    jti: crypto.randomUUID(),
    email: '',
    name: '',
    wid: workspaceId,
    wslug: '',
    wrole: 'viewer',
    ...(isGuest && { guest: true }),
    auth_time: Math.floor(signedInAt.getTime() / 1000),
    iss: issuer,
    aud: 'daikon',
    type: 'access',
    iat: now,
    exp: now + seconds,
    ...(resource && toAccess(resource)),
    ...(delegation && toDelegated(delegation, resource?.uri)),
  }
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${encode({ alg: 'none', typ: delegation ? 'dt+jwt' : 'at+jwt' })}.${encode(claims)}.${signature}`
}

function toAccess({ uri: aud, scopes, clientId: client_id = '' }: FakeResourceAccess) {
  return { aud, type: 'resource_access', client_id, scope: scopes.join(' ') } as const
}

function toDelegated({ id, agent }: FakeDelegation, uri = 'daikon:delegated') {
  const act = { sub: agent.id, typ: agent.type }
  return { aud: uri, type: 'delegated', act, delegation_id: id } as const
}

/**
 * Returns the claims of a fake's token, whatever it is for.
 *
 * @throws InvalidTokenError
 */
export function readFakeToken(token: string): AccessTokenClaims {
  const decoded = decodeToken(token)
  if (!decoded) throw tokenInvalid('it is not a JSON Web Token')
  const claims = decoded.claims as AccessTokenClaims
  if (claims.iss !== issuer) throw tokenInvalid('create tokens of a fake with fake.token()')
  if (decoded.signature !== signature) throw tokenInvalid('the signature does not match')
  if (claims.exp * 1000 <= Date.now()) throw tokenExpired()
  return claims
}

/**
 * Returns the claims of a fake's token that a caller accepts.
 *
 * @throws InvalidTokenError
 */
export function verifyFakeToken(token: string, accepted: AcceptedTokens): AccessTokenClaims {
  const claims = readFakeToken(token)
  requireAccepted({ header: decodeToken(token)?.header ?? {}, claims }, accepted)
  return toClaims(claims)
}
