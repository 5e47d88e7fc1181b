import { findJsonSizeViolation } from '../../core/json-size.ts'

/** The maximum size of a context in bytes, as compact JSON. */
const maxContextBytes = 16 * 1024

/** Returns what is wrong with the size of a context, if anything. Requests declare the same limit. */
export function findContextViolation(context: object): string | undefined {
  return findJsonSizeViolation(context, maxContextBytes)
}
