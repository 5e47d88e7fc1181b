import { randomUUID } from 'node:crypto'
import type {
  AdminLogoutResponse,
  AdminMe,
  BeginAdminLoginRequest,
  BeginLoginResponse,
  CompleteAdminLoginResponse,
  CompleteLoginRequest,
  GetAdminMeRequest,
} from '../../gen/daikon/v1/auth.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { invalidArgument } from '../core/errors.ts'
import type { RequestContext } from '../core/request-context.ts'
import { requireAdmin } from '../core/request-context.ts'
import { expiryOf } from './claims.ts'
import type {
  IdentityContext,
  IdentityDependencies,
  IdentityStores,
} from './identity-dependencies.ts'
import { lifetimesOf } from './lifetimes.ts'
import {
  fetchIdentity,
  recordFailure,
  reportOutcome,
  requireProvider,
  resumeFlow,
  startFlow,
} from './oauth-flow.ts'
import type { Identity } from './providers/provider.ts'
import { isAdminMethod, listSignInMethods } from './providers/sign-in-methods.ts'
import { inSignInTransaction, recordSignIn, signIn } from './sign-in.ts'
import {
  failure,
  recordedFailure,
  type SignInFailure,
  type SignInResult,
  success,
} from './sign-in-result.ts'
import type { RevocationStore } from './store/revocation-store.ts'
import type { SignedInUser, UserStore } from './store/user-store.ts'

type Settings = IdentityDependencies['settings']

type SignedInAdmin = SignedInUser & { tokenId: string; issuedAt: Date; seconds: number }

/** Starts an administrator's login and sends the browser to the provider. */
export async function beginAdminLogin(
  context: IdentityContext,
  request: BeginAdminLoginRequest,
): Promise<BeginLoginResponse> {
  const provider = await requireProvider(context, request.provider, 'admin')
  const maxAge = maxAgeOf(context.identity.settings)
  const returnTo = readReturnPath(context.identity.settings, request.return_to)
  const started = await startFlow(context, provider, { flow: 'admin', returnTo }, { maxAge })
  return started.ok ? started.value : { location: loginPage(context, started) }
}

/**
 * Sets the admin cookie and sends the browser to the console, or to its login page with an error.
 */
export function completeAdminLogin(
  context: IdentityContext,
  request: CompleteLoginRequest,
): Promise<CompleteAdminLoginResponse> {
  const flow = 'admin'
  const { settings, tokens } = context.identity
  return reportOutcome(context, { flow, provider: request.provider }, async () => {
    const login = await resumeFlow(context, request, flow)
    const clearedState = { state: login.secrets.state, login_state: '' }
    const identity = await fetchIdentity(context, request, login)
    const result = identity.ok ? await signInAdmin(context, identity.value) : identity
    if (!result.ok) {
      const refused = result.error === 'not_admin' && !result.isRecorded && identity.ok
      const userId = refused ? await findUserByAddress(context, identity.value) : undefined
      if (userId) await recordRefusal(context.stores, userId, login.provider)
      else if (result.error !== 'not_admin' || !result.isRecorded)
        await recordFailure(context, login, result)
      return { result, response: { ...clearedState, location: loginPage(context, result) } }
    }
    const { id: sub, email, name, tokenId: jti, issuedAt } = result.value
    const claims = { sub, jti, email, name, admin: true as const }
    const admin_token = await tokens.sign('admin_access', claims, result.value.seconds, issuedAt)
    const location = `${settings.ADMIN_URL}${login.returnTo ?? ''}`
    return { result, response: { ...clearedState, location, admin_token } }
  })
}

/** Returns the administrator of the admin token. */
export async function getAdminMe(
  { stores, principal }: RequestContext<{ users: UserStore }>,
  _request: GetAdminMeRequest,
): Promise<AdminMe> {
  const user = await stores.users.requireProfile(requireAdmin(principal).id)
  const { id, email, name, avatarUrl: avatar_url, isAdmin: is_admin } = user
  return { id, email, name, avatar_url, is_admin }
}

type AdminLogoutStores = { activity: ActivityStore; revocations: RevocationStore }

/** Revokes the admin token. The empty token in the response deletes the cookie. */
export async function adminLogout({
  stores,
  principal,
}: RequestContext<AdminLogoutStores>): Promise<AdminLogoutResponse> {
  const { id, token } = requireAdmin(principal)
  return stores.transaction(async (tx) => {
    await tx.revocations.deny(token)
    const event = { action: 'admin.signed_out', targetId: id, detail: {} } as const
    await tx.activity.record({ actorId: id }, event)
    return { status: 'ok', admin_token: '' }
  })
}

/**
 * Signs an administrator in. Records the id and the `exp` of the admin token that the caller signs.
 */
