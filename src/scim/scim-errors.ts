import { ServiceError } from '../core/errors.ts'

/** The reasons of invalid requests, each of which has a `scimType` (RFC 7644, section 3.12). */
type Reason =
  | 'INVALID_FILTER'
  | 'INVALID_PATH'
  | 'INVALID_SYNTAX'
  | 'INVALID_VALUE'
  | 'NO_TARGET'
  | 'READ_ONLY_ATTRIBUTE'
  | 'TOO_MANY_GROUPS'
  | 'TOO_MANY_MEMBERS'

/** Returns the error of a request that does not follow SCIM. */
export function invalidScim(reason: Reason, detail: string): ServiceError {
  return new ServiceError('invalid_argument', reason, detail)
}

export function invalidValue(attribute: string, problem: string): ServiceError {
  return invalidScim('INVALID_VALUE', `${attribute} ${problem}`)
}

export function scimNotFound(type: string): ServiceError {
  return new ServiceError('not_found', 'SCIM_RESOURCE_NOT_FOUND', `${type} not found`)
}
