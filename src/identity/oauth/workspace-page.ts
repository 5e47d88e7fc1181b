import type { HostedPage } from '../../../gen/daikon/v1/oauth.ts'
import type { Role } from '../../core/roles.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { isSameSecret } from '../secret.ts'
import type { OpenBrowserSession } from '../store/browser-session-store.ts'
import type { UserWorkspace } from '../store/claims-store.ts'
import type { RedirectingClient } from '../store/client-store.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { type Continuation, respondWithError, resumeUrl } from './authorization-response.ts'
import { createConfirmation } from './browser-sessions.ts'
import { titleOfClient } from './external-clients.ts'
import { createForm, createLink, createPage, describeSignedIn } from './hosted-page.ts'
import { describeInviter } from './invitation.ts'

/** The action on the page that needs a confirmation, so that no other site can trigger it. */
const declining = 'decline invitations'

/** An invitation that the user can accept. */
type Acceptable = { workspaceId: string; role: Role; createdAt: string }

/**
 * Returns the confirmation with which a user accepts an invitation. It contains the role that the page
 * displays and the time of the membership, so that it accepts no later invitation to the workspace.
 */
export function createAcceptance(
  { secret }: OpenBrowserSession,
  { workspaceId, role, createdAt }: Acceptable,
): string {
  return createConfirmation(secret, `accept invitation to ${workspaceId} ${role} ${createdAt}`)
}

export function hasDeclined(
  { confirmation }: AuthorizationRequest,
  { secret }: OpenBrowserSession,
): boolean {
  return isSameSecret(confirmation ?? '', createConfirmation(secret, declining))
}

/** Returns the pending invitation that a confirmation accepts. */
export function findAccepted(
  confirmation: string,
  session: OpenBrowserSession,
  workspaces: UserWorkspace[],
): UserWorkspace | undefined {
  return workspaces.find(
    (workspace) =>
      workspace.status === 'invited' &&
      isSameSecret(confirmation, createAcceptance(session, toAcceptable(workspace))),
  )
}

function toAcceptable({ id: workspaceId, role, createdAt }: UserWorkspace): Acceptable {
  return { workspaceId, role, createdAt }
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
  client: Pick<RedirectingClient, 'name' | 'external'>,
  session: OpenBrowserSession,
  workspaces: UserWorkspace[],
): HostedPage {
  const client_name = titleOfClient(client)
  const { secret } = session
  const { confirmation: _, ...rest } = request
  const links = workspaces
    .filter(({ status }) => status === 'active')
    .map(({ id, name, role }) =>
      createLink({
        label: name,
        detail: role,
        url: resumeUrl(context, { ...rest, workspace: id }),
      }),
    )
  const { url: formUrl, fields } = createForm(resumeUrl(context, rest))
  const invitations = workspaces
    .filter(({ status }) => status === 'invited')
    .map((workspace) =>
      createLink({
        label: workspace.name,
        detail: `${describeInviter(workspace.inviter)} invited you as ${workspace.role}`,
        url: formUrl,
        confirmation: createAcceptance(session, toAcceptable(workspace)),
      }),
    )
  const parts = { client_name, ...describeSignedIn(context, session), invitations, fields }
  if (links.length > 0) return createPage('choose_workspace', { ...parts, links })
  // A link cannot send a form, so for a response in a form it leads to one.
  const url =
    decline(context, request).location ??
    resumeUrl(context, { ...rest, confirmation: createConfirmation(secret, declining) })
  const link = createLink({ label: 'Not now', url })
  return createPage('accept_invitation', { ...parts, links: [link] })
}
