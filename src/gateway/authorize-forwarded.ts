import type { AuthorizedUser, AuthorizeForwardedRequest } from '../../gen/daikon/v1/access.ts'
import { createDenial, ServiceError } from '../core/errors.ts'
import type { Principal, ServicePrincipal, UserPrincipal } from '../core/request-context.ts'
import type { DecisionHandler } from '../permissions/decision-handler.ts'
import { decide } from '../permissions/engine/facts.ts'
import type { Check, Questions } from '../permissions/engine/question.ts'
import { parseResource } from '../permissions/resource-id.ts'
import { accessDenied, denials, requireTokenUser, toAuthorizedUser } from './authorized-user.ts'
import type { LoadRoutes } from './load-routes.ts'
import { reasons } from './reasons.ts'
import { findRequirement, type Requirement, type RouteTable } from './route-table.ts'

/**
 * Creates the handler that decides whether a gateway may forward a request, by the routes of the
 * service. Throws `permission_denied` or `unauthenticated` if not.
 */
export function createAuthorizeForwarded(
  loadRoutes: LoadRoutes,
): DecisionHandler<AuthorizeForwardedRequest, AuthorizedUser> {
  return {
    questions({ method, uri }, service) {
      if (service?.name === undefined) return { checks: [] }
      const ask = (table: RouteTable): Questions => {
        const requirement = findRequirement(table, method, uri)
        return { checks: [toCheck(requirement, service)], basis: requirement }
      }
      const table = loadRoutes(service.name, service.routesVersion)
      return table instanceof Promise ? table.then(ask) : ask(table)
    },
    handle({ principal }, _request, { bits, basis }) {
      // In development mode, a key identifies no service whose routes could be compared.
      if (principal.service?.name === undefined) throw new ServiceError(reasons.SERVICE_UNKNOWN)
      const user = requireAuthorized(basis as Requirement, principal, bits[0])
      return toAuthorizedUser(user)
    },
    logLevel: 'debug',
    outcomes: () => [true],
    denials,
  }
}

function toCheck(requirement: Requirement, service: ServicePrincipal): Check | undefined {
  if (!('action' in requirement)) return undefined
  const { action, resourceType: type, resourceId: id } = requirement
  const resource = parseResource(service, { type, id })
  return resource && { ...resource, action }
}

/** Why an agent has no access to a route without an action. */
const needsAction = 'A delegation covers no route that requires only a user'

/** Returns the user, if any, of a request that fulfils the requirement. */
function requireAuthorized(
  requirement: Requirement,
  principal: Principal,
  bits: number | undefined,
): UserPrincipal | undefined {
  if ('denied' in requirement) throw routeDenied(requirement.denied)
  if ('allow' in requirement && requirement.allow === 'anyone')
    return principal.user?.delegation ? undefined : principal.user
  const user = requireTokenUser(principal)
  if (!('action' in requirement)) {
    if (user.delegation) throw createDenial(reasons.DELEGATION_DENIED, needsAction)
  } else if (!decide(requirement.action, bits)) throw accessDenied(requirement.action, user, bits)
  return user
}

function routeDenied(reason: 'PATH_AMBIGUOUS' | 'ROUTE_UNKNOWN'): ServiceError {
  if (reason === 'ROUTE_UNKNOWN') return createDenial(reasons.ROUTE_UNKNOWN)
  return createDenial(reasons.PATH_AMBIGUOUS)
}
