import type {
  EndBrowserSessionRequest,
  EndBrowserSessionResponse,
} from '../../../gen/daikon/v1/oauth.ts'
import { ServiceError } from '../../core/errors.ts'
import { isUuid } from '../../core/uuid.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { reasons } from '../reasons.ts'
import { appendToQuery } from '../redirect-uris.ts'
import { hashSecret, isSameSecret } from '../secret.ts'
import type { OpenBrowserSession } from '../store/browser-session-store.ts'
import type { ClientStore } from '../store/client-store.ts'
import type { IdTokenClaims } from '../tokens.ts'
import { createConfirmation, endSessionsOf, readFormConfirmation } from './browser-sessions.ts'
import { createLink, createPage } from './hosted-page.ts'
import { readIdTokenHint } from './id-tokens.ts'
import { openerPolicyOf } from './opener-policy.ts'

/**
 * The logout endpoint (OpenID Connect RP-Initiated Logout 1.0): ends the browser session with the
 * sessions of all client apps in it, and redirects to the client app.
 *
 * Unless the request has an ID token of the browser session, the user must confirm, because any
 * page can send a browser here.
 */
export async function endBrowserSession(
  context: IdentityContext,
  request: EndBrowserSessionRequest,
): Promise<EndBrowserSessionResponse> {
  const { stores, now } = context
  const hint = request.id_token_hint
    ? await readIdTokenHint(context, request.id_token_hint)
    : undefined
  if (request.id_token_hint && !hint) throw logoutRefused('The id_token_hint is not valid')
  if (hint && request.client_id && request.client_id !== hint.aud)
    throw logoutRefused('The id_token_hint was issued to another client')
  const clientId = hint?.aud ?? request.client_id ?? ''
  const client = await findClientOfLogout(stores.clients, clientId, request)
  const cookie = request.browser_session
  const session = cookie ? await stores.browserSessions.findOpen(cookie, now) : undefined
  const hintedId = hint && (await stores.codes.findBrowserSessionId(hint.sid, hint.sub))
  if (session) {
    const isOfSession = hintedId === session.id
    const confirmation = createConfirmation(session.secret, confirmedAction)
    if (!isOfSession && !isSameSecret(readFormConfirmation(request), confirmation)) {
      const page = confirmationPage(context, request, session, client?.name ?? '')
      return { page, ...openerPolicyOf(client) }
    }
    await endSessionsOf(context, session)
  } else if (hint) {
    await endHintedSession(context, hint, hintedId)
  }
  await endPending(context, request.pending_session)
  await endOthers(context, request.browser)
  const common = { browser_session: '', pending_session: '', ...openerPolicyOf(client) }
  const { post_logout_redirect_uri: uri, state } = request
  if (!uri) {
    const client_name = client?.name ?? ''
    return { ...common, page: createPage('signed_out', { client_name }) }
  }
  return { ...common, location: appendToQuery(uri, state === undefined ? {} : { state }) }
}

/** Returns the client of the request. Throws if the redirect URI is not registered for it. */
async function findClientOfLogout(
  clients: ClientStore,
  clientId: string,
  { post_logout_redirect_uri: uri = '' }: EndBrowserSessionRequest,
) {
  const client = isUuid(clientId) ? await clients.findForLogout(clientId, uri) : undefined
  if (uri === '' || client?.isRegistered) return client
  throw logoutRefused(
    'The post_logout_redirect_uri is not registered for the client of this request',
  )
}

const confirmedAction = 'confirm sign-out'

/** Ends the sign-in of another user that has not replaced the browser session yet. */
async function endPending(context: IdentityContext, cookie: string | undefined): Promise<void> {
  const { stores, now } = context
  const pending = cookie ? await stores.browserSessions.findOpen(cookie, now) : undefined
  if (pending) await endSessionsOf(context, pending)
}

/** Ends the session of an ID token if the browser does not have its cookie. */
async function endHintedSession(
  context: IdentityContext,
  { sid, sub }: IdTokenClaims,
  browserSessionId: string | undefined,
): Promise<void> {
  const { stores, now } = context
  if (browserSessionId && (await stores.browserSessions.exists(browserSessionId)))
    return endSessionsOf(context, { id: browserSessionId, userId: sub })
  await stores.transaction(async (tx) => {
    if ((await tx.sessions.revoke([sid], now)) === 0) return
    const event = { action: 'session.ended', targetId: sid, detail: { user_id: sub } } as const
    await tx.activity.record({ actorId: sub }, event)
  })
}

/** Ends the sessions of other sign-ins in the browser that ended at the same time as that of its session. */
async function endOthers(context: IdentityContext, cookie: string | undefined): Promise<void> {
  const { stores, identity, now } = context
  const { secret } = await identity.browserCookies.read(cookie)
  for (const other of await stores.browserSessions.listOfBrowser(hashSecret(secret), now))
    await endSessionsOf(context, other)
}

function confirmationPage(
  { identity }: IdentityContext,
  request: EndBrowserSessionRequest,
  { email, secret }: OpenBrowserSession,
  client_name: string,
) {
  const { id_token_hint, client_id, post_logout_redirect_uri, state } = request
  const repeated = { id_token_hint, client_id, post_logout_redirect_uri, state }
  const fields = Object.entries(repeated).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  )
  const url = `${identity.settings.BASE_URL}/oauth/logout`
  const confirmation = createConfirmation(secret, confirmedAction)
  const links = [createLink({ label: 'Sign out', url, confirmation })]
  return createPage('confirm_sign_out', { client_name, email, links, fields })
}

function logoutRefused(detail: string): ServiceError {
  return new ServiceError(reasons.LOGOUT_REFUSED, detail)
}
