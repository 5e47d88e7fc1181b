import type { CompleteLoginRequest } from '../../../gen/daikon/v1/auth.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import type { Identity } from '../providers/provider.ts'
import { hashSecret } from '../secret.ts'
import { inSignInTransaction, recordSignIn, signIn } from '../sign-in.ts'
import { failure, type SignInResult, success } from '../sign-in-result.ts'
import { accountClientId } from '../store/client-store.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { type OpenedSession, openBrowserSession, prepareSession } from './browser-sessions.ts'
import { isTooOld, requiresPasskey } from './sign-in-age.ts'

/**
 * The maximum time between the sign-in at the provider and its callback, in seconds. It is added to
 * `max_age`.
 */
const maxAgeTolerance = 60

/**
 * Signs the user in to daikon in this browser, for a client app that may be bound to a workspace. With a
 * request, the sign-in at the provider must be as recent as it demands, and of the user that it expects.
 * The callback has the cookies of the browser.
 */
export function openSession(
  context: IdentityContext,
  identity: Identity,
  client: { workspaceId: string | null },
  { browser: browserCookie, browser_session: cookie }: CompleteLoginRequest,
  request?: AuthorizationRequest,
): Promise<SignInResult<OpenedSession>> {
  return inSignInTransaction(context, async (tx, context) => {
    const signedIn = await signIn(tx, context, identity, client)
    if (!signedIn.ok) return signedIn
    const now = context.identity.clock()
    const browser = await context.identity.browserCookies.read(browserCookie)
    const browserHash = hashSecret(browser.secret)
    const isStepUp = request?.clientId === accountClientId && request.prompt === 'login'
    const { value: user } = signedIn
    const prepared = prepareSession(context, user, identity, client, browserHash, isStepUp)
    if (isTooOld(prepared, request?.maxAge, now, maxAgeTolerance))
      return failure('reauthentication_required')
    if (request && requiresPasskey(request) && prepared.acr !== 'phr')
      return failure('passkey_missing')
    if (request?.expectedUser && request.expectedUser !== prepared.userId)
      return failure('unexpected_user')
    const current = cookie ? await tx.browserSessions.findOpen(cookie, now) : undefined
    // Another sign-in of this user may have ended while this one waited for the lock of the user, so that
    // the cookie of the request is not the browser's any more.
    const ofBrowser = current ? [] : await tx.browserSessions.listOfBrowser(browserHash, now)
    const existing = current ?? ofBrowser.find(({ userId }) => userId === prepared.userId)
    const opened = await openBrowserSession(tx, context, prepared, existing)
    await recordSignIn(tx, context, 'user.signed_in', user, identity)
    return success(opened)
  })
}
