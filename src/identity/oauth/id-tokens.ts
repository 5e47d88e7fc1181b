import { hash } from 'node:crypto'
import type { Role } from '../../core/roles.ts'
import { type Authentication, authenticationClaims } from '../authentication.ts'
import { maxGroups } from '../claims.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { lifetimesOf } from '../lifetimes.ts'
import type { ClaimsStore } from '../store/claims-store.ts'
import type { UserProfile, UserStore } from '../store/user-store.ts'
import type { IdTokenClaims } from '../tokens.ts'
import { userInactive } from '../user-errors.ts'

/** The session that an ID token is issued for. */
export type IdTokenSession = {
  id: string
  clientId: string
  userId: string
  /** The scope that the client app is granted now. */
  scope: string
  workspace: { id: string; slug: string; role: Role; isGuest: boolean }
  authentication: Authentication | undefined
  /** The nonce of the authorization request; absent after a refresh. */
  nonce: string | undefined
}

type IdTokenStores = { claims: ClaimsStore; users: UserStore }

/** Signs an ID token (OpenID Connect Core 1.0, 2) that is issued together with an access token. */
export async function signIdToken(
  { stores, identity: { tokens, settings } }: IdentityContext,
  session: IdTokenSession,
  accessToken: string,
  issuedAt: Date,
): Promise<string> {
  const { userId, workspace, scope, authentication, nonce } = session
  const { roles, groups, ...profile } = await readScopedClaims(stores, { userId, workspace }, scope)
  const claims = {
    ...profile,
    ...limitNames('roles', roles),
    ...limitNames('groups', groups),
    sub: userId,
    sid: session.id,
    wid: workspace.id,
    wslug: workspace.slug,
    ...(workspace.isGuest && { guest: true }),
    at_hash: hash('sha256', accessToken, 'buffer').subarray(0, 16).toString('base64url'),
    ...(nonce !== undefined && { nonce }),
    ...authenticationClaims(authentication),
  }
  return tokens.signForClient(
    'id',
    claims,
    session.clientId,
    lifetimesOf(settings).access,
    issuedAt,
  )
}

/** Omits a long list, as the list of groups in an access token. */
function limitNames(claim: 'roles' | 'groups', names: string[] | undefined) {
  if (!names || names.length <= maxGroups) return names && { [claim]: names }
  return { [`${claim}_overage`]: true }
}

/**
 * Returns the claims about a user that the scopes cover (OpenID Connect Core 1.0, 5.4). `roles` has
 * the workspace role first.
 */
export async function readScopedClaims(
  { claims, users }: IdTokenStores,
  { userId, workspace }: { userId: string; workspace: { id: string; role: Role } },
  scope: string,
) {
  const scopes = scope.split(' ')
  const user = await users.find(userId)
  if (!user) throw userInactive()
  const names =
    scopes.includes('roles') || scopes.includes('groups')
      ? await claims.findNames(userId, workspace.id)
      : { customRoles: [], groups: [] }
  return {
    ...(scopes.includes('profile') && readProfile(user)),
    // An identity provider has verified each address before the first sign-in.
    ...(scopes.includes('email') && { email: user.email, email_verified: true }),
    ...(scopes.includes('roles') && { roles: [workspace.role, ...names.customRoles] }),
    ...(scopes.includes('groups') && { groups: names.groups }),
  }
}

function readProfile({ name, givenName, familyName, email, avatarUrl }: UserProfile) {
  return {
    name,
    preferred_username: email,
    ...(givenName !== '' && { given_name: givenName }),
    ...(familyName !== '' && { family_name: familyName }),
    ...(avatarUrl !== '' && { picture: avatarUrl }),
  }
}

/**
 * Returns the claims of an ID token that this server issued, even if it has expired, or undefined
 * if it is invalid.
 */
export function readIdTokenHint(
  { identity }: IdentityContext,
  hint: string,
): Promise<IdTokenClaims | undefined> {
  return identity.tokens.readIdToken(hint)
}
