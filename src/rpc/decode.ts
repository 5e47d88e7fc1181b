import { ServiceError } from '../core/errors.ts'
import type { Operation } from './operation.ts'

/** A request that satisfies its field rules, or the error that lists what is wrong with it. */
export type Decoded = { request: object; error?: never } | { request?: never; error: ServiceError }

/**
 * Validates a message by the field rules of its method, which also drops unknown fields and fills
 * in defaults.
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
