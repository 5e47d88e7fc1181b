import { findJsonViolation } from '../core/json-violation.ts'
import type { Attributes } from './store/resource-sql.ts'

/** The maximum size of the attributes of a resource, as compact JSON in UTF-8. */
const maxBytes = 4096

/**
 * Returns what is wrong with the attributes of a resource, if anything. The message completes the
 * sentence "attributes …".
 */
export function findAttributesViolation(attributes: Attributes): string | undefined {
  return findJsonViolation(attributes, maxBytes)
}

/** Returns attributes as they are stored: an empty object is undefined. */
export function storedAttributes(attributes: Attributes): Attributes | undefined {
  return Object.keys(attributes).length > 0 ? attributes : undefined
}
