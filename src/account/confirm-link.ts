import type {
  ConfirmAccountLinkRequest,
  ConfirmAccountLinkResponse,
} from '../../gen/daikon/v1/auth.ts'
import type { HostedPage } from '../../gen/daikon/v1/oauth.ts'
import { ServiceError } from '../core/errors.ts'
import { accountPageUrl, findLinkingSession } from '../identity/account-link.ts'
import { renderAddedAccountMail } from '../identity/account-mail.ts'
import type { IdentityContext } from '../identity/identity-dependencies.ts'
import { linkToUser } from '../identity/linked-accounts.ts'
import { createConfirmation, readFormConfirmation } from '../identity/oauth/browser-sessions.ts'
import { createForm, createLink, createPage } from '../identity/oauth/hosted-page.ts'
import { titleOf } from '../identity/providers/sign-in-methods.ts'
import { reasons } from '../identity/reasons.ts'
import { hashSecret, isSameSecret } from '../identity/secret.ts'
import { findMethod } from '../identity/session-provider.ts'
import { inSignInTransaction } from '../identity/sign-in.ts'
import { failure, type SignInResult } from '../identity/sign-in-result.ts'
import { type AccountLink, stateSeconds } from '../identity/state-cookie.ts'
import type { OpenBrowserSession } from '../identity/store/browser-session-store.ts'

/** An account to link, and where. */
type Link = {
  state: string
  session: OpenBrowserSession
  account: NonNullable<AccountLink['account']>
}

/** Asks whether to link the account that somebody has signed in with, and links it. */
export async function confirmAccountLink(
  context: IdentityContext,
  request: ConfirmAccountLinkRequest,
): Promise<ConfirmAccountLinkResponse> {
  const link = await findLink(context, request)
  const confirmation = createConfirmation(link.session.secret, `link account ${link.state}`)
  if (!isSameSecret(readFormConfirmation(request), confirmation))
    return { page: linkPage(context, link, confirmation) }
  const { stores, now } = context
  const expiresAt = new Date(now.getTime() + stateSeconds * 1000)
  if (!(await stores.codes.consumeState(hashSecret(`link ${link.state}`), expiresAt)))
    throw new ServiceError(reasons.STATE_REFUSED)
  const result = await linkAccount(context, link)
  const outcome = result.ok ? { linked: link.account.provider } : { error: result.error }
  return { location: accountPageUrl(context, outcome) }
}

/** Throws unless the cookie of the login and the session of the browser belong together. */
async function findLink(
  context: IdentityContext,
  { state, login_state, browser_session }: ConfirmAccountLinkRequest,
): Promise<Link> {
  const login = login_state ? await context.identity.stateCookies.open(login_state) : undefined
  const { link, secrets } = login ?? {}
  const isSame = state !== undefined && secrets && isSameSecret(state, secrets.state)
  const session = link && isSame && (await findLinkingSession(context, link, browser_session))
  if (!session || !link.account) throw new ServiceError(reasons.STATE_REFUSED)
  return { state, session, account: link.account }
}

function linkPage(
  context: IdentityContext,
  { state, session, account }: Link,
  confirmation: string,
): HostedPage {
  const { settings } = context.identity
  const { url, fields } = createForm(
    `${settings.BASE_URL}/auth/link?${new URLSearchParams({ state })}`,
  )
  const title = titleOf(settings, account.provider)
  return createPage('link_account', {
    email: session.email,
    links: [
      createLink({ label: title, detail: account.email ?? account.subject, url, confirmation }),
      createLink({ label: 'Cancel', url: `${settings.BASE_URL}/account` }),
    ],
    fields,
  })
}

function linkAccount(
  context: IdentityContext,
  { session, account }: Link,
): Promise<SignInResult<{ isNew: boolean }>> {
  const { settings } = context.identity
  return inSignInTransaction(context, async (tx, { mailLater, now }) => {
    const { isActive } = await tx.users.lock(session.userId)
    if (!isActive) return failure('user_inactive')
    // The session may have ended before the lock was acquired.
    const current = await tx.browserSessions.findOpen(session.secret, now)
    if (current?.id !== session.id) return failure('state_mismatch')
    const addedBy = await findMethod(tx, current)
    const identity = { ...account, name: '', givenName: '', familyName: '', avatarUrl: '' }
    const linked = await linkToUser(tx, session.userId, identity, addedBy)
    if (linked.ok && linked.value.isNew)
      mailLater(renderAddedAccountMail(current.email, settings, account.provider))
    return linked
  })
}
