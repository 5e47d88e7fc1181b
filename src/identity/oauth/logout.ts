import { createHmac } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type {
  EndBrowserSessionRequest,
  EndBrowserSessionResponse,
} from '../../../gen/daikon/v1/oauth.ts'
import { recordActivity } from '../../activity/record-activity.ts'
import { ServiceError } from '../../core/errors.ts'
import { isUuid } from '../../core/uuid.ts'
import { BrowserSession, RefreshFamily } from '../../database/entities/sign-in.ts'
import { inTransaction } from '../../database/transaction.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { isActiveUser } from '../queries.ts'
import { endSessions, revokeRefreshFamilies } from '../refresh-families.ts'
import type { IdTokenClaims } from '../tokens.ts'
import { findBrowserSession, type OpenBrowserSession } from './browser-sessions.ts'
import { findLogoutClient } from './client-queries.ts'
import { readIdTokenHint } from './id-tokens.ts'

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
  const { em, now } = context
  const hint = request.id_token_hint
    ? await readIdTokenHint(context, request.id_token_hint)
    : undefined
  if (request.id_token_hint && !hint) throw logoutRefused('The id_token_hint is not valid')
  if (hint && request.client_id && request.client_id.toLowerCase() !== hint.aud)
    throw logoutRefused('The id_token_hint was issued to another client')
  const clientId = hint?.aud ?? request.client_id ?? ''
  const client = await findClientOfLogout(em, clientId, request)
  const session = await findBrowserSession(em, now, request.browser_session)
  const hinted = hint && (await em.findOne(RefreshFamily, { id: hint.sid, user_id: hint.sub }))
  if (session) {
    const isOfSession = hinted?.browser_session_id === session.id
    const cookie = request.browser_session ?? ''
    if (!isOfSession && request.confirmation !== confirmationOf(cookie)) {
      return { page: confirmationPage(context, request, session, client?.name ?? '') }
    }
    await endSessionsOf(context, session)
  } else if (hint && hinted) {
    await endHintedSession(context, hint, hinted.browser_session_id ?? undefined)
  }
  const clearedCookie = { browser_session: '' }
  const { post_logout_redirect_uri: uri, state } = request
  if (!uri) {
    const page = { kind: 'signed_out', client_name: client?.name ?? '', email: '', links: [] }
    return { ...clearedCookie, page }
  }
  const location = new URL(uri)
  if (state !== undefined) location.searchParams.set('state', state)
  return { ...clearedCookie, location: location.href }
}

/** Returns the client of the request. Throws if the redirect URI is not registered for it. */
async function findClientOfLogout(
  em: EntityManager,
  clientId: string,
  { post_logout_redirect_uri: uri = '' }: EndBrowserSessionRequest,
) {
  const isReadable = isUuid(clientId) && !uri.includes('\0')
  const client = isReadable ? await findLogoutClient(em, clientId, uri) : undefined
  if (uri === '' || client?.isRegistered) return client
  throw logoutRefused(
    'The post_logout_redirect_uri is not registered for the client of this request',
  )
}

async function endSessionsOf(
  { em, now }: IdentityContext,
  { id, userId }: Pick<OpenBrowserSession, 'id' | 'userId'>,
): Promise<void> {
  await inTransaction(em, async (em) => {
    // Wait for concurrent code exchanges, so that their sessions are ended, too.
    await isActiveUser(em, userId, { lock: true })
    await endSessions(em, now, { browser_session_id: id })
    // This also deletes the authorization codes of the session.
    if (!(await em.nativeDelete(BrowserSession, { id }))) return
    const detail = { user_id: userId }
    const event = { action: 'session.browser_ended', targetId: id, detail } as const
    await recordActivity(em, { actorId: userId }, event)
  })
}

/** Ends the session of an ID token if the browser does not have its cookie. */
async function endHintedSession(
  context: IdentityContext,
  { sid, sub }: IdTokenClaims,
  browserSessionId: string | undefined,
): Promise<void> {
  if (browserSessionId) {
    const found = await context.em.findOne(BrowserSession, { id: browserSessionId })
    if (found) return endSessionsOf(context, { id: found.id, userId: sub })
  }
  await inTransaction(context.em, async (em) => {
    if ((await revokeRefreshFamilies(em, context.now, [sid])) === 0) return
    const event = { action: 'session.ended', targetId: sid, detail: { user_id: sub } } as const
    await recordActivity(em, { actorId: sub }, event)
  })
}

function confirmationPage(
  { identity }: IdentityContext,
  request: EndBrowserSessionRequest,
  { email }: OpenBrowserSession,
  client_name: string,
) {
  const { id_token_hint, client_id, post_logout_redirect_uri, state } = request
  const parameters = new URLSearchParams({ confirmation: confirmationOf(request.browser_session) })
  const repeated = { id_token_hint, client_id, post_logout_redirect_uri, state }
  for (const [name, value] of Object.entries(repeated)) {
    if (value !== undefined) parameters.set(name, value)
  }
  const url = `${identity.options.baseUrl}/oauth/logout?${parameters}`
  const links = [{ label: 'Sign out', detail: '', url }]
  return { kind: 'confirm_sign_out', client_name, email, links }
}

/**
 * Returns a value that only the confirmation page for this cookie contains, so that no other page
 * can confirm the sign-out.
 */
function confirmationOf(cookie: string | undefined): string {
  return createHmac('sha256', cookie ?? '')
    .update('confirm sign-out')
    .digest('base64url')
}

function logoutRefused(detail: string): ServiceError {
  return new ServiceError('failed_precondition', 'LOGOUT_REFUSED', detail)
}
