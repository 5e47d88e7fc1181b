import { notifications } from '@mantine/notifications'
import { access, setAccess } from '../api/access.ts'
import { ApiError } from '../api/api-error.ts'
import { api, unwrap } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { createSignal, sessionEnded } from '../api/signals.ts'
import { toMemberUrl } from './member-routes.ts'
import { createSignInUrl, redeem, refresh, SignInFailure, type UserTokens } from './oauth.ts'
import { createPendingSignIn, type PendingSignIn } from './pkce.ts'
import { postResponse, signInElsewhere } from './sign-in-window.ts'

/** Who is signed in, or why nobody is. */
export type UserSession =
  | { status: 'unknown' }
  | { status: 'signed-out'; error?: string }
  | { status: 'signed-in'; userId: string; workspaceId: string; slug: string }

export const userSession = createSignal<UserSession>({ status: 'unknown' })

/** The tokens are in memory alone: another page, or a reload, signs in by the session of daikon. */
let tokens: UserTokens | undefined
let renewal: Promise<boolean> | undefined

const signedOutChannelName = 'daikon-workspace-sign-out'

const storageKey = (state: string) => `daikon.workspace-sign-in.${state}`

/** Leaves the page to sign in to a workspace; the browser returns to this address. */
export async function signIn(workspace: string, prompt?: 'none' | 'select_account'): Promise<void> {
  const pending = createPendingSignIn()
  const returnTo = location.pathname + location.search
  sessionStorage.setItem(storageKey(pending.state), JSON.stringify({ ...pending, returnTo }))
  location.assign(await createSignInUrl(pending, { workspace, ...(prompt && { prompt }) }))
}

/** Signs in again in a new window. Resolves when that has succeeded. */
export async function signInAgain(): Promise<void> {
  const previous = tokens
  if (!previous) return
  const { response, pending } = await signInElsewhere({ workspace: previous.workspaceId })
  const renewed = await redeem(response, pending)
  // The content of the page belongs to the previous user.
  if (renewed.userId !== previous.userId) return location.reload()
  start(renewed)
  sessionEnded.set(false)
}

/**
 * Completes the sign-in of the callback. Returns the address to return to, or undefined if another
 * window has started the sign-in and now completes it.
 */
export async function completeSignIn(query: URLSearchParams): Promise<string | undefined> {
  const key = storageKey(query.get('state') ?? '')
  const stored = sessionStorage.getItem(key)
  if (!stored) {
    postResponse(query)
    return undefined
  }
  sessionStorage.removeItem(key)
  const { returnTo, ...pending } = JSON.parse(stored) as PendingSignIn & { returnTo: string }
  try {
    start(await redeem(query, pending))
  } catch (error) {
    if (!(error instanceof SignInFailure)) throw error
    const isExpected = error.error === 'login_required'
    userSession.set({ status: 'signed-out', ...(!isExpected && { error: error.message }) })
  }
  return returnTo
}

/**
 * Ends the session at the server, also for a reload, then removes everything that the user saw.
 *
 * @throws {ApiError} if the session may not have ended
 */
export async function signOut(): Promise<void> {
  if (!tokens) return
  const { userId, sessionId } = tokens
  const params = { path: { session_id: sessionId } }
  const end = () => unwrap(api.DELETE('/users/me/sessions/{session_id}', { params }))
  try {
    await end()
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error
    // The access token has expired, or the session has ended.
    if (await access.renew()) await end()
  }
  forget()
  const channel = new BroadcastChannel(signedOutChannelName)
  channel.postMessage(userId)
  channel.close()
}

/** Ends the session of this tab when the same user has signed out in another one. */
new BroadcastChannel(signedOutChannelName).addEventListener('message', ({ data }) => {
  if (data === tokens?.userId) signOut().catch(forget)
})

/** Removes everything from the page that the user saw. */
function forget(): void {
  tokens = undefined
  userSession.set({ status: 'signed-out' })
  setAccess()
  queryClient.clear()
  notifications.clean()
}

function start(next: UserTokens): void {
  tokens = next
  const { userId, workspaceId, slug } = next
  setAccess({
    locate: (url) => toMemberUrl(url, workspaceId),
    authenticate(request) {
      const headers = new Headers(request.headers)
      headers.set('authorization', `Bearer ${tokens?.accessToken}`)
      return new Request(request, { headers, credentials: 'omit' })
    },
    renew() {
      renewal ??= renew().finally(() => {
        renewal = undefined
      })
      return renewal
    },
  })
  userSession.set({ status: 'signed-in', userId, workspaceId, slug })
}

async function renew(): Promise<boolean> {
  const renewed = tokens && (await refresh(tokens))
  if (renewed) tokens = renewed
  return renewed !== undefined
}
