import type { Response } from 'express'
import { errorCodes, type ServiceError } from '../core/errors.ts'

/** Sends an error as `application/problem+json` (RFC 9457). */
export function sendProblem(response: Response, error: ServiceError, requestId: string): void {
  const problem = toProblem(error, requestId)
  if (problem.status === 401) response.set('WWW-Authenticate', toChallenge(error))
  if (error.retryAfter !== undefined) response.set('Retry-After', String(error.retryAfter))
  response.status(problem.status).type('application/problem+json')
  response.send(JSON.stringify(problem))
}

/** A challenge names an error only when credentials were sent (RFC 6750, section 3). */
function toChallenge({ reason }: ServiceError): string {
  return reason.endsWith('_MISSING') ? 'Bearer realm="daikon"' : 'Bearer error="invalid_token"'
}

/** The problem details of an error. */
export function toProblem(error: ServiceError, requestId: string) {
  const { http: status, title } = errorCodes[error.code]
  return {
    type: `urn:daikon:problem:${error.code.replaceAll('_', '-')}`,
    title,
    status,
    detail: error.message,
    reason: error.reason,
    request_id: requestId,
    ...(error.violations.length > 0 && { errors: error.violations }),
  }
}
