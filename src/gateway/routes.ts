import type {
  ListRoutesRequest,
  PutRoutesRequest,
  Route as RouteMessage,
  ServiceRoutes,
} from '../../gen/daikon/v1/permissions.ts'
import { actorOf } from '../activity/actor.ts'
import { describeListChange } from '../activity/list-change.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { invalidArgument } from '../core/errors.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import type { ActionStore } from '../permissions/store/action-store.ts'
import { findRouteViolations } from './find-route-violations.ts'
import { findRouteWarnings } from './find-route-warnings.ts'
import { defaultResourceId, describeRoute, type Route } from './route.ts'
import type { RouteStore } from './store/route-store.ts'

type RouteStores = { routes: RouteStore; actions: ActionStore; activity: ActivityStore }

/**
 * Replaces the routes of a service.
 *
 * @throws ServiceError `invalid_argument` with all violations of all routes
 */
export async function putRoutes(
  { stores, principal }: WriteContext<RouteStores>,
  { service_name, routes: messages }: PutRoutesRequest,
): Promise<ServiceRoutes> {
  return stores.transaction(async (tx) => {
    const actions = (await tx.actions.list(service_name)).map(({ name }) => name)
    const violations = findRouteViolations(service_name, messages, actions)
    if (violations.length > 0) throw invalidArgument(...violations)
    const routes = messages.map(toRoute)
    const { id, previous, hasChanged } = await tx.routes.replace(service_name, routes)
    if (hasChanged) {
      await tx.activity.record(actorOf(principal), {
        action: 'service_routes.replaced',
        targetId: id,
        detail: { service_name, ...describeChange(previous, routes) },
      })
    }
    return describeRoutes(service_name, routes)
  })
}

/** Lists the routes of a service. */
export async function listRoutes(
  { stores }: RequestContext<RouteStores>,
  { service_name }: ListRoutesRequest,
): Promise<ServiceRoutes> {
  return describeRoutes(service_name, await stores.routes.list(service_name))
}

function describeRoutes(service_name: string, routes: Route[]): ServiceRoutes {
  return { service_name, routes: routes.map(toMessage), warnings: findRouteWarnings(routes) }
}

/** Reads a valid route. */
function toRoute({ methods, path, ...rule }: RouteMessage): Route {
  const { allow, action = '', resource_type: resourceType = '', resource_id } = rule
  if (allow !== undefined)
    return { methods, path, rule: { allow: allow === 'anyone' ? 'anyone' : 'authenticated' } }
  const resourceId = resource_id ?? defaultResourceId
  return { methods, path, rule: { action, resourceType, resourceId } }
}

function toMessage({ methods, path, rule }: Route): RouteMessage {
  if ('allow' in rule) return { methods, path, allow: rule.allow }
  const { action, resourceType, resourceId } = rule
  return { methods, path, action, resource_type: resourceType, resource_id: resourceId }
}

function describeChange(previous: Route[], routes: Route[]) {
  const change = describeListChange(previous.map(describeRoute), routes.map(describeRoute))
  return { routes: String(routes.length), ...change }
}
