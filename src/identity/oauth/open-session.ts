import type { IdentityContext } from '../identity-dependencies.ts'
import type { Identity } from '../providers/provider.ts'
import { inSignInTransaction, recordSignIn, signIn } from '../sign-in.ts'
import { failure, type SignInResult, success } from '../sign-in-result.ts'
import type { OpenBrowserSession } from '../store/browser-session-store.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { mustSignIn } from './authorize.ts'
import { createBrowserSession } from './browser-sessions.ts'

/**
 * The maximum time between the sign-in at the provider and its callback, in seconds. It is added to
 * `max_age`.
 */
const maxAgeTolerance = 60

/**
 * Signs the user in to daikon in this browser, for a client app that may be bound to a workspace. With a
 * request, the sign-in at the provider must be as recent as it demands.
 */
export function openSession(
  context: IdentityContext,
  identity: Identity,
  client: { workspaceId: string | null },
  request?: AuthorizationRequest,
): Promise<SignInResult<OpenBrowserSession>> {
  return inSignInTransaction(context, async (tx) => {
    const signedIn = await signIn(tx, context, identity, client)
    if (!signedIn.ok) return signedIn
    const session = await createBrowserSession(tx, context, signedIn.value, identity, client)
    if (request?.maxAge !== undefined) {
      const { prompt: _prompt, maxAge, ...rest } = request
      const tolerant = { ...rest, maxAge: maxAge + maxAgeTolerance }
      if (mustSignIn(tolerant, session, context.identity.clock()))
        return failure('reauthentication_required')
    }
    await recordSignIn(tx, context, 'user.signed_in', signedIn.value, identity)
    return success(session)
  })
}
