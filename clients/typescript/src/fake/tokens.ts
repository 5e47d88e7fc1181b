import type { AccessTokenClaims } from '../results.ts'
import { decodeToken, tokenExpired, tokenInvalid } from '../token-format.ts'

/** The issuer of fake tokens. They are not signed, so no server accepts them. */
const issuer = 'daikon-fake'

/** The signature of fake tokens. */
const signature = 'fake'

/** Creates an access token that the fake accepts until it expires. */
export function createFakeToken(
  userId: string,
  workspaceId: string,
  { seconds, isGuest, signedInAt }: { seconds: number; isGuest: boolean; signedInAt: Date },
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
  }
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${encode({ alg: 'none', typ: 'at+jwt' })}.${encode(claims)}.${signature}`
}

/**
 * Returns the claims of a fake's token.
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
