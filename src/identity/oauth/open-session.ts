import type { IdentityContext } from '../identity-dependencies.ts'
import type { Identity } from '../providers/provider.ts'
import { inSignInTransaction, recordSignIn, signIn } from '../sign-in.ts'
import { failure, type SignInResult, success } from '../sign-in-result.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { type OpenedSession, openBrowserSession, prepareSession } from './browser-sessions.ts'
import { isTooOld } from './sign-in-age.ts'

/**
 * The maximum time between the sign-in at the provider and its callback, in seconds. It is added to
 * `max_age`.
 */
const maxAgeTolerance = 60

/**
 * Signs the user in to daikon in this browser, for a client app that may be bound to a workspace. With a
 * request, the sign-in at the provider must be as recent as it demands, and of the user that it expects.
 * `cookie` is the session that the browser has.
 */
export function openSession(
  context: IdentityContext,
  identity: Identity,
  client: { workspaceId: string | null },
  cookie: string | undefined,
  request?: AuthorizationRequest,
): Promise<SignInResult<OpenedSession>> {
  return inSignInTransaction(context, async (tx, context) => {
    const signedIn = await signIn(tx, context, identity, client)
    if (!signedIn.ok) return signedIn
    const now = context.identity.clock()
    const prepared = prepareSession(context, signedIn.value, identity, client)
    if (isTooOld(prepared, request?.maxAge, now, maxAgeTolerance))
      return failure('reauthentication_required')
    if (request?.expectedUser && request.expectedUser !== prepared.userId)
      return failure('unexpected_user')
    const current = cookie ? await tx.browserSessions.findOpen(cookie, now) : undefined
    const opened = await openBrowserSession(tx, context, prepared, current)
    await recordSignIn(tx, context, 'user.signed_in', signedIn.value, identity)
    return success(opened)
  })
}
