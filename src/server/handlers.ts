import type { AccessServiceServer } from '../../gen/daikon/v1/access.ts'
import type { ActivityServiceServer } from '../../gen/daikon/v1/activity.ts'
import type { AdminServiceServer } from '../../gen/daikon/v1/admin.ts'
import type { AuthServiceServer } from '../../gen/daikon/v1/auth.ts'
import type { ConnectionServiceServer } from '../../gen/daikon/v1/connections.ts'
import type { GroupServiceServer } from '../../gen/daikon/v1/groups.ts'
import type { OAuthServiceServer } from '../../gen/daikon/v1/oauth.ts'
import type { PermissionServiceServer } from '../../gen/daikon/v1/permissions.ts'
import type { RoleServiceServer } from '../../gen/daikon/v1/roles.ts'
import type { ScimServiceServer } from '../../gen/daikon/v1/scim.ts'
import type { ServiceAccountServiceServer } from '../../gen/daikon/v1/service_accounts.ts'
import type { UserServiceServer } from '../../gen/daikon/v1/users.ts'
import type { WorkspaceServiceServer } from '../../gen/daikon/v1/workspaces.ts'
import type { AuthorizationServer } from '../../gen/envoy/service/auth/v3/external_auth.ts'
import { createActivityHandlers } from '../activity/handlers.ts'
import { adminHandlers } from '../admin/handlers.ts'
import { connectionHandlers } from '../connections/handlers.ts'
import type { RequestContext } from '../core/request-context.ts'
import { createGatewayHandlers } from '../gateway/handlers.ts'
import { identityHandlers } from '../identity/handlers.ts'
import { createAccessHandlers } from '../permissions/evaluate/handlers.ts'
import { createPermissionHandlers } from '../permissions/handlers.ts'
import type { HandlersOf, HandlerTable, MethodHandler } from '../rpc/handler.ts'
import { scimHandlers } from '../scim/handlers.ts'
import { webhookHandlers } from '../webhooks/handlers.ts'
import { workspaceHandlers } from '../workspaces/handlers.ts'
import { joinServices } from './feature.ts'
import {
  createHandlerContext,
  type HandlerContext,
  type HandlerDependencies,
} from './handler-context.ts'
import type { Stores } from './stores.ts'

type ServedBy<Server> = HandlersOf<Server, Stores, HandlerContext>

/** The services with a handler of every method. A missing one is a compile-time error. */
type ServiceHandlers = {
  AccessService: ServedBy<AccessServiceServer>
  ActivityService: ServedBy<ActivityServiceServer>
  AdminService: ServedBy<AdminServiceServer>
  AuthService: ServedBy<AuthServiceServer>
  Authorization: ServedBy<AuthorizationServer>
  ConnectionService: ServedBy<ConnectionServiceServer>
  GroupService: ServedBy<GroupServiceServer>
  OAuthService: ServedBy<OAuthServiceServer>
  PermissionService: ServedBy<PermissionServiceServer>
  RoleService: ServedBy<RoleServiceServer>
  ScimService: ServedBy<ScimServiceServer>
  ServiceAccountService: ServedBy<ServiceAccountServiceServer>
  UserService: ServedBy<UserServiceServer>
  WorkspaceService: ServedBy<WorkspaceServiceServer>
}

/**
 * Joins the handlers of all features.
 *
 * @throws an error if two features bring a handler of the same method
 */
export function createHandlers(dependencies: HandlerDependencies): HandlerTable {
  const handlers: ServiceHandlers = joinServices([
    identityHandlers,
    workspaceHandlers,
    createPermissionHandlers(dependencies),
    createAccessHandlers(dependencies),
    adminHandlers,
    connectionHandlers,
    scimHandlers,
    webhookHandlers,
    createGatewayHandlers(dependencies),
    createActivityHandlers(dependencies),
  ])
  return addContext(handlers, createHandlerContext(dependencies))
}

type AnyHandler = MethodHandler<never, object, never, never>
type AnyHandlers = Record<string, Record<string, AnyHandler>>

/** Adds `added` to the context of the handlers that are functions. */
function addContext(services: AnyHandlers, added: HandlerContext): HandlerTable {
  const add = (handler: AnyHandler) =>
    typeof handler === 'function'
      ? (context: RequestContext<never>, request: never) =>
          handler({ ...context, ...added } as never, request)
      : handler
  return mapValues(services, (methods) => mapValues(methods, add))
}

function mapValues<Value, Result>(
  table: Record<string, Value>,
  map: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name, map(value)]))
}
