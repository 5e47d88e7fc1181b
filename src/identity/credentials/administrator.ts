import type { CredentialKind, PresentingCall } from '../../core/credential-kind.ts'
import { ServiceError } from '../../core/errors.ts'
import { reasons } from '../reasons.ts'
import { type AdminClaims, digestToken, type TokenMemory } from '../token-memory.ts'
import { adminRequired } from '../user-errors.ts'
import { requireLiveToken } from './live-token.ts'

/** The maximum number of `admin_token` cookies that are verified for a call. */
const maxAdminTokens = 4

/**
 * The token of an administrator in the cookie `admin_token`, which browsers protect from scripts.
 * `adminOrigins` are the origins whose pages may act with it.
 */
export function createAdministratorKind(
  memory: TokenMemory,
  adminOrigins: string[],
): CredentialKind<AdminClaims> {
  /**
   * Returns the administrator whose token is valid, because another host of the site can add a
   * cookie. Rejects tokens of different administrators: nobody knows whose browser it is.
   */
  async function verifyTokens(adminTokens: string[], now: Date): Promise<AdminClaims> {
    if (adminTokens.length > maxAdminTokens) throw tokensAmbiguous()
    const results = await Promise.allSettled(
      adminTokens.map(async (token) => {
        const digest = digestToken('admin_access', token)
        return memory.findOrVerify('admin_access', token, digest, now)
      }),
    )
    const valid = results.flatMap((result) =>
      result.status === 'fulfilled' && result.value ? [result.value] : [],
    )
    const [latest] = valid.toSorted((one, other) => other.exp - one.exp)
    if (!latest) throw (results[0] as PromiseRejectedResult).reason
    if (valid.some(({ sub }) => sub !== latest.sub)) throw tokensAmbiguous()
    return latest
  }

  return {
    name: 'admin',
    provesCaller: true,

    // An empty cookie does not replace a header.
    isPresented: ({ adminTokens: [first, ...others], authorization }) =>
      others.length > 0 || (first === '' ? authorization === undefined : first !== undefined),

    verify(credentials, _policy, now) {
      const { adminTokens } = credentials
      if (adminTokens.length > 1) return verifyTokens(adminTokens, now)
      const [token] = adminTokens
      if (!token) throw tokenMissing()
      credentials.digest ??= digestToken('admin_access', token)
      return memory.findOrVerify('admin_access', token, credentials.digest, now)
    },

    identify({ jti, sub }, caller) {
      caller.tokenId = jti
      caller.userId = sub
    },

    authenticate(principal, claims, status) {
      const token = requireLiveToken(status, claims)
      if (claims.admin !== true || !status.userAdmin) throw adminRequired()
      principal.admin = { id: claims.sub, token }
    },

    authorize(_principal, { safe }, _request, call) {
      if (!safe && !isTrustedOrigin(call, adminOrigins))
        throw new ServiceError(reasons.ORIGIN_REFUSED)
    },

    tenants: ({ sub }) => [{ key: `admin ${sub}`, of: 'workspace' }],
    windows: () => ['admin'],
    clientIn: (_window, { sub }) => `admin ${sub}`,
  }
}

/** Browsers may attach the admin cookie to requests of other pages, which must not make changes. */
function isTrustedOrigin({ transport, origin }: PresentingCall, adminOrigins: string[]): boolean {
  return transport === 'grpc' || origin === true || adminOrigins.includes(origin ?? '')
}

function tokensAmbiguous(): ServiceError {
  return new ServiceError(
    reasons.TOKEN_INVALID,
    'The browser sends several admin_token cookies: delete the cookies of this site and sign in again',
  )
}

function tokenMissing(): ServiceError {
  return new ServiceError(
    reasons.TOKEN_MISSING,
    'An admin token is required in the admin_token cookie, or the token of a management app in the Authorization header',
  )
}
