import { ApiError } from './api-error.ts'
import { limitedUntil, serverAway, sessionEnded, waitFor } from './signals.ts'

/** How often a request that the rate limit rejected is sent again. */
const maxAttempts = 4

/** The route that shows whether there is a session: its 401 is a result, not the end of a session. */
const sessionPath = '/auth/admin/me'

/**
 * Sends a request with the cookie of the session. A request that fails because the session has ended waits
 * until the administrator has signed in again; one that the rate limit rejects waits as long as it says.
 * Neither was carried out, so that both can be sent again.
 *
 * @throws {ApiError} if the server cannot be reached
 */
export async function fetchWithSession(request: Request): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await send(request.clone())
    if (response.status === 401 && new URL(request.url).pathname !== sessionPath) {
      sessionEnded.set(true)
      await waitFor(sessionEnded, false)
      continue
    }
    if (response.status === 429 && attempt < maxAttempts) {
      await waitForLimit(Number(response.headers.get('retry-after')) || 1)
      continue
    }
    serverAway.set(response.status === 503)
    return response
  }
}

async function send(request: Request): Promise<Response> {
  try {
    return await fetch(request, { credentials: 'include' })
  } catch (error) {
    if (request.signal.aborted) throw error
    serverAway.set(true)
    throw new ApiError(0, { detail: 'The server cannot be reached', reason: 'UNREACHABLE' })
  }
}

async function waitForLimit(seconds: number): Promise<void> {
  const until = Date.now() + seconds * 1000
  limitedUntil.set(Math.max(limitedUntil.get(), until))
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  if (limitedUntil.get() <= Date.now()) limitedUntil.set(0)
}
