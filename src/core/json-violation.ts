import { findTextViolation } from './text-violation.ts'

const maxDepth = 32

/**
 * Returns what is wrong with a JSON object from a caller, if anything. Each message completes the
 * sentence "<field> …".
 *
 * @param maxBytes the maximum size as compact JSON in UTF-8
 */
export function findJsonViolation(value: object, maxBytes: number): string | undefined {
  // Checked first, because serializing a deeper object could exhaust the stack.
  if (isDeeper(value, maxDepth)) return `must be nested at most ${maxDepth} levels deep`
  if (Buffer.byteLength(JSON.stringify(value)) > maxBytes)
    return `must be at most ${maxBytes} bytes long as compact JSON`
  return findContentViolation(value)
}

/** Whether objects and lists are nested more than `levels` deep. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1))
}

/** Returns the first text or number that JSON in PostgreSQL cannot contain. */
export function findContentViolation(value: unknown): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value))
    return 'must not contain NaN or Infinity'
  if (typeof value === 'string') return findTextViolation(value)
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const violation = findTextViolation(name) ?? findContentViolation(member)
    if (violation) return violation
  }
  return undefined
}
