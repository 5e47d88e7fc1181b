import { createHmac } from 'node:crypto'
import { v7 as uuid } from 'uuid'
import type { IdentityContext } from '../identity-dependencies.ts'
import type { Identity } from '../providers/provider.ts'
import { createSecret } from '../secret.ts'
import type { BrowserSessionStore, OpenBrowserSession } from '../store/browser-session-store.ts'

/**
 * Creates the session of a browser that is signed in to daikon, and deletes the oldest ones of a user
 * who has too many. Its cookie lets the user open client apps without signing in again.
 */
export async function createBrowserSession(
  tx: { browserSessions: BrowserSessionStore },
  { identity: { options, clock } }: IdentityContext,
  { id: userId, email }: { id: string; email: string },
  { provider, authentication = {} }: Identity,
  client: { workspaceId: string | null },
): Promise<OpenBrowserSession> {
  const now = clock()
  const { time, acr, amr = [] } = authentication
  const session = {
    id: uuid(),
    secret: createSecret(),
    userId,
    provider,
    // A provider may have authenticated the user long before it redirected back.
    authenticatedAt: time && time < now ? time : now,
    acr,
    amr,
    lacksPersonalWorkspace: client.workspaceId !== null,
    createdAt: now,
    expiresAt: new Date(now.getTime() + options.lifetimes.refresh * 1000),
  }
  await tx.browserSessions.create(session, options.maxSessionsPerUser)
  return { ...session, email }
}

/**
 * Returns a value that only a page for this cookie contains, so that no other page can confirm the
 * action in the user's name.
 */
export function createConfirmation(cookie: string, action: string): string {
  return createHmac('sha256', cookie).update(action).digest('base64url')
}
