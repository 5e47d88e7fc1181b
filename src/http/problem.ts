import type { Response } from 'express'
import type { ServiceError } from '../core/errors.ts'
import type { RestFormat } from '../core/rest-format.ts'
import type { Profile } from '../rpc/method.ts'
import { httpStatus, toChallenge, toProblem } from '../rpc/problem.ts'
import { sendOAuthError } from './oauth-error.ts'
import { sendJson } from './response.ts'

/**
 * Sends an error as `application/problem+json` (RFC 9457), or in the format of the method, which `format`
 * is if a feature brings it.
 */
export function sendProblem(
  response: Response,
  error: ServiceError,
  requestId: string,
  profile: Profile = 'default',
  format?: RestFormat,
): void {
  if (profile === 'oauth') return void sendOAuthError(response, error)
  const status = httpStatus(error.code, profile)
  if (status === 401) response.set('WWW-Authenticate', toChallenge(error))
  if (error.retryAfter !== undefined) response.set('Retry-After', String(error.retryAfter))
  response.status(status).type(format?.mediaType ?? 'application/problem+json')
  sendJson(response, format?.writeError(error, status) ?? toProblem(error, requestId, profile))
}
