import { ServiceError } from '../core/errors.ts'
import { reasons } from './reasons.ts'

export function invalidValue(attribute: string, problem: string): ServiceError {
  return new ServiceError(reasons.INVALID_VALUE, `${attribute} ${problem}`)
}

export function scimNotFound(type: string): ServiceError {
  return new ServiceError(reasons.SCIM_RESOURCE_NOT_FOUND, `${type} not found`)
}
