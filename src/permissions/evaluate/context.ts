import { findJsonViolation } from '../../core/json-violation.ts'

/** The maximum size of a context in bytes, as compact JSON. */
const maxContextBytes = 16 * 1024

/** Returns what is wrong with a context, if anything. Requests declare the same limit. */
export function findContextViolation(context: object): string | undefined {
  return findJsonViolation(context, maxContextBytes)
}
