import { findJsonSizeViolation } from '../core/json-size.ts'
import type { Attributes } from './store/resource-sql.ts'

/** The maximum size of the attributes of a resource, as compact JSON in UTF-8. */
const maxBytes = 4096

/**
 * Returns what is wrong with the attributes of a resource, if anything. The message completes the
 * sentence "attributes …".
 */
export function findAttributesViolation(attributes: Attributes): string | undefined {
  return findJsonSizeViolation(attributes, maxBytes) ?? findValueViolation(attributes)
}

/** Returns attributes as they are stored: an empty object is undefined. */
export function storedAttributes(attributes: Attributes): Attributes | undefined {
  return Object.keys(attributes).length > 0 ? attributes : undefined
}

/** PostgreSQL reads no strings with U+0000 or unpaired surrogates, and JSON has no infinite numbers. */
function findValueViolation(value: unknown): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value))
    return 'must not contain NaN or Infinity'
  if (typeof value === 'string') return findTextViolation(value)
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const violation = findTextViolation(name) ?? findValueViolation(member)
    if (violation) return violation
  }
  return undefined
}

function findTextViolation(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the character U+0000'
  return text.isWellFormed() ? undefined : 'must be well-formed Unicode'
}
