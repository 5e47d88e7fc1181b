import { isUuid } from '../../core/uuid.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { readConnectionId } from '../providers/connection.ts'
import { reasons } from '../reasons.ts'
import { notInBoundWorkspace } from '../sign-in-result.ts'
import type { OpenBrowserSession } from '../store/browser-session-store.ts'
import type { UserWorkspace } from '../store/claims-store.ts'
import { accountClientId, type RedirectingClient } from '../store/client-store.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { type Continuation, respondWithError } from './authorization-response.ts'
import { requiresConsent } from './consent-question.ts'
import { continueWithConsent, findChosen, grantCode } from './grant-code.ts'
import { decline, findAccepted, hasDeclined, workspacePage } from './workspace-page.ts'

/**
 * Continues a request of a signed-in user: issues a code for a workspace, or displays a page on
 * which the user chooses a workspace or accepts an invitation. A client app that is bound to a
 * workspace only admits its members. `confirmation` is the one of the page's form.
 */
export async function continueAuthorization(
  context: IdentityContext,
  request: AuthorizationRequest,
  client: RedirectingClient,
  session: OpenBrowserSession,
  confirmation = '',
): Promise<Continuation> {
  const { workspace: name, prompt } = request
  const { workspaceId: boundTo } = client
  const isConnected = readConnectionId(session.provider) !== undefined
  if (!boundTo && session.lacksPersonalWorkspace && !isConnected)
    await addPersonalWorkspace(context, session)
  const { claims } = context.stores
  const joinedOrInvited = await claims.listWorkspaces(session.userId)
  const all = await context.stores.sessionScope.filter(session, joinedOrInvited)
  const admitted = boundTo ? all.filter(({ id }) => id === boundTo) : all
  const workspaces = name ? admitted.filter((workspace) => isNamed(workspace, name)) : admitted
  const [only, ...others] = workspaces
  if (!only) {
    const asked = joinedOrInvited.filter(
      (workspace) => (!boundTo || workspace.id === boundTo) && (!name || isNamed(workspace, name)),
    )
    if (await isTooWeak(context, session, asked)) {
      const { message } = reasons.SIGN_IN_TOO_WEAK
      return respondWithError(context, request, 'access_denied', message)
    }
    const description = boundTo
      ? notInBoundWorkspace
      : `The user is not a member of ${name ? 'this' : 'any'} workspace`
    return respondWithError(context, request, 'access_denied', description)
  }
  const own =
    client.id === accountClientId && (await findOpenWorkspace(context, session, workspaces))
  if (own) return grantCode(context, { request, client, session }, own)
  if (hasDeclined(request, session)) return decline(context, request)
  if (requiresConsent(client))
    return continueWithConsent(context, { request, client, session, confirmation }, workspaces)
  const isOnly = others.length === 0 && only.status === 'active'
  const opened = isOnly ? only : findAccepted(confirmation, session, workspaces)
  if (opened) return grantCode(context, { request, client, session }, opened)
  if (prompt !== 'none')
    return { page: workspacePage(context, request, client, session, workspaces) }
  const joined = workspaces.filter(({ status }) => status === 'active')
  const chosen = await findChosen(context, session, client, joined)
  if (chosen) return grantCode(context, { request, client, session }, chosen)
  const description = `The user must ${joined.length > 0 ? 'choose a workspace' : 'accept an invitation'}`
  return respondWithError(context, request, 'interaction_required', description)
}

/** Returns a workspace for the account page, which concerns none, so that nobody has to choose one. */
async function findOpenWorkspace(
  { stores }: IdentityContext,
  session: OpenBrowserSession,
  workspaces: UserWorkspace[],
): Promise<UserWorkspace | undefined> {
  for (const workspace of workspaces) {
    if (workspace.status !== 'active') continue
    if ((await stores.sessionScope.find(session, workspace.id)).isAllowed) return workspace
  }
  return undefined
}

/** Whether one of some workspaces would admit the user after another sign-in than by a code. */
async function isTooWeak(
  { stores }: IdentityContext,
  session: OpenBrowserSession,
  workspaces: UserWorkspace[],
): Promise<boolean> {
  for (const { id } of workspaces) {
    const access = await stores.sessionScope.find(session, id)
    if (!access.isAllowed && access.isTooWeak) return true
  }
  return false
}

/** Creates the personal workspace that the sign-in to a bound client app did not create. */
async function addPersonalWorkspace(
  { stores, now, identity }: IdentityContext,
  { userId }: OpenBrowserSession,
): Promise<void> {
  if (!identity.settings.PERSONAL_WORKSPACES) return
  await stores.transaction(async (tx) => {
    const { isActive } = await tx.users.lock(userId)
    if (!isActive) return
    await tx.signInWorkspaces.createPersonal(await tx.users.requireProfile(userId), now)
  })
}

/**
 * Whether a workspace has this ID or slug. Text that could be an ID never matches a slug, so that a
 * workspace cannot pass for another one.
 */
function isNamed({ id, slug }: UserWorkspace, name: string): boolean {
  return isUuid(name) ? id === name : slug === name
}
