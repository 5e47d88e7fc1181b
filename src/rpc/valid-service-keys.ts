import type { RequestScope } from '../core/request-scope.ts'
import type { Ask } from '../permissions/engine/ask.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'

/** Returns whether a service key is valid, so that the call counts for its service. */
export type IsValidServiceKey = (key: {
  keyHash: string
  /** The client that counts if the key is not valid. */
  address: string
  now: Date
  scope: RequestScope
}) => Promise<boolean>

/** Milliseconds for which a valid key is remembered. Every call still verifies it later. */
const lifetime = 60_000

/** The statements per minute that keys from one address may cause before rate limits apply. */
const lookups = { name: 'service key lookups', limit: 30, period: 60 }

/**
 * Creates a check that remembers valid keys. Calls with other keys cost at most `lookups`
 * statements per address, and otherwise count for the address.
 */
export function createServiceKeyCheck(rateLimiter: RateLimiter, ask: Ask): IsValidServiceKey {
  // Contains only valid keys, so that clients cannot make it grow.
  const expiries = new Map<string, number>()
  const pending = new Map<string, Promise<boolean>>()

  const lookUp: IsValidServiceKey = async ({ keyHash, address, now, scope }) => {
    const { allowed } = await rateLimiter.take(address, [lookups])
    if (!allowed) return expiries.has(keyHash)
    const { status } = await ask({ keyHash }, undefined, scope)
    const isValid = status.service !== undefined
    if (isValid) expiries.set(keyHash, now.getTime() + lifetime)
    else expiries.delete(keyHash)
    return isValid
  }

  return async (key) => {
    if ((expiries.get(key.keyHash) ?? 0) > key.now.getTime()) return true
    let lookup = pending.get(key.keyHash)
    if (!lookup) {
      lookup = lookUp(key).finally(() => pending.delete(key.keyHash))
      pending.set(key.keyHash, lookup)
    }
    return lookup
  }
}
