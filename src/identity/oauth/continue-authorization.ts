import { isUuid } from '../../core/uuid.ts'
import { violates } from '../../database/database-errors.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { connectionName, readConnectionId } from '../providers/connection.ts'
import { reasons } from '../reasons.ts'
import { notInBoundWorkspace } from '../sign-in-result.ts'
import type { OpenBrowserSession } from '../store/browser-session-store.ts'
import type { UserWorkspace } from '../store/claims-store.ts'
import { accountClientId, type RedirectingClient } from '../store/client-store.ts'
import { type AuthorizationRequest, resourceUnknown } from './authorization-request.ts'
import {
  authorizationUrl,
  type Continuation,
  respond,
  respondWithError,
} from './authorization-response.ts'
import { createLink, createPage } from './hosted-page.ts'
import { requiresPasskey } from './sign-in-age.ts'
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
  if (own) return grantCode(context, request, session, own)
  if (hasDeclined(request, session)) return decline(context, request)
  const isOnly = others.length === 0 && only.status === 'active'
  const opened = isOnly ? only : findAccepted(confirmation, session, workspaces)
  if (opened) return grantCode(context, request, session, opened.id)
  if (prompt !== 'none')
    return { page: workspacePage(context, request, client, session, workspaces) }
  const joined = workspaces.filter(({ status }) => status === 'active')
  const chosen =
    joined.length === 1
      ? joined[0]?.id
      : await context.stores.browserSessions.findLastWorkspace(session.id, client.id)
  if (chosen && joined.some(({ id }) => id === chosen)) {
    return grantCode(context, request, session, chosen)
  }
  const description = `The user must ${joined.length > 0 ? 'choose a workspace' : 'accept an invitation'}`
  return respondWithError(context, request, 'interaction_required', description)
}

/** Returns a workspace for the account page, which concerns none, so that nobody has to choose one. */
async function findOpenWorkspace(
  { stores }: IdentityContext,
  session: OpenBrowserSession,
  workspaces: UserWorkspace[],
): Promise<string | undefined> {
  for (const { id, status } of workspaces) {
    if (status !== 'active') continue
    if ((await stores.sessionScope.find(session, id)).isAllowed) return id
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

async function grantCode(
  context: IdentityContext,
  request: AuthorizationRequest,
  session: OpenBrowserSession,
  workspaceId: string,
): Promise<Continuation> {
  const access = await context.stores.sessionScope.find(session, workspaceId)
  if (!access.isAllowed && access.requiredConnection !== undefined)
    return requireConnection(context, request, workspaceId, access.requiredConnection)
  const { resource: uri } = request
  const resource = uri ? await context.stores.tokenResources.findByUri(uri) : undefined
  // It may have been removed since the request began.
  if (uri && !resource?.isActive) return respond(context, request, { ...resourceUnknown })
  const code = await issueCodeInSession(context, request, session, workspaceId, resource?.id)
  if (code) return respond(context, request, { code })
  return respondWithError(context, request, 'login_required', 'The session has ended')
}

/** Sends the user to the connection that the workspace requires its members to sign in through. */
async function requireConnection(
  context: IdentityContext,
  request: AuthorizationRequest,
  workspaceId: string,
  connectionId: string,
): Promise<Continuation> {
  const connection = await context.stores.signInConnections.findActive(connectionId)
  const description = 'The workspace requires its members to sign in through its connection'
  if (request.prompt === 'none' || !connection)
    return respondWithError(context, request, 'login_required', description)
  // No sign-in through a connection is one by a passkey.
  if (requiresPasskey(request))
    return respondWithError(context, request, 'unmet_authentication_requirements', description)
  const provider = connectionName(connectionId)
  // A new sign-in, of which the request requires all that it required of the first.
  const { isResumed: _, ...rest } = request
  const url = authorizationUrl(context, { ...rest, workspace: workspaceId, provider })
  const links = [createLink({ label: connection.name, url })]
  return { page: createPage('choose_provider', { links }) }
}

/**
 * Issues a code, or returns undefined if the session was ended or the user deactivated
 * concurrently.
 */
async function issueCodeInSession(
  { stores, identity }: IdentityContext,
  { clientId, redirectUri, codeChallenge, scope, nonce }: AuthorizationRequest,
  session: OpenBrowserSession,
  workspaceId: string,
  resourceId: string | undefined,
): Promise<string | undefined> {
  const { id: browserSessionId, userId, provider } = session
  const { authenticatedAt, isTimeReported, isStepUp, amr } = session
  const authentication = { authenticatedAt, isTimeReported, isStepUp, amr }
  const authorization = {
    ...{ clientId, redirectUri, scope, nonce, workspaceId },
    ...{ browserSessionId, resourceId },
  }
  try {
    return await stores.transaction(async (tx) => {
      // Lock the user, so that a concurrent sign-out either ends the session first or consumes the
      // code.
      const { isActive } = await tx.users.lock(userId)
      if (!isActive) return undefined
      const grant = { userId, provider, authentication, codeChallenge, authorization }
      return tx.codes.issue(grant, identity.clock())
    })
  } catch (error) {
    if (violates(error, 'foreign')) return undefined
    throw error
  }
}
