import { ServiceError } from '../core/errors.ts'
import type { Operation } from './operation.ts'

/** A request that satisfies its field rules, or the error that lists every violation. */
export type Decoded = { request: object; error?: never } | { request?: never; error: ServiceError }

/**
 * Validates a message against the field rules of its method. Also drops unknown fields and fills in
 * defaults.
 */
export function decode({ validate }: Operation, message: object | ServiceError): Decoded {
  if (message instanceof ServiceError) return { error: message }
  try {
    validate(message)
    return { request: message }
  } catch (error) {
    return { error: ServiceError.from(error) }
  }
}
