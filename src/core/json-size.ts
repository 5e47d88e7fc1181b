const maxDepth = 32

/**
 * Returns what is wrong with the size of a JSON object, if anything. Each message completes the
 * sentence "<field> …".
 *
 * @param maxBytes the maximum size as compact JSON in UTF-8
 */
export function findJsonSizeViolation(value: object, maxBytes: number): string | undefined {
  // Checked first, because serializing a deeper object could exhaust the stack.
  if (isDeeper(value, maxDepth)) return `must be nested at most ${maxDepth} levels deep`
  if (Buffer.byteLength(JSON.stringify(value)) > maxBytes)
    return `must be at most ${maxBytes} bytes long as compact JSON`
  return undefined
}

/** Whether objects and lists are nested more than `levels` deep. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1))
}
