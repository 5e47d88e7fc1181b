import type { AuthorizeActionRequest, AuthorizedUser } from '../../gen/daikon/v1/access.ts'
import type { DecisionHandler } from '../permissions/decision-handler.ts'
import type { Engine } from '../permissions/engine/engine.ts'
import { decide } from '../permissions/engine/facts.ts'
import { requireOwnType } from '../permissions/evaluate/type-ownership.ts'
import { parseResource } from '../permissions/resource-id.ts'
import { accessDenied, denials, requireTokenUser, toAuthorizedUser } from './authorized-user.ts'

/**
 * Creates the handler that decides whether the user of the access token may perform an action.
 * Throws `permission_denied` if not.
 */
export function createAuthorizeAction(
  engine: Engine,
): DecisionHandler<AuthorizeActionRequest, AuthorizedUser> {
  return {
    questions({ action, resource_type: type, resource_id: id }, service) {
      const resource = parseResource(service, { type, id })
      return { checks: [resource && { ...resource, action }] }
    },
    async handle({ principal }, { action, resource_type }, { bits }) {
      await requireOwnType(engine, principal, resource_type)
      const user = requireTokenUser(principal)
      if (!decide(action, bits[0])) throw accessDenied(action, user, bits[0])
      return toAuthorizedUser(user)
    },
    logLevel: 'debug',
    outcomes: () => [true],
    denials,
  }
}
