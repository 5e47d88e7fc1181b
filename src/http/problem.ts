import type { Response } from 'express'
import type { ServiceError } from '../core/errors.ts'
import type { Profile } from '../rpc/method.ts'
import { toChallenge, toProblem } from '../rpc/problem.ts'
import { sendOAuthError } from './oauth-error.ts'
import { sendJson } from './response.ts'
import { sendScimError } from './scim-error.ts'

/** Sends an error as `application/problem+json` (RFC 9457). */
export function sendProblem(
  response: Response,
  error: ServiceError,
  requestId: string,
  profile: Profile = 'default',
): void {
  if (profile === 'oauth') return void sendOAuthError(response, error)
  if (profile === 'scim') return void sendScimError(response, error)
  const problem = toProblem(error, requestId, profile)
  if (problem.status === 401) response.set('WWW-Authenticate', toChallenge(error))
  if (error.retryAfter !== undefined) response.set('Retry-After', String(error.retryAfter))
  response.status(problem.status).type('application/problem+json')
  sendJson(response, problem)
}
