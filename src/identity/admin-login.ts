import { randomUUID } from 'node:crypto'
import type {
  AdminMe,
  BeginAdminLoginRequest,
  BeginLoginResponse,
  CompleteAdminLoginResponse,
  CompleteLoginRequest,
  GetAdminMeRequest,
} from '../../gen/daikon/v1/auth.ts'
import { recordActivity } from '../activity/record-activity.ts'
import type { RequestContext } from '../core/request-context.ts'
import { requireAdmin } from '../core/request-context.ts'
import { User } from '../database/entities/people.ts'
import { inTransaction } from '../database/transaction.ts'
import { noteAdminToken } from './admin-tokens.ts'
import type { IdentityContext } from './identity-dependencies.ts'
import {
  type Failure,
  fetchIdentity,
  isFailure,
  recordFailure,
  refusal,
  requireProvider,
  resumeFlow,
  startFlow,
} from './oauth-flow.ts'
import type { Identity } from './providers/provider.ts'
import { type SignedIn, signIn } from './sign-in.ts'

/** Sends an administrator's browser to the provider (specification 5.6). */
export async function beginAdminLogin(
  context: IdentityContext,
  request: BeginAdminLoginRequest,
): Promise<BeginLoginResponse> {
  const provider = requireProvider(context, request.provider)
  const round = await startFlow(context, provider, { flow: 'admin' })
  return isFailure(round) ? { location: loginPage(context, round) } : round
}

/** Sets the admin cookie and goes on to the panel; whoever is no administrator, to its login page. */
export async function completeAdminLogin(
  context: IdentityContext,
  request: CompleteLoginRequest,
): Promise<CompleteAdminLoginResponse> {
  const { options, tokens } = context.identity
  const login = await resumeFlow(context, request, 'admin')
  const over = { state: login.secrets.state, login_state: '' }
  const identity = await fetchIdentity(context, request, login)
  const admin = isFailure(identity) ? identity : await admit(context, identity)
  if (isFailure(admin)) {
    // Whoever is known, and no administrator, has been recorded by name.
    if (admin.error !== 'not_admin') await recordFailure(context, login, admin)
    return { ...over, location: loginPage(context, admin) }
  }

  const { id: sub, email, name, tokenId: jti } = admin
  const claims = { sub, jti, email, name, admin: true as const }
  const admin_token = await tokens.sign('admin_access', claims, options.lifetimes.admin)
  return { ...over, location: options.adminUrl, admin_token }
}

/** Who the administrator is. */
export async function getAdminMe(
  { em, principal }: RequestContext,
  _request: GetAdminMeRequest,
): Promise<AdminMe> {
  const { id, email, name, avatar_url, is_admin } = await em.findOneOrFail(User, {
    id: requireAdmin(principal).id,
  })
  return { id, email, name, avatar_url, is_admin }
}

/** The administrator, and the id of the token they shall have. */
function admit(
  { em, now, identity: parts }: IdentityContext,
  identity: Identity,
): Promise<(SignedIn & { tokenId: string }) | Failure> {
  return inTransaction(em, async (em) => {
    const user = await signIn(em, identity, now, parts)
    if (isFailure(user)) return user
    const action = user.isAdmin ? 'admin.signed_in' : 'admin.access_refused'
    const detail = { provider: identity.provider }
    await recordActivity(em, { actorId: user.id }, { action, targetId: user.id, detail })
    if (!user.isAdmin) return refusal('not_admin')
    const tokenId = randomUUID()
    const { admin: lifetime } = parts.options.lifetimes
    await noteAdminToken(em, now, { tokenId, userId: user.id, lifetime })
    return { ...user, tokenId }
  })
}

function loginPage({ identity }: IdentityContext, failure: Failure): string {
  return `${identity.options.adminUrl}/login?${new URLSearchParams(failure)}`
}
