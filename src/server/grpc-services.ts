import { AccessServiceService } from '../../gen/daikon/v1/access.ts'
import { ActivityServiceService } from '../../gen/daikon/v1/activity.ts'
import { AdminServiceService } from '../../gen/daikon/v1/admin.ts'
import { AuthServiceService } from '../../gen/daikon/v1/auth.ts'
import { ConnectionServiceService } from '../../gen/daikon/v1/connections.ts'
import { DelegationServiceService } from '../../gen/daikon/v1/delegations.ts'
import { EmailSignInServiceService } from '../../gen/daikon/v1/email_sign_in.ts'
import { GrantServiceService } from '../../gen/daikon/v1/grants.ts'
import { GroupServiceService } from '../../gen/daikon/v1/groups.ts'
import { OAuthServiceService } from '../../gen/daikon/v1/oauth.ts'
import { PermissionServiceService } from '../../gen/daikon/v1/permissions.ts'
import { RoleServiceService } from '../../gen/daikon/v1/roles.ts'
import { ServiceAccountServiceService } from '../../gen/daikon/v1/service_accounts.ts'
import { UserServiceService } from '../../gen/daikon/v1/users.ts'
import { WorkspaceServiceService } from '../../gen/daikon/v1/workspaces.ts'
import { AuthorizationService } from '../../gen/envoy/service/auth/v3/external_auth.ts'

/** Every generated service definition of daikon's API. */
export const grpcServices = {
  AccessService: AccessServiceService,
  ActivityService: ActivityServiceService,
  AdminService: AdminServiceService,
  AuthService: AuthServiceService,
  ConnectionService: ConnectionServiceService,
  DelegationService: DelegationServiceService,
  EmailSignInService: EmailSignInServiceService,
  GrantService: GrantServiceService,
  GroupService: GroupServiceService,
  OAuthService: OAuthServiceService,
  PermissionService: PermissionServiceService,
  RoleService: RoleServiceService,
  ServiceAccountService: ServiceAccountServiceService,
  UserService: UserServiceService,
  WorkspaceService: WorkspaceServiceService,
}

/** The service definition of Envoy's external authorization. */
export const externalAuthorizationService = AuthorizationService
