import type {
  BeginAccountLinkRequest,
  BeginAccountLinkResponse,
} from '../../gen/daikon/v1/users.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import { requireUser } from '../core/request-context.ts'
import type { IdentityContext } from '../identity/identity-dependencies.ts'
import { requireProvider, startFlow } from '../identity/oauth-flow.ts'
import { readConnectionId } from '../identity/providers/connection.ts'
import { isOwnMethod } from '../identity/providers/own-methods.ts'
import { reasons as identityReasons } from '../identity/reasons.ts'
import { reasons } from './reasons.ts'

/** Starts a sign-in with the account to link, in the browser session of the user. */
export async function beginAccountLink(
  context: IdentityContext,
  { provider: name, browser_session: cookie }: BeginAccountLinkRequest,
): Promise<BeginAccountLinkResponse> {
  const { stores, principal, now } = context
  if (isOwnMethod(name)) {
    throw invalidArgument({ field: 'provider', message: 'must be a provider of accounts' })
  }
  if (readConnectionId(name) !== undefined)
    throw new ServiceError(identityReasons.PROVIDER_NOT_FOUND)
  const provider = await requireProvider(context, name, 'user')
  const { id: userId } = requireUser(principal)
  const session = cookie ? await stores.browserSessions.findOpen(cookie, now) : undefined
  if (session?.userId !== userId) throw new ServiceError(reasons.BROWSER_SESSION_REQUIRED)
  const link = { userId, browserSessionId: session.id }
  // Otherwise, the provider may choose the account that is signed in there without asking.
  const started = await startFlow(
    context,
    provider,
    { flow: 'user', link },
    { prompt: 'select_account' },
  )
  if (started.ok) return started.value
  throw new ServiceError(reasons.PROVIDER_UNAVAILABLE)
}
