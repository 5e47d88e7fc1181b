import type { Response } from 'express'
import type { ServiceError } from '../core/errors.ts'
import { httpStatus, toChallenge } from '../rpc/problem.ts'

/** The media type of SCIM (RFC 7644, section 8.1). */
export const scimType = 'application/scim+json'

/** The detail code of each reason that has one (RFC 7644, section 3.12). */
const scimTypes: Record<string, string> = {
  ADDRESS_USED_ELSEWHERE: 'uniqueness',
  ALREADY_PROVISIONED: 'uniqueness',
  GROUP_NAME_TAKEN: 'uniqueness',
  INVALID_FILTER: 'invalidFilter',
  INVALID_PATH: 'invalidPath',
  INVALID_SYNTAX: 'invalidSyntax',
  INVALID_VALUE: 'invalidValue',
  INVALID_REQUEST: 'invalidSyntax',
  NO_TARGET: 'noTarget',
  READ_ONLY_ATTRIBUTE: 'mutability',
  TOO_MANY_GROUPS: 'tooMany',
  TOO_MANY_MEMBERS: 'tooMany',
}

/** The parameters of requests that are numbers or lists of names. */
const parameters = ['startIndex', 'count', 'attributes', 'excludedAttributes']

/** The body of an error response of SCIM. */
export type ScimError = { schemas: string[]; status: string; scimType?: string; detail: string }

/** Converts an error to the body of an error response. */
export function toScimError({ reason, code, message, violations }: ServiceError): ScimError {
  const isParameter = violations.some(({ field }) => parameters.includes(field))
  const type = isParameter ? 'invalidValue' : scimTypes[reason]
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(httpStatus(code, 'scim')),
    ...(type && { scimType: type }),
    detail: message,
  }
}

/** Sends an error in the format of RFC 7644, section 3.12. */
export function sendScimError(response: Response, error: ServiceError): void {
  const body = toScimError(error)
  if (error.code === 'unauthenticated') response.set('WWW-Authenticate', toChallenge(error))
  if (error.retryAfter !== undefined) response.set('Retry-After', String(error.retryAfter))
  response.status(Number(body.status)).type(scimType).send(JSON.stringify(body))
}
