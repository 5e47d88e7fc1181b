import { access } from './access.ts'
import { ApiError, type Reason } from './api-error.ts'
import { limitedUntil, serverUnavailable, sessionEnded, waitFor } from './signals.ts'
import { findChanges, rememberVersion, withVersion } from './versions.ts'

/** The maximum number of times that a request is sent if the rate limit rejects it. */
const maxAttempts = 4

/**
 * The routes that return and end the current session. For them, a 401 is a result: nobody is signed
 * in.
 */
const sessionPath = /^\/(auth\/admin\/(me|logout)|users\/me\/sessions\/[^/]+)$/

/**
 * Sends a request with the credentials of the console. If the session has ended, the request waits until the
 * user has signed in again. If the rate limit rejects the request, it waits as long as the
 * response demands. In both cases the server has not processed the request, so it is safe to send
 * it again.
 *
 * @throws {ApiError} if the server cannot be reached
 */
export async function fetchWithSession(request: Request): Promise<Response> {
  const versioned = withVersion(request)
  let isRenewed = false
  for (let attempt = 1; ; attempt += 1) {
    const response = await send(versioned.clone())
    if (response.status === 401 && !sessionPath.test(new URL(request.url).pathname)) {
      if (!isRenewed && (await access.renew())) {
        isRenewed = true
        continue
      }
      sessionEnded.set(true)
      await waitFor(sessionEnded, false)
      continue
    }
    if (response.status === 429 && attempt < maxAttempts) {
      await waitForLimit(Number(response.headers.get('retry-after')) || 1)
      continue
    }
    serverUnavailable.set(response.status === 503 && !(await isDnsFailure(response)))
    if (response.status === 412) throw await createConflict(request, response)
    await rememberVersion(request, response)
    return response
  }
}

/** Whether the server is available but could not ask the DNS about a domain. */
async function isDnsFailure(response: Response): Promise<boolean> {
  const problem = await response
    .clone()
    .json()
    .catch(() => undefined)
  return problem?.reason === ('DNS_UNAVAILABLE' satisfies Reason)
}

/** Reads an object again that has changed, and returns an error that says how. */
async function createConflict(request: Request, response: Response): Promise<ApiError> {
  const current = await send(new Request(request.url))
  const changes = await findChanges(request, current)
  return new ApiError(response.status, await response.json(), changes)
}

async function send(request: Request): Promise<Response> {
  try {
    return await fetch(access.authenticate(request))
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
