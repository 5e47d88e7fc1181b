import type { IdentityContext } from '../identity-dependencies.ts'
import type { ConsentQuestion, TokenResource } from '../ports.ts'
import { hashSecret } from '../secret.ts'
import type { OpenBrowserSession } from '../store/browser-session-store.ts'
import type { UserWorkspace } from '../store/claims-store.ts'
import type { RedirectingClient } from '../store/client-store.ts'
import { type AuthorizationRequest, toParameters } from './authorization-request.ts'
import { resumeUrl } from './authorization-response.ts'
import { createForm } from './hosted-page.ts'

/** A request of a signed-in user. */
export type SignedInRequest = {
  request: AuthorizationRequest
  client: RedirectingClient
  session: OpenBrowserSession
  /** What a form of a page has sent. */
  confirmation?: string
}

/** Whether users must agree before a client has access. */
export function requiresConsent({ consentRequired, external }: RedirectingClient): boolean {
  return consentRequired || external !== undefined
}

/** Returns what a request asks a user for, in one of some workspaces. */
export function createQuestion(
  context: IdentityContext,
  { request, client, session, confirmation = '' }: SignedInRequest,
  workspaces: UserWorkspace[],
  resource: TokenResource | undefined,
): ConsentQuestion {
  const { confirmation: _, ...rest } = request
  const restartUrl = resumeUrl(context, rest)
  return {
    client,
    resource,
    restartUrl,
    redirectUri: request.redirectUri,
    scopes: request.scope.split(' ').filter((name) => name !== ''),
    workspaces: workspaces.map(({ id, name, role }) => ({ id, name, role })),
    user: { id: session.userId, email: session.email },
    browserSecret: session.secret,
    requestHash: hashRequest(request),
    isRequested: request.asksConsent === true,
    isSilent: request.prompt === 'none',
    confirmation,
    form: createForm(restartUrl),
  }
}

/** Hashes what the client chose, but neither the workspace nor how the user signs in. */
function hashRequest({
  prompt: _prompt,
  maxAge: _maxAge,
  asksConsent: _asksConsent,
  isResumed: _isResumed,
  loginHint: _loginHint,
  acrValues: _acrValues,
  expectedUser: _expectedUser,
  workspace: _workspace,
  provider: _provider,
  confirmation: _confirmation,
  ...chosen
}: AuthorizationRequest): string {
  return hashSecret(toParameters(chosen).toString())
}
