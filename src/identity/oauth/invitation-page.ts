import type {
  HostedPage,
  OpenInvitationRequest,
  OpenInvitationResponse,
} from '../../../gen/daikon/v1/oauth.ts'
import { ServiceError } from '../../core/errors.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { requireProvider, startFlow } from '../oauth-flow.ts'
import type { LinkedInvitation } from '../ports.ts'
import { reasons } from '../reasons.ts'
import { isSameSecret } from '../secret.ts'
import { failure, type SignInFailure, signInErrors } from '../sign-in-result.ts'
import type { OpenBrowserSession } from '../store/browser-session-store.ts'
import { readFormConfirmation } from './browser-sessions.ts'
import { findStartProblem, rememberBrowser } from './connection-start.ts'
import { createLink, createPage, describeSignedIn, listProviderLinks } from './hosted-page.ts'
import { describeInviter, invitationUrl } from './invitation.ts'
import { findSignInError } from './sign-in-error.ts'
import { findPending, switchUser } from './switch-user.ts'
import { createAcceptance } from './workspace-page.ts'

/**
 * Displays the invitation that a link identifies, and lets the invited person sign in and join. Says
 * afterwards that they have joined.
 */
export async function openInvitation(
  context: IdentityContext,
  request: OpenInvitationRequest,
): Promise<OpenInvitationResponse> {
  const { stores, now } = context
  const { token, browser_session: cookie } = request
  const invitation = await stores.signInInvitations.findByToken(token, now)
  if (!invitation) throw new ServiceError(reasons.INVITATION_ENDED)
  const found = cookie ? await stores.browserSessions.findOpen(cookie, now) : undefined
  const pending = await findPending(context, request, found)
  if (found && pending) {
    const url = invitationUrl(context.identity.settings.BASE_URL, token)
    const next = await switchUser(context, request, { current: found, pending }, { url })
    return next.stays ? { pending_session: '', location: url } : next
  }
  if (invitation.hasJoined) return { page: joinedPage(context, invitation, found) }
  const [reached] = found
    ? await stores.sessionScope.filter(found, [{ id: invitation.workspaceId }])
    : []
  const session = reached && found
  if (session?.userId === invitation.userId) return joinOrAsk(context, request, invitation, session)
  if (request.provider !== undefined)
    return startSignIn(context, request, request.provider, invitation.email, session)
  return { page: signInPage(context, request, invitation, session) }
}

/** Lets the invited user join if they have chosen to on the page, and displays the page otherwise. */
async function joinOrAsk(
  context: IdentityContext,
  request: OpenInvitationRequest,
  invitation: LinkedInvitation,
  session: OpenBrowserSession,
): Promise<OpenInvitationResponse> {
  const { stores, identity, now } = context
  const url = invitationUrl(identity.settings.BASE_URL, request.token)
  const confirmation = createAcceptance(session, invitation)
  if (!isSameSecret(readFormConfirmation(request), confirmation)) {
    const invitations = [{ ...describe(invitation), url, confirmation }]
    return {
      page: createPage('accept_invitation', { ...describeSignedIn(context, session), invitations }),
    }
  }
  await stores.transaction((tx) => tx.signInInvitations.accept(invitation, now))
  // A page that can be reloaded says that they have joined.
  return { location: url }
}

/** Returns the page of a used link, which says who has joined unless this is their browser. */
function joinedPage(
  context: IdentityContext,
  { workspaceName, userId, email }: LinkedInvitation,
  session: OpenBrowserSession | undefined,
): HostedPage {
  const detail = session?.userId === userId ? '' : email
  const invitations = [createLink({ label: workspaceName, detail })]
  return createPage('joined', { ...(session && describeSignedIn(context, session)), invitations })
}

async function startSignIn(
  context: IdentityContext,
  { token, browser, confirmation }: OpenInvitationRequest,
  name: string,
  loginHint: string,
  session: OpenBrowserSession | undefined,
): Promise<OpenInvitationResponse> {
  const provider = await requireProvider(context, name, 'user')
  const url = invitationUrl(context.identity.settings.BASE_URL, token)
  const problem = await findStartProblem(context, {
    provider: name,
    client: undefined,
    browser,
    confirmation,
    urlOf: (confirmation) => `${url}?${new URLSearchParams({ provider: name, confirmation })}`,
  })
  if (problem?.page) return problem
  if (problem) return { location: failedInvitationUrl(context, token, failure('access_denied')) }
  // The browser may be signed in as somebody else there, too.
  const prompt = session ? 'select_account' : undefined
  const options = { loginHint, prompt } as const
  const started = await startFlow(context, provider, { flow: 'user', invitation: token }, options)
  if (started.ok) return { ...started.value, ...(await rememberBrowser(context, browser)) }
  return { location: failedInvitationUrl(context, token, started) }
}

/** Returns the URL of an invitation's page, which displays the error of a failed sign-in. */
export function failedInvitationUrl(
  { identity }: IdentityContext,
  token: string,
  { error }: SignInFailure,
): string {
  // Only the name of the error is in the URL, so that no link can choose its description.
  return `${invitationUrl(identity.settings.BASE_URL, token)}?sign_in_error=${error}`
}

function signInPage(
  context: IdentityContext,
  { token, sign_in_error }: OpenInvitationRequest,
  invitation: LinkedInvitation,
  session: OpenBrowserSession | undefined,
): HostedPage {
  const url = invitationUrl(context.identity.settings.BASE_URL, token)
  const failed = findSignInError(sign_in_error)
  return createPage('sign_in_to_accept', {
    email: session?.email ?? '',
    links: listProviderLinks(context, (provider) => `${url}?provider=${provider}`),
    invitations: [describe(invitation)],
    ...(failed && { error: signInErrors[failed] }),
  })
}

function describe({ workspaceName, inviter, email, role }: LinkedInvitation) {
  const detail = `${describeInviter(inviter)} invited ${email} as ${role}`
  return createLink({ label: workspaceName, detail })
}
