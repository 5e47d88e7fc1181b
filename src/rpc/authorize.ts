import type { CredentialKind } from '../core/credential-kind.ts'
import type { Principal } from '../core/request-context.ts'
import type { Call } from './call.ts'
import type { Operation } from './operation.ts'

/**
 * Enforces the policy of the method for a request, by the rules of each kind of credential: of the
 * token before the service key. Throws `permission_denied` or `not_found`.
 */
export function authorize(
  { policy }: Operation,
  call: Call,
  request: object,
  kinds: readonly CredentialKind[],
  principal: Principal,
): void {
  const fields = request as Record<string, unknown>
  for (let index = kinds.length - 1; index >= 0; index -= 1)
    kinds[index]?.authorize?.(principal, policy, fields, call)
}

/**
 * Enforces the requirements of the method that do not depend on the request, so that the error reveals
 * nothing about its objects. Throws `permission_denied`.
 */
export function permit(
  { policy }: Operation,
  kinds: readonly CredentialKind[],
  principal: Principal,
): void {
  for (const kind of kinds) kind.permit?.(principal, policy)
}
