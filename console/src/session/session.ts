import { notifications } from '@mantine/notifications'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { ApiError } from '../api/api-error.ts'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { settings } from '../settings.ts'

export type Administrator = Schemas['AdminMe']

/** The channel that notifies other tabs of the console of a sign-in or sign-out. */
const channelName = 'daikon-session'

type SessionEvent = 'signed-in' | 'signed-out'

/** The page to which a window returns after signing in again. */
export const signedInPath = '/signed-in'

/** Loads the administrator who is signed in; null if there is no session. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: readSession,
  staleTime: Number.POSITIVE_INFINITY,
})

export async function readSession(): Promise<Administrator | null> {
  try {
    return await unwrap(api.GET('/auth/admin/me'))
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return null
    throw error
  }
}

/** Returns the administrator. The shell renders its content only if one is signed in. */
export function useAdministrator(): Administrator {
  const { data } = useQuery(sessionQuery)
  if (!data) throw new Error('You are not signed in')
  return data
}

/**
 * Ends the session on the server, then removes everything that the administrator saw from this and
 * the other windows.
 *
 * @throws {ApiError} if the session may not have ended
 */
export async function signOut(): Promise<void> {
  try {
    await unwrap(api.POST('/auth/admin/logout'))
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error
  }
  announce('signed-out')
  forgetSession()
}

/** Removes everything from the page that the administrator saw, and shows the sign-in page. */
export function forgetSession(): void {
  const [sessionKey] = sessionQuery.queryKey
  // Replaced, not removed, because the shell observes it and then shows the sign-in page.
  queryClient.setQueryData(sessionQuery.queryKey, null)
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey })
  notifications.clean()
}

export function signInUrl(provider: string, returnTo: string): string {
  const url = new URL(`/auth/admin/login/${provider}`, settings.base_url)
  url.searchParams.set('return_to', returnTo)
  return url.href
}

/** Notifies the other windows. */
export function announce(event: SessionEvent): void {
  const channel = new BroadcastChannel(channelName)
  channel.postMessage(event)
  channel.close()
}

/** Calls the listener after an event in another window. Returns a function that removes it. */
export function onSessionEvent(event: SessionEvent, listener: () => void): () => void {
  const channel = new BroadcastChannel(channelName)
  channel.addEventListener('message', ({ data }) => {
    if (data === event) listener()
  })
  return () => channel.close()
}
