import type { PrincipalStatus } from '../core/caller.ts'
import type { CredentialKind } from '../core/credential-kind.ts'
import { ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/request-context.ts'
import type { Call } from './call.ts'
import { noneTaken, type VerifiedCredentials } from './credentials.ts'
import type { Policy } from './method.ts'

/**
 * Checks verified credentials against their current status. Throws `unauthenticated` if a
 * credential is no longer valid, and `permission_denied` if the method does not take it. `loaded` is
 * what the kind of the credential loads itself.
 */
export function authenticate(
  { kinds, claims, tokenError }: VerifiedCredentials,
  status: PrincipalStatus | undefined,
  now: Date,
  call: Call,
  policy: Pick<Policy, 'variants' | 'lenientUser'>,
  loaded: unknown,
): Principal {
  let principal: Principal = {}
  if (tokenError) principal.tokenError = tokenError
  for (let index = 0; index < kinds.length; index += 1) {
    const kind = kinds[index]
    const own = claims[index]
    if (!kind) continue
    const isLenient = policy.lenientUser && kind.provesCaller
    if (own === undefined) {
      if (isLenient) continue
      throw noneTaken()
    }
    const before = isLenient ? { ...principal } : principal
    try {
      kind.authenticate(principal, own, status as PrincipalStatus, call, now, loaded)
      if (kind.variants) requireTaken(kind.variants, principal, policy, now)
    } catch (error) {
      if (!isLenient) throw error
      principal = { ...before, tokenError: ServiceError.from(error) }
    }
  }
  return principal
}

function requireTaken(
  variants: NonNullable<CredentialKind['variants']>,
  principal: Principal,
  policy: Pick<Policy, 'variants'>,
  now: Date,
): void {
  for (const variant of variants) {
    if (!variant.includes(principal)) continue
    const isTaken = policy.variants.includes(variant.name) && variant.isTaken?.(principal) !== false
    if (!isTaken) throw variant.refusal()
    variant.onAccepted?.(principal, now)
  }
}
