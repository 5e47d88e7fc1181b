import type { Response } from 'express'
import { errorCodes, type ServiceError } from '../core/errors.ts'

/** Answers with a Fault as `application/problem+json` (RFC 9457). */
export function sendProblem(response: Response, fault: ServiceError, requestId: string): void {
  const problem = problemOf(fault, requestId)
  const { status } = problem
  if (status === 401) response.set('WWW-Authenticate', challenge(fault))
  if (fault.retryAfter !== undefined) response.set('Retry-After', String(fault.retryAfter))
  response.status(status).type('application/problem+json')
  response.send(JSON.stringify(problem))
}

/** RFC 6750, section 3: a missing credential is asked for, a bad one is named. */
function challenge({ reason }: ServiceError): string {
  return reason.endsWith('_MISSING') ? 'Bearer realm="daikon"' : 'Bearer error="invalid_token"'
}

/** The body that tells of a Fault. */
export function problemOf(fault: ServiceError, requestId: string) {
  const { http: status, title } = errorCodes[fault.code]
  return {
    type: `urn:daikon:problem:${fault.code}`,
    title,
    status,
    detail: fault.message,
    reason: fault.reason,
    request_id: requestId,
    ...(fault.violations.length > 0 && { errors: fault.violations }),
  }
}
