import type { HostedPage } from '../../../gen/daikon/v1/oauth.ts'
import { describeInviter } from '../../workspaces/inviter.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { isSameSecret } from '../secret.ts'
import type { OpenBrowserSession } from '../store/browser-session-store.ts'
import type { UserWorkspace } from '../store/claims-store.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { type Continuation, respondWithError, resumeUrl } from './authorization-response.ts'
import { createConfirmation } from './browser-sessions.ts'
import { createPage } from './hosted-page.ts'

/** The actions on the page that need a confirmation, so that no other site can trigger them. */
const declining = 'decline invitations'
export const acceptanceOf = (workspaceId: string) => `accept invitation to ${workspaceId}`

export function hasDeclined(request: AuthorizationRequest, session: OpenBrowserSession): boolean {
  return hasConfirmed(request, session, declining)
}

export function hasAccepted(
  request: AuthorizationRequest,
  session: OpenBrowserSession,
  workspaceId: string,
): boolean {
  return hasConfirmed(request, session, acceptanceOf(workspaceId))
}

function hasConfirmed(
  { confirmation }: AuthorizationRequest,
  { secret }: OpenBrowserSession,
  action: string,
): boolean {
  return isSameSecret(confirmation ?? '', createConfirmation(secret, action))
}

export function decline(context: IdentityContext, request: AuthorizationRequest): Continuation {
  return respondWithError(context, request, 'access_denied', 'The user declined the invitation')
}

/**
 * Returns the page on which the user chooses a workspace or accepts an invitation. A user without
 * a workspace can decline.
 */
export function workspacePage(
  context: IdentityContext,
  request: AuthorizationRequest,
  { name: client_name }: { name: string },
  { email, secret }: OpenBrowserSession,
  workspaces: UserWorkspace[],
): HostedPage {
  const { confirmation: _, ...rest } = request
  const links = workspaces
    .filter(({ status }) => status === 'active')
    .map(({ id, name, role }) => ({
      label: name,
      detail: role,
      url: resumeUrl(context, { ...rest, workspace: id }),
    }))
  const invitations = workspaces
    .filter(({ status }) => status === 'invited')
    .map(({ id, name, role, inviter }) => {
      const confirmation = createConfirmation(secret, acceptanceOf(id))
      return {
        label: name,
        detail: `${describeInviter(inviter)} invited you as ${role}`,
        url: resumeUrl(context, { ...rest, workspace: id, confirmation }),
      }
    })
  if (links.length > 0) {
    return createPage('choose_workspace', { client_name, email, links, invitations })
  }
  // A link cannot send a form, so for a response in a form it leads to one.
  const url =
    decline(context, request).location ??
    resumeUrl(context, { ...rest, confirmation: createConfirmation(secret, declining) })
  const link = { label: 'Not now', detail: '', url }
  return createPage('accept_invitation', { client_name, email, links: [link], invitations })
}
