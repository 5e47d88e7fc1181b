import type { AccessServiceServer } from '../../gen/daikon/v1/access.ts'
import type { ActivityServiceServer } from '../../gen/daikon/v1/activity.ts'
import type { AdminServiceServer } from '../../gen/daikon/v1/admin.ts'
import type { AuthServiceServer } from '../../gen/daikon/v1/auth.ts'
import type { ConnectionServiceServer } from '../../gen/daikon/v1/connections.ts'
import type { DelegationServiceServer } from '../../gen/daikon/v1/delegations.ts'
import type { EmailSignInServiceServer } from '../../gen/daikon/v1/email_sign_in.ts'
import type { GrantServiceServer } from '../../gen/daikon/v1/grants.ts'
import type { GroupServiceServer } from '../../gen/daikon/v1/groups.ts'
import type { OAuthServiceServer } from '../../gen/daikon/v1/oauth.ts'
import type { PermissionServiceServer } from '../../gen/daikon/v1/permissions.ts'
import type { RoleServiceServer } from '../../gen/daikon/v1/roles.ts'
import type { ScimServiceServer } from '../../gen/daikon/v1/scim.ts'
import type { ServiceAccountServiceServer } from '../../gen/daikon/v1/service_accounts.ts'
import type { UserServiceServer } from '../../gen/daikon/v1/users.ts'
import type { WorkspaceServiceServer } from '../../gen/daikon/v1/workspaces.ts'
import type { AuthorizationServer } from '../../gen/envoy/service/auth/v3/external_auth.ts'
import type { RequestContext } from '../core/request-context.ts'
import type { HandlersOf, HandlerTable, MethodHandler } from '../rpc/handler.ts'
import { joinServices } from './feature.ts'
import {
  createHandlerContext,
  type HandlerContext,
  type HandlerDependencies,
} from './handler-context.ts'
import { parts } from './parts.ts'
import type { Stores } from './stores.ts'

type HandlersFor<Server> = Partial<HandlersOf<Server, Stores, HandlerContext>>

/**
 * The handlers of the methods that are served. One that does not fit its method is a compile-time
 * error; test/architecture/handlers.test.ts finds missing ones.
 */
type ServiceHandlers = {
  AccessService?: HandlersFor<AccessServiceServer>
  ActivityService?: HandlersFor<ActivityServiceServer>
  AdminService?: HandlersFor<AdminServiceServer>
  AuthService?: HandlersFor<AuthServiceServer>
  Authorization?: HandlersFor<AuthorizationServer>
  ConnectionService?: HandlersFor<ConnectionServiceServer>
  DelegationService?: HandlersFor<DelegationServiceServer>
  EmailSignInService?: HandlersFor<EmailSignInServiceServer>
  GrantService?: HandlersFor<GrantServiceServer>
  GroupService?: HandlersFor<GroupServiceServer>
  OAuthService?: HandlersFor<OAuthServiceServer>
  PermissionService?: HandlersFor<PermissionServiceServer>
  RoleService?: HandlersFor<RoleServiceServer>
  ScimService?: HandlersFor<ScimServiceServer>
  ServiceAccountService?: HandlersFor<ServiceAccountServiceServer>
  UserService?: HandlersFor<UserServiceServer>
  WorkspaceService?: HandlersFor<WorkspaceServiceServer>
}

/**
 * Joins the handlers of all features.
 *
 * @throws an error if two features bring a handler of the same method
 */
export function createHandlers(dependencies: HandlerDependencies): HandlerTable {
  const all = { ...dependencies, ...dependencies.services }
  const handlers: ServiceHandlers = joinServices(
    parts.map(({ createHandlers }) => createHandlers(all)),
  )
  return addContext(handlers as AnyHandlers, createHandlerContext(dependencies))
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
