import type { CredentialKind } from '../../core/credential-kind.ts'
import { ServiceError } from '../../core/errors.ts'
import { currentScopes, includesScope } from '../../core/scopes.ts'
import type { FindManagementScopes } from '../management-apps.ts'
import { reasons } from '../reasons.ts'
import { digestToken, type ManagementClaims, type TokenMemory } from '../token-memory.ts'
import { hasAuthorization, requireBearer } from './bearer.ts'
import { tokenRevoked, toPresentedToken } from './live-token.ts'

/** The token of a management app: `authorization: Bearer <token>`. */
export function createManagementAppKind(
  memory: TokenMemory,
  findManagementScopes: FindManagementScopes,
): CredentialKind<ManagementClaims> {
  return {
    name: 'management_app',
    provesCaller: true,
    isPresented: hasAuthorization,

    verify(credentials, _policy, now) {
      const token = requireBearer(credentials)
      credentials.digest ??= digestToken('management', token)
      return memory.findOrVerify('management', token, credentials.digest, now)
    },

    identify({ jti }, caller) {
      caller.tokenId = jti
    },

    load: ({ sub }) => findManagementScopes(sub),

    /** `loaded` are the scopes of the app, or undefined unless it is active. */
    authenticate(principal, { sub: id, ...claims }, status, _call, _now, loaded) {
      const current = loaded as string[] | undefined
      if (status.tokenDenied || !current) throw tokenRevoked()
      const scopes = currentScopes(claims, current)
      principal.managementApp = { id, scopes, token: toPresentedToken(claims) }
    },

    permit({ managementApp }, { scope }) {
      if (!managementApp) return
      if (scope === undefined || scope === 'none')
        throw new ServiceError(reasons.ADMINISTRATOR_REQUIRED)
      if (!includesScope(managementApp.scopes, scope))
        throw new ServiceError(reasons.SCOPE_MISSING, `The management app needs the scope ${scope}`)
    },

    tenants: ({ sub }) => [{ key: `admin ${sub}`, of: 'workspace' }],
    windows: () => ['admin'],
    clientIn: (_window, { sub }) => `admin ${sub}`,
  }
}
