import type { Database } from '../database/database.ts'
import { accessible } from './accessible.ts'
import { createListGrantedActions, listServiceActions, registerActions } from './actions.ts'
import { updateAttributes } from './attributes.ts'
import { check, checkStream } from './check.ts'
import { updateResource } from './display-name.ts'
import { evaluateCondition } from './evaluate-condition.ts'
import { getResource } from './get-resource.ts'
import { listPermissions } from './list-resources.ts'
import { updateParent } from './parents.ts'
import { register, registerBatch } from './register.ts'
import {
  deleteResourceType,
  listAllResourceTypes,
  listResourceTypes,
  putResourceType,
} from './resource-type-declarations.ts'
import { revokeShare, share, shareBatch } from './share.ts'
import { transferOwnership } from './transfer.ts'
import { unregister } from './unregister.ts'
import { updateVisibility } from './visibility.ts'

/** The operations that backend services and administrators share. */
const shared = {
  updateVisibility,
  updateAttributes,
  transferOwnership,
  updateParent,
  share,
  revokeShare,
  registerActions,
  putResourceType,
  deleteResourceType,
}

/** Creates the handlers of checks, resources, shares and declarations. */
export function createPermissionHandlers({ database }: { database: Pick<Database, 'reads'> }) {
  return {
    AdminService: {
      ...shared,
      listPermissions,
      getPermission: getResource,
      evaluateCondition,
      listResourceTypes: listAllResourceTypes,
      listServiceActions,
    },
    PermissionService: {
      ...shared,
      check,
      checkStream,
      accessible,
      accessibleStream: accessible,
      register,
      registerBatch,
      shareBatch,
      updateResource,
      getResource,
      unregister,
      listGrantedActions: createListGrantedActions(database.reads),
      listResourceTypes,
    },
    RoleService: { listServiceActions },
    UserService: { checkMyPermissions: check, listMyAccessibleResources: accessible },
  }
}
