import { isJsonObject } from './json-object.ts'

/**
 * Applies a JSON merge patch (RFC 7396): objects are merged, null removes a member, and anything
 * else replaces the target. Names such as `__proto__` are plain members.
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  return isJsonObject(patch) ? mergeObject(target, patch) : patch
}

/** Applies a merge patch that is an object, whose result is one, too. */
export function mergeObject(
  target: unknown,
  patch: Record<string, unknown>,
): Record<string, unknown> {
  const members = new Map(isJsonObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name)
    else members.set(name, applyMergePatch(members.get(name), value))
  }
  // Defines the members, where an assignment to `__proto__` would set the prototype.
  return Object.fromEntries(members)
}
