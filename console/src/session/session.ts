import { queryOptions, useQuery } from '@tanstack/react-query'
import { ApiError } from '../api/api-error.ts'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { settings } from '../settings.ts'

export type Administrator = Schemas['AdminMe']

/** The channel that notifies other tabs of the console of a sign-in. */
const channelName = 'daikon-session'

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
  if (!data) throw new Error('There is no session')
  return data
}

export function signInUrl(provider: string, returnTo: string): string {
  const url = new URL(`/auth/admin/login/${provider}`, settings.base_url)
  url.searchParams.set('return_to', returnTo)
  return url.href
}

export function announceSignIn(): void {
  const channel = new BroadcastChannel(channelName)
  channel.postMessage('signed-in')
  channel.close()
}

/**
 * Calls the listener when a sign-in has finished in another window. Returns a function that removes
 * it.
 */
export function onSignInElsewhere(listener: () => void): () => void {
  const channel = new BroadcastChannel(channelName)
  channel.addEventListener('message', listener)
  return () => channel.close()
}
