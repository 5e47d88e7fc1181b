import { ApiError } from './api-error.ts'
import { limitedUntil, serverUnavailable, sessionEnded, waitFor } from './signals.ts'

/** The maximum number of times that a request is sent if the rate limit rejects it. */
const maxAttempts = 4

/**
 * The route that returns the current session. A 401 from this route is a result and does not mean
 * that a session has ended.
 */
const sessionPath = '/auth/admin/me'

/**
 * Sends a request with the session cookie. If the session has ended, the request waits until the
 * administrator has signed in again. If the rate limit rejects the request, it waits as long as the
 * response demands. In both cases the server has not processed the request, so it is safe to send
 * it again.
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
    serverUnavailable.set(response.status === 503)
    return response
  }
}

async function send(request: Request): Promise<Response> {
  try {
    return await fetch(request, { credentials: 'include' })
  } catch (error) {
    if (request.signal.aborted) throw error
    serverUnavailable.set(true)
    throw new ApiError(0, { detail: 'The server cannot be reached', reason: 'UNREACHABLE' })
  }
}

async function waitForLimit(seconds: number): Promise<void> {
  const until = Date.now() + seconds * 1000
  limitedUntil.set(Math.max(limitedUntil.get(), until))
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  if (limitedUntil.get() <= Date.now()) limitedUntil.set(0)
}