function signInAdmin(
  context: IdentityContext,
  identity: Identity,
): Promise<SignInResult<SignedInAdmin>> {
  const { clock, settings } = context.identity
  return inSignInTransaction(context, async (tx, context) => {
    if (!hasRequiredMethod(settings, identity)) return failure('amr_missing')
    if (readTokenSeconds(settings, identity, clock()) < 1)
      return failure('reauthentication_required')
    const signedIn = await signIn(tx, context, identity)
    if (!signedIn.ok) return signedIn
    const user = signedIn.value
    if (!user.isAdmin) {
      if (!user.wasLinked) return failure('not_admin')
      // Kept, so that an address that has followed the account can promote the user next time.
      await recordRefusal(tx, user.id, identity.provider)
      return recordedFailure('not_admin')
    }
    if (!(await hasAdminMethod(tx, settings, user, identity))) return failure('method_refused')
    await recordSignIn(tx, context, 'admin.signed_in', user, identity)
    const tokenId = randomUUID()
    // Read the clock only now, because the call has waited for the provider and for locks.
    const issuedAt = clock()
    const seconds = Math.max(readTokenSeconds(settings, identity, issuedAt), 1)
    const expiresAt = expiryOf(issuedAt, seconds)
    await tx.revocations.recordAdminToken({ id: tokenId, userId: user.id, expiresAt })
    return success({ ...user, tokenId, issuedAt, seconds })
  })
}

/**
 * Returns whether administrators may sign in with the method that an identity counts as: that of the session
 * which added its passkey or account, unless its provider has verified the address of the user. Otherwise,
 * anyone with access to a mailbox could sign in by a code, add a passkey, and become an administrator with it.
 */
async function hasAdminMethod(
  { accounts }: IdentityStores,
  settings: Settings,
  { id: userId, email }: SignedInUser,
  identity: Identity,
): Promise<boolean> {
  if (identity.emailVerified && identity.email === email) return true
  const linked = await accounts.list(userId)
  const account = linked.find(
    ({ provider, subject }) => provider === identity.provider && subject === identity.subject,
  )
  const method = account?.addedBy ?? identity.provider
  const isOn = listSignInMethods(settings).some((name) => name === method)
  return isOn && isAdminMethod(settings, method)
}

/** Returns the ID of the user to whom a refused sign-in would have linked an account, if there is one. */
async function findUserByAddress(
  { stores }: IdentityContext,
  { email, emailVerified }: Identity,
): Promise<string | undefined> {
  return email && emailVerified ? (await stores.users.findByEmail(email))?.id : undefined
}

/** Records that a user who is not an administrator has been refused. */
function recordRefusal(
  { activity }: Pick<IdentityStores, 'activity'>,
  userId: string,
  provider: string,
): Promise<void> {
  const refusal = { action: 'admin.access_refused', targetId: userId } as const
  return activity.record({ actorId: userId }, { ...refusal, detail: { provider } })
}

/** Returns whether the provider reports one of the required authentication methods. */
function hasRequiredMethod(
  { ADMIN_REQUIRED_AMR: required }: Settings,
  { authentication }: Identity,
) {
  const methods = authentication?.amr ?? []
  return required.length === 0 || required.some((amr) => methods.includes(amr))
}

/**
 * Returns the lifetime of the admin token in seconds, so that the token expires at the latest when
 * the sign-in at the provider reaches its maximum age. A sign-in whose time the provider does not
 * report counts as too old.
 */
function readTokenSeconds(
  settings: Settings,
  { authentication }: Identity,
  issuedAt: Date,
): number {
  const { admin: lifetime } = lifetimesOf(settings)
  const maxAge = maxAgeOf(settings)
  if (maxAge === undefined) return lifetime
  const time = authentication?.time?.getTime() ?? 0
  const remaining = Math.floor((time - issuedAt.getTime()) / 1000) + maxAge
  return Math.min(lifetime, remaining)
}

/**
 * Returns `path` if it is a path of the admin console, and throws otherwise. Browsers resolve
 * `//host` and `/\host` to another origin, after removing tabs and line breaks.
 */
function readReturnPath({ ADMIN_URL: adminUrl }: Settings, path = ''): string {
  const isPath = path === '' || /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(path)
  if (isPath && new URL(`${adminUrl}${path}`).origin === new URL(adminUrl).origin) return path
  throw invalidArgument({
    field: 'return_to',
    message: 'must be a path of the admin console that starts with one slash',
  })
}

function loginPage(
  { identity }: IdentityContext,
  { error, error_description }: SignInFailure,
): string {
  return `${identity.settings.ADMIN_URL}/login?${new URLSearchParams({ error, error_description })}`
}

/** Returns the maximum age of a sign-in at the provider, in seconds. Admin tokens expire when it is reached. */
function maxAgeOf({ ADMIN_MAX_AGE_MINUTES: minutes }: Settings): number | undefined {
  return minutes && minutes * 60
}
