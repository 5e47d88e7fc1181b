import type { HostedPage } from '../../../gen/daikon/v1/oauth.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { lifetimesOf } from '../lifetimes.ts'
import { isSameSecret } from '../secret.ts'
import type { OpenBrowserSession } from '../store/browser-session-store.ts'
import {
  createConfirmation,
  endSessionsOf,
  type FormRequest,
  readFormConfirmation,
} from './browser-sessions.ts'
import { rememberSignIn } from './connection-start.ts'
import { createForm, createLink, createPage } from './hosted-page.ts'

/** What a request has of a new session while somebody else is signed in to the browser. */
type SwitchRequest = FormRequest & {
  switch_to?: string | undefined
  pending_session?: string | undefined
  browser?: string | undefined
}

/** The fields of the response; `stays` if the new session has ended instead of the one of the browser. */
type SwitchResult =
  | { page: HostedPage; stays?: never }
  | { stays: true; pending_session: '' }
  | ReplacedSession

type ReplacedSession = {
  location: string
  pending_session: ''
  browser_session?: string
  browser_session_seconds?: number
  browser?: string
  stays?: never
}

/** Returns the URL at which the user is asked whether a new session replaces another user's. */
export function switchUrl(url: string, { id }: OpenBrowserSession): string {
  const asking = new URL(url)
  asking.searchParams.set('switch_to', id)
  return asking.href
}

/** Returns the new session of another user than the one of `current` that a request asks about. */
export async function findPending(
  { stores, now }: IdentityContext,
  { switch_to, pending_session }: SwitchRequest,
  current: OpenBrowserSession | undefined,
): Promise<OpenBrowserSession | undefined> {
  if (!current || !switch_to || !pending_session) return undefined
  const pending = await stores.browserSessions.findOpen(pending_session, now)
  return pending?.id === switch_to && pending.userId !== current.userId ? pending : undefined
}

/**
 * Lets the user choose between the session of the browser and a new one of another user. `url` is where
 * the new one continues.
 */
export async function switchUser(
  context: IdentityContext,
  request: SwitchRequest,
  sessions: { current: OpenBrowserSession; pending: OpenBrowserSession },
  { url, clientName = '' }: { url: string; clientName?: string },
): Promise<SwitchResult> {
  const { current, pending } = sessions
  const confirmationOf = (choice: string) =>
    createConfirmation(current.secret, `${choice} ${pending.id} ${url}`)
  const hasChosen = (choice: string) =>
    isSameSecret(readFormConfirmation(request), confirmationOf(choice))
  if (hasChosen('switch to')) return replaceSession(context, request, sessions, url)
  if (hasChosen('stay instead of')) {
    await context.stores.browserSessions.delete(pending.id)
    return { stays: true, pending_session: '' }
  }
  const { url: target, fields } = createForm(switchUrl(url, pending))
  const page = createPage('switch_user', {
    client_name: clientName,
    email: current.email,
    links: [
      createLink({ label: pending.email, confirmation: confirmationOf('switch to'), url: target }),
      createLink({
        label: current.email,
        confirmation: confirmationOf('stay instead of'),
        url: target,
      }),
    ],
    fields,
  })
  return { page }
}

/** Ends the session of the browser, with those of all client apps in it, for the new one. */
async function replaceSession(
  context: IdentityContext,
  { browser }: SwitchRequest,
  { current, pending }: { current: OpenBrowserSession; pending: OpenBrowserSession },
  location: string,
): Promise<ReplacedSession> {
  const { stores, identity } = context
  const seconds = lifetimesOf(identity.settings).refresh
  const expiresAt = new Date(identity.clock().getTime() + seconds * 1000)
  const isOpen = await stores.browserSessions.extend(pending.id, expiresAt)
  if (isOpen) await endSessionsOf(context, current)
  const opened = { browser_session: pending.secret, browser_session_seconds: seconds }
  return {
    location,
    pending_session: '',
    ...(isOpen && {
      ...opened,
      ...(await rememberSignIn(context, browser, pending.provider, pending.email)),
    }),
  }
}
