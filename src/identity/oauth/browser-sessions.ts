import { createHmac } from 'node:crypto'
import { newId } from '../../core/new-id.ts'
import { authenticationOf } from '../authentication.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { lifetimesOf } from '../lifetimes.ts'
import type { Identity } from '../providers/provider.ts'
import { createSecret } from '../secret.ts'
import { sessionProviderOf } from '../session-provider.ts'
import type {
  BrowserSessionStore,
  NewBrowserSession,
  OpenBrowserSession,
} from '../store/browser-session-store.ts'

/** The time that a user has to choose between two sessions, in seconds. */
const pendingSeconds = 600

/** A session after a sign-in. */
export type OpenedSession = {
  session: OpenBrowserSession
  /** Whether another user is signed in to the browser, who must first agree on a page. */
  isPending: boolean
}

/** Returns the session that a sign-in would open. */
export function prepareSession(
  { identity: { settings, clock } }: IdentityContext,
  { id: userId, email }: { id: string; email: string },
  identity: Identity,
  client: { workspaceId: string | null },
  browserHash: string,
  isStepUp: boolean,
): NewBrowserSession & OpenBrowserSession {
  const now = clock()
  return {
    id: newId(),
    secret: createSecret(),
    userId,
    email,
    provider: sessionProviderOf(identity),
    ...authenticationOf(identity, now, isStepUp),
    lacksPersonalWorkspace: client.workspaceId !== null,
    browserHash,
    createdAt: now,
    expiresAt: new Date(now.getTime() + lifetimesOf(settings).refresh * 1000),
  }
}

/**
 * Opens the session of a browser that is signed in to daikon, and deletes the oldest ones of a user who
 * has too many. Its cookie lets the user open client apps without signing in again.
 *
 * A browser has one session: a new sign-in of its user renews it, and one of another user does not
 * replace it yet. `current` is the session that the browser has.
 */
export async function openBrowserSession(
  tx: { browserSessions: BrowserSessionStore },
  { identity: { settings } }: IdentityContext,
  prepared: NewBrowserSession & OpenBrowserSession,
  current: Pick<OpenBrowserSession, 'id' | 'userId' | 'lacksPersonalWorkspace'> | undefined,
): Promise<OpenedSession> {
  if (current?.userId === prepared.userId) {
    const lacksPersonalWorkspace = prepared.lacksPersonalWorkspace && current.lacksPersonalWorkspace
    const renewed = { ...prepared, id: current.id, lacksPersonalWorkspace }
    if (await tx.browserSessions.renew(renewed)) return { session: renewed, isPending: false }
  }
  const isPending = current !== undefined && current.userId !== prepared.userId
  const { createdAt, expiresAt } = prepared
  const limit = isPending ? new Date(createdAt.getTime() + pendingSeconds * 1000) : expiresAt
  await tx.browserSessions.create({ ...prepared, expiresAt: limit }, settings.MAX_SESSIONS_PER_USER)
  return { session: prepared, isPending }
}

/** Ends a browser session with the sessions of all client apps in it. */
export async function endSessionsOf(
  { stores, now }: IdentityContext,
  { id, userId }: Pick<OpenBrowserSession, 'id' | 'userId'>,
): Promise<void> {
  await stores.transaction(async (tx) => {
    // Wait for concurrent code exchanges, so that their sessions are also ended.
    await tx.users.lock(userId)
    await tx.sessions.end({ browserSessionId: id }, now)
    // This also deletes the authorization codes of the session.
    if (!(await tx.browserSessions.delete(id))) return
    const detail = { user_id: userId }
    const event = { action: 'session.browser_ended', targetId: id, detail } as const
    await tx.activity.record({ actorId: userId }, event)
  })
}

/**
 * Returns a value that only a page for this cookie contains, so that no other page can confirm the
 * action in the user's name.
 * See docs/decisions/openid-connect.md#accepting-an-invitation.
 */
export function createConfirmation(cookie: string, action: string): string {
  return createHmac('sha256', cookie).update(action).digest('base64url')
}

/** A request that can be the form of a page. */
export type FormRequest = { is_form?: boolean | undefined; confirmation?: string | undefined }

/**
 * Returns the confirmation of a request that may change something. Links have none: their address stays
 * in the history, and browsers and scanners of e-mails open them without the user.
 */
export function readFormConfirmation({ is_form, confirmation = '' }: FormRequest): string {
  return is_form ? confirmation : ''
}
