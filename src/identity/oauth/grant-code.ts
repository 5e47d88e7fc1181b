import { violates } from '../../database/database-errors.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import type { Agreement, ConsentQuestion, TokenResource } from '../ports.ts'
import { connectionName } from '../providers/connection.ts'
import type { OpenBrowserSession } from '../store/browser-session-store.ts'
import type { UserWorkspace } from '../store/claims-store.ts'
import type { RedirectingClient } from '../store/client-store.ts'
import { type AuthorizationRequest, resourceUnknown } from './authorization-request.ts'
import {
  authorizationUrl,
  type Continuation,
  respond,
  respondWithError,
} from './authorization-response.ts'
import { createQuestion, requiresConsent, type SignedInRequest } from './consent-question.ts'
import { createLink, createPage } from './hosted-page.ts'
import { requiresPasskey } from './sign-in-age.ts'

/**
 * Issues a code for one of the workspaces that a user has joined, once they agree. If there are several,
 * they choose on the page on which they agree, which accepts no invitation.
 */
export async function continueWithConsent(
  context: IdentityContext,
  signedIn: SignedInRequest,
  workspaces: UserWorkspace[],
): Promise<Continuation> {
  const { request, client, session } = signedIn
  const joined = workspaces.filter(({ status }) => status === 'active')
  const admitting = await context.stores.signInConsents.filter(client, joined)
  const [only, ...others] = admitting
  if (!only) {
    const description =
      joined.length > 0
        ? 'The workspace does not admit this client'
        : 'The user has not joined the workspace'
    return respondWithError(context, request, 'access_denied', description)
  }
  if (others.length === 0) return grantCode(context, signedIn, only)
  const isSilent = request.prompt === 'none'
  const last = isSilent ? await findChosen(context, session, client, admitting) : undefined
  if (last) return grantCode(context, signedIn, last)
  const resource = await findResource(context, request)
  if (resource === 'unknown') return respond(context, request, { ...resourceUnknown })
  const consent = await askForConsent(context, signedIn, admitting, resource)
  if ('continuation' in consent) return consent.continuation
  const description = 'The user must choose a workspace'
  return respondWithError(context, request, 'interaction_required', description)
}

/** Returns the workspace to choose without a page: the only one, or the last one in this browser. */
export async function findChosen(
  { stores }: IdentityContext,
  session: OpenBrowserSession,
  { id: clientId }: RedirectingClient,
  joined: UserWorkspace[],
): Promise<UserWorkspace | undefined> {
  if (joined.length === 1) return joined[0]
  const last = await stores.browserSessions.findLastWorkspace(session.id, clientId)
  return joined.find(({ id }) => id === last)
}

/** Issues a code for a workspace, once the user agrees if the client requires consent. */
export async function grantCode(
  context: IdentityContext,
  signedIn: SignedInRequest,
  workspace: UserWorkspace,
): Promise<Continuation> {
  const { request, client, session } = signedIn
  const access = await context.stores.sessionScope.find(session, workspace.id)
  if (!access.isAllowed && access.requiredConnection !== undefined)
    return requireConnection(context, request, workspace.id, access.requiredConnection)
  const resource = await findResource(context, request)
  // It may have been removed since the request began.
  if (resource === 'unknown') return respond(context, request, { ...resourceUnknown })
  const consent = requiresConsent(client)
    ? await askForConsent(context, signedIn, [workspace], resource)
    : undefined
  if (consent && 'continuation' in consent) return consent.continuation
  const target = { workspaceId: workspace.id, resourceId: resource?.id }
  const authorized = { ...request, clientId: client.id }
  const code = await issueCodeInSession(context, authorized, session, target, consent)
  if (code) return respond(context, request, { code })
  return respondWithError(context, request, 'login_required', 'The session has ended')
}

async function findResource(
  { stores }: IdentityContext,
  { resource: uri }: AuthorizationRequest,
): Promise<TokenResource | 'unknown' | undefined> {
  if (!uri) return undefined
  const resource = await stores.tokenResources.findByUri(uri)
  return resource?.isActive ? resource : 'unknown'
}

/** What a user was asked for, and how they agreed. */
type Consent = { question: ConsentQuestion; agreement: Agreement }

async function askForConsent(
  context: IdentityContext,
  signedIn: SignedInRequest,
  workspaces: UserWorkspace[],
  resource: TokenResource | undefined,
): Promise<Consent | { continuation: Continuation }> {
  const question = createQuestion(context, signedIn, workspaces, resource)
  const answer = await context.stores.signInConsents.ask(context.now, question)
  if ('page' in answer) return { continuation: answer }
  if ('agreement' in answer) return { question, agreement: answer.agreement }
  const { error, description } = answer
  return { continuation: respondWithError(context, signedIn.request, error, description) }
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
 * Issues a code, or returns undefined if the session or consent was ended or the user deactivated
 * concurrently.
 */
async function issueCodeInSession(
  { stores, identity }: IdentityContext,
  { clientId, redirectUri, codeChallenge, scope, nonce }: AuthorizationRequest,
  session: OpenBrowserSession,
  { workspaceId, resourceId }: { workspaceId: string; resourceId: string | undefined },
  consent: Consent | undefined,
): Promise<string | undefined> {
  const { id: browserSessionId, userId, provider } = session
  const { authenticatedAt, isTimeReported, isStepUp, amr } = session
  const authentication = { authenticatedAt, isTimeReported, isStepUp, amr }
  const { MAX_GRANTS_PER_USER: maxPerUser } = identity.settings
  try {
    return await stores.transaction(async (tx) => {
      // Lock the user, so that a concurrent sign-out either ends the session first or consumes the
      // code.
      const { isActive } = await tx.users.lock(userId)
      if (!isActive) return undefined
      const now = identity.clock()
      const grantId =
        consent &&
        (await tx.signInConsents.agree({ now, maxPerUser }, consent.question, consent.agreement))
      if (consent && grantId === undefined) return undefined
      const authorization = {
        ...{ clientId, redirectUri, scope, nonce, workspaceId },
        ...{ browserSessionId, resourceId, grantId },
      }
      const grant = { userId, provider, authentication, codeChallenge, authorization }
      return tx.codes.issue(grant, now)
    })
  } catch (error) {
    if (violates(error, 'foreign')) return undefined
    throw error
  }
}
