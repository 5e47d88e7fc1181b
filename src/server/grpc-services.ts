import { AccessServiceService } from '../../gen/daikon/v1/access.ts'
import { AdminServiceService } from '../../gen/daikon/v1/admin.ts'
import { AuthServiceService } from '../../gen/daikon/v1/auth.ts'
import { GroupServiceService } from '../../gen/daikon/v1/groups.ts'
import { OAuthServiceService } from '../../gen/daikon/v1/oauth.ts'
import { PermissionServiceService } from '../../gen/daikon/v1/permissions.ts'
import { UserServiceService } from '../../gen/daikon/v1/users.ts'
import { WorkspaceServiceService } from '../../gen/daikon/v1/workspaces.ts'

/** Every generated service definition. */
export const grpcServices = {
  AccessService: AccessServiceService,
  AdminService: AdminServiceService,
  AuthService: AuthServiceService,
  GroupService: GroupServiceService,
  OAuthService: OAuthServiceService,
  PermissionService: PermissionServiceService,
  UserService: UserServiceService,
  WorkspaceService: WorkspaceServiceService,
}
